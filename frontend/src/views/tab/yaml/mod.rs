//! The tab YAML. Only the lines of the window are mounted.

use crate::dom::html::keyed;
use crate::dom::html::{button, div, input, p, span};
use crate::prelude::*;
use page::detail::yaml::{MASK, Piece};
use page::messages;
use page::tab::yaml::words;
use tachys::html::element::Div;
use tachys::html::event as ev;

use super::super::copy::is_copied;
use super::super::icons::icon;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::field::Signal;
use page::model::Clip;
use page::tab::yaml::{Fields, Found, YamlAction, YamlRow};

pub(super) fn yaml(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let scroller = NodeRef::<Div>::new();
    let space = NodeRef::<Div>::new();
    let probe = NodeRef::<Div>::new();
    follow_size(scroller, probe, act);
    follow_extent(signals, scroller, space);
    let row_px = Memo::new(move |_| signals.lines.with(|held| held.row_px));
    let each = move || signals.lines.with(|held| held.rows.clone());
    let lines = keyed(each, Clone::clone, move |row| line(row, row_px, act));
    let foot = Memo::new(move |_| signals.lines.with(|held| held.foot.clone()));
    let body = div()
        .class("panel-body")
        .attr("id", "tabpanel")
        .attr("role", "tabpanel")
        .attr("aria-labelledby", "tab-yaml")
        .attr("tabindex", "0")
        .node_ref(scroller)
        .on(ev::scroll, move |_| {
            if let Some(scroller) = scroller.try_get_untracked().flatten() {
                act.send(YamlAction::Scrolled { top_px: dom::element::scroll_top_px(&scroller) });
            }
        })
        .child(div().class("yaml").child((
            div().class("y y-probe").attr("aria-hidden", "true").node_ref(probe).child("0"),
            div().class("y-space").node_ref(space).child(lines),
        )));
    (tools(signals, act), body, p().class("y-foot").child(foot))
}

fn tools(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let follows = Memo::new(move |_| signals.tools.with(|tools| tools.follows));
    let version = Memo::new(move |_| signals.tools.with(|tools| tools.version.clone()));
    let held = Memo::new(move |_| signals.tools.with(|tools| tools.held.clone()));
    let has_folds = Memo::new(move |_| signals.tools.with(|tools| tools.has_folds));
    let is_copied = is_copied(act, |clip| matches!(clip, Clip::Yaml(_)));
    let fold = move || if has_folds.get() { words::UNFOLD_ALL } else { words::FOLD_ALL };
    div().class("tl-tools").child((
        button()
            .class("switch")
            .attr("id", "follow")
            .attr("role", "switch")
            .attr("aria-checked", move || follows.get().to_string())
            .on(ev::click, move |_| act.send(YamlAction::ToggleFollow))
            .child((span().class("switch-track"), words::FOLLOW)),
        span().class("faint cut").child((
            messages::RESOURCE_VERSION,
            span().class("mono").attr("id", "yaml-version").child(version),
            " ",
            held,
        )),
        span().class("push"),
        search(signals, act),
        // Where they have no room, all of them go to the next line.
        span().class("y-acts").child((
            copy_path(signals, act),
            button()
                .class("btn")
                .attr("id", "fold-all")
                .on(ev::click, move |_| act.send(YamlAction::FoldAll))
                .child(fold),
            button()
                .class("btn")
                .attr("aria-label", messages::COPY)
                .on(ev::click, move |_| act.send(YamlAction::Copy))
                .child(move || icon(if is_copied.get() { "#i-tick" } else { "#i-copy" })),
        )),
    ))
}

/// This button copies the path of the field that the search found. A click on the number of a line copies the path of
/// that line.
fn copy_path(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let path = Memo::new(move |_| signals.tools.with(|tools| tools.path.clone()));
    move || {
        path.get().map(|path| {
            let held = path.clone();
            let is_done = is_copied(act, move |clip| matches!(clip, Clip::Text(text) if *text == held));
            button()
                .class("btn")
                .attr("id", "copy-path")
                .attr("title", path)
                .on(ev::click, move |_| act.send(YamlAction::CopyPath { line: None }))
                .child(move || if is_done.get() { messages::COPIED } else { words::COPY_PATH })
        })
    }
}

