//! The sheet of keys, with a legend of the signs in a table.

use crate::dom::html::{a, button, div, h1, h2, kbd, p, section, span};
use crate::prelude::*;
use page::help::{self, KeyGroup, words};
use page::status::Class;
use tachys::html::element::Section;
use tachys::html::event as ev;

use super::css;
use super::icons::{glyph, icon};
use crate::dispatch::Dispatch;
use crate::dom;
use crate::dom::overlay::on_press_outside;
use page::action::Action;

pub(crate) fn help(act: Dispatch) -> AnyView {
    let place = NodeRef::<Section>::new();
    place.on_load(|section| dom::element::focus(&section));
    on_press_outside(place, move |_| act.send(Action::Help(false)));
    section()
        .class("pop pop-pad pop-help")
        .attr("id", "help")
        .attr("role", "dialog")
        .attr("aria-label", words::HELP)
        .attr("tabindex", "-1")
        .node_ref(place)
        .on(ev::keydown, move |event| {
            if dom::element::plain_key(&event).as_deref() == Some("Escape") {
                event.stop_propagation();
                act.send(Action::Help(false));
            }
        })
        .child((
            div().class("help-head").child((
                h1().class("pop-title").child(words::HELP),
                button()
                    .class("btn btn-icon")
                    .attr("aria-label", words::CLOSE_HELP)
                    .on(ev::click, move |_| act.send(Action::Help(false)))
                    .child(icon("#i-close")),
            )),
            div().class("keys").child(help::key_groups().into_iter().map(column).collect::<Vec<_>>()),
            div().class("keys help-legend").child((rows(), statuses(), minimap())),
            p().class("pop-foot").child((words::KEYS_FOOT, " ", guide())),
        ))
        .into_any()
}

/// The guide isn't the gateway's: a click leaves for it, in a tab of its own that learns nothing of this page.
fn guide() -> impl IntoView {
    a().attr("href", words::GUIDE_URL)
        .attr("target", "_blank")
        .attr("rel", "noopener noreferrer")
        .child(words::GUIDE)
}

fn column((title, lines): KeyGroup) -> impl IntoView {
    let lines: Vec<_> = lines
        .into_iter()
        .map(|(keys, what)| {
            let keys: Vec<_> = keys.iter().map(|key| (kbd().child(*key), " ")).collect();
            (span().child(keys), span().class("soft").child(what))
        })
        .collect();
    div().class("keys-col").child((h2().class("keys-title").child(title), lines))
}

fn rows() -> impl IntoView {
    let line = |(sign, what): (&'static str, &'static str)| {
        (span().class("mono strong").child(sign), span().class("soft").child(what))
    };
    part(words::LEGEND_ROWS, words::LEGEND_SIGNS.into_iter().map(line).collect())
}

fn statuses() -> impl IntoView {
    let line = |class: Class| {
        let sign = span().class(css::status(class)).child(glyph(css::glyph(class)));
        (sign, span().class("soft").child(words::legend_status(class)))
    };
    part(words::LEGEND_STATUS, Class::ALL.into_iter().map(line).collect())
}

fn minimap() -> impl IntoView {
    let line =
        |(class, what): (&'static str, &'static str)| (span().class(class), span().class("soft").child(what));
    let lines = [
        ("legend-mark legend-trouble", words::LEGEND_MINIMAP_TROUBLE),
        ("legend-mark legend-changed", words::LEGEND_MINIMAP_CHANGED),
        ("legend-mark legend-window", words::LEGEND_MINIMAP_WINDOW),
    ];
    part(words::LEGEND_MINIMAP, lines.into_iter().map(line).collect())
}

fn part<T: IntoView + 'static>(title: &'static str, lines: Vec<T>) -> impl IntoView {
    div().class("keys-col").child((h2().class("keys-title").child(title), lines))
}
