//! A change of an object, as the timeline and the changes of a view show it: its headline, and one changed field.

use crate::dom::html::{b, div, s, span};
use crate::prelude::*;
use page::detail::history::{FieldChange, FieldLine, Headline};
use page::messages;
use page::status::Class;

use super::css;
use super::icons::glyph;

pub(super) fn headline(headline: &Headline) -> impl IntoView + use<> {
    let sign = (headline.class != Class::Idle).then(|| glyph(css::glyph(headline.class)));
    let rest = format!("{}{}", headline.gap(), headline.rest);
    let words = span().class("headline-words").child((b().child(headline.strong.clone()), rest));
    span().class(format!("headline {}", css::status(headline.class))).child((sign, words))
}

/// Characters of a new value that yields to the path where there is no room for both.
const LONG: usize = 40;

/// Its path, its old value and its new one.
pub(super) fn field(line: &FieldLine) -> impl IntoView + use<> {
    let was = |was: &str| span().class("chg-was").child(s().child(was.to_owned()));
    let now = |now: &str| span().class("chg-now").child(now.to_owned());
    let word = |word: &'static str| span().class("chg-to").child(word);
    let change = match &line.change {
        FieldChange::Became { was: old, now: new } => {
            let arrow = span().class("chg-to").child(("→", span().class("sr").child(messages::BECAME)));
            (Some(was(old)), arrow, Some(now(new))).into_any()
        }
        FieldChange::Set { now: new } => (word(messages::SET_TO), now(new)).into_any(),
        FieldChange::Removed { was: old } => (word(messages::REMOVED), was(old)).into_any(),
        FieldChange::Masked => word(messages::CHANGED_MASKED).into_any(),
    };
    let values = span().class("chg-values").child(change);
    let is_long = matches!(&line.change, FieldChange::Became { now, .. } | FieldChange::Set { now } if now.chars().count() > LONG);
    div()
        .class("chg")
        .class(("chg-long", is_long))
        .child((span().class("chg-path").child(line.path.clone()), values))
}
