//! What a reader may type next, in the filter and in a selector. It comes with a piece of the program, and is called
//! through these functions alone.

use replica::table::Table;
use shared::duration::UnixSeconds;
use shared::resource::Kind;

use super::complete::{Suggestions, complete};
use super::fields::{complete_fields, declared};
use super::labels::complete_labels;
use crate::action::SelectorKind;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) filter: OfferForFilter,
    pub(crate) selector: OfferForSelector,
}

type OfferForFilter = fn(&str, usize, (&Table, UnixSeconds), bool) -> Option<Suggestions>;
type OfferForSelector = fn(SelectorKind, (&str, usize), Option<&Table>, Option<&Kind>) -> Option<Suggestions>;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { filter: complete, selector };

/// `source`: the rows whose labels are offered, or the definition that declares fields.
fn selector(
    selector: SelectorKind,
    (text, caret): (&str, usize),
    source: Option<&Table>,
    kind: Option<&Kind>,
) -> Option<Suggestions> {
    match selector {
        SelectorKind::Labels => complete_labels(text, caret, source?),
        SelectorKind::Fields => {
            complete_fields(text, caret, kind?, &source.map(declared).unwrap_or_default())
        }
    }
}