fn search(signals: Fields<Signal>, act: Dispatch) -> impl IntoView {
    let matches = Memo::new(move |_| signals.tools.with(|tools| tools.matches.clone()));
    let step = move |sign: &'static str, label: &'static str, forward: bool| {
        button()
            .class("btn btn-icon")
            .attr("aria-label", label)
            .attr("title", label)
            .on(ev::click, move |_| act.send(YamlAction::NextMatch { forward }))
            .child(icon(sign))
    };
    let steps = move || {
        (!matches.read().is_empty()).then(|| {
            (
                step("#i-up-sort", words::SEARCH_PREVIOUS, false),
                step("#i-down-sort", words::SEARCH_NEXT, true),
            )
        })
    };
    span().class("y-find").attr("role", "search").attr("aria-label", words::SEARCH_HINT).child((
        input()
            .attr("type", "text")
            .attr("id", "yaml-find")
            .attr("aria-label", words::SEARCH_HINT)
            .attr("placeholder", words::SEARCH_HINT)
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .on(ev::input, move |event| act.send(YamlAction::Search(event_target_value(&event))))
            .on(ev::keydown, move |event| match event.key().as_str() {
                "Enter" => act.send(YamlAction::NextMatch { forward: !event.shift_key() }),
                // The first Escape empties the search, the next one leaves it, the third closes the panel.
                "Escape" => {
                    event.stop_propagation();
                    if event_target_value(&event).is_empty() {
                        dom::element::focus_around(&event, ".panel");
                    }
                    dom::element::clear(&event);
                    act.send(YamlAction::Search(String::new()));
                }
                _ => {}
            }),
        span().class("faint").attr("id", "yaml-matches").attr("role", "status").child(matches),
        steps,
    ))
}

fn line(row: YamlRow, row_px: Memo<f64>, act: Dispatch) -> impl IntoView {
    let YamlRow { place, number, line, fold, is_new, found } = row;
    let is_folded = fold.as_ref().map(|(is_folded, _)| *is_folded);
    let hidden = fold.filter(|(is_folded, _)| *is_folded).map(|(_, hidden)| hidden);
    let sign = is_new.then(|| ("~", span().class("sr").child(words::CHANGED)));
    let value = match line.value {
        Piece::Nothing => ().into_any(),
        Piece::Text(text) => text.into_any(),
        Piece::Number(number) => span().class("y-num").child(number).into_any(),
        Piece::Masked => {
            let mask = span()
                .class("masked")
                .attr("role", "img")
                .attr("aria-label", messages::MASKED)
                .attr("title", words::MASKED_ALWAYS)
                .child(MASK);
            let changed = is_new.then(|| span().class("faint").child(messages::CHANGED_MASKED));
            (mask, changed.map(|changed| (" ", changed))).into_any()
        }
    };
    let key = (!line.key.is_empty()).then(|| span().class("y-key").child(line.key.clone()));
    let path = line.fold.map(|fold| fold.path).unwrap_or_default();
    let button = is_folded.map(|is_folded| {
        let at = path.clone();
        button()
            .class("y-fold")
            .attr("aria-expanded", (!is_folded).to_string())
            .attr("aria-label", line.key.trim_end_matches([':', ' ']).to_owned())
            .on(ev::click, move |_| act.send(YamlAction::Fold(at.clone())))
            .child(icon(if is_folded { "#i-right" } else { "#i-down" }))
    });
    div()
        .class("y")
        .class(("y-new", is_new))
        .class(("y-found", found != Found::No))
        .class(("y-here", found == Found::Here))
        .attr("data-line", number.to_string())
        .style(("top", move || format!("{}px", pixels(place, row_px.get()))))
        .child((
            span()
                .class("y-no")
                .attr("title", words::COPY_PATH)
                .on(ev::click, move |_| act.send(YamlAction::CopyPath { line: Some(number) }))
                .child(number.to_string()),
            span().class("y-sign").child(sign),
            span().class("y-code").child((
                button,
                line.lead,
                key,
                value,
                hidden.map(|hidden| (" ", span().class("y-more").child(hidden))),
            )),
        ))
}

#[expect(clippy::cast_precision_loss, reason = "line counts are far below 2^52")]
fn pixels(place: usize, row_px: f64) -> f64 {
    place as f64 * row_px
}

fn follow_size(scroller: NodeRef<Div>, probe: NodeRef<Div>, act: Dispatch) {
    scroller.on_load(move |element| {
        let observed = element.clone();
        let resize = dom::measure::on_resize(&element, move || {
            let Some(probe) = probe.try_get_untracked().flatten() else { return };
            let (_, height_px) = dom::measure::size_px(&observed);
            let (_, row_px) = dom::measure::size_px(&probe);
            act.send(YamlAction::Resized { height_px, row_px });
        });
        // Observes until the tab is unmounted.
        StoredValue::new_local(resize);
    });
}

/// Sets the height before the scroll position of a match, which it limits.
fn follow_extent(signals: Fields<Signal>, scroller: NodeRef<Div>, space: NodeRef<Div>) {
    Effect::new(move |followed: Option<u32>| {
        let height_px = signals.lines.with(|held| held.height_px);
        if let Some(space) = space.get() {
            dom::element::set_height_px(&space, height_px);
        }
        let (number, top_px) = signals.scroll.get();
        if let Some(scroller) = scroller.get()
            && followed.is_some_and(|followed| followed != number)
        {
            dom::element::scroll_to_px(&scroller, top_px);
        }
        number
    });
}
