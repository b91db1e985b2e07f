//! Where an action of the reader leads: to another time, or back to the present. Never the panes that follow it.

use shared::state::UnixMillis;

use super::against::Against;
use super::at::At;
use super::here::Here;
use super::part::{Move, Typed};
use super::time_bar::TimeBar;
use super::{clock_text, words};
use crate::action::PastAction;

pub(super) fn update(bar: &mut TimeBar, action: Option<PastAction>, here: &Here<'_>) -> Move {
    bar.follow_link();
    let asked = asked(bar, action, here);
    bar.note_link();
    asked
}

fn asked(bar: &mut TimeBar, action: Option<PastAction>, here: &Here<'_>) -> Move {
    let Some(action) = action else { return due(bar, here) };
    let window = bar.window(here);
    let asked = match action {
        PastAction::Toggle => {
            bar.open(here.at.is_none() && !bar.is_open());
            return to(None, true);
        }
        PastAction::Live => to(None, true),
        PastAction::Step(by) => step(by, here),
        PastAction::Page(by) => {
            let tenth_ms = window.to_ms.saturating_sub(window.from_ms) / 10;
            let here_ms = here.at_ms().unwrap_or_else(|| here.gateway_now_ms());
            to_ms(here_ms.saturating_add(tenth_ms.saturating_mul(i64::from(by))), false, here)
        }
        PastAction::Start => to_ms(window.from_ms, false, here),
        PastAction::GoTo(gateway_ms) => to_ms(gateway_ms, true, here),
        PastAction::Type(text) => typed(bar, &text, here),
        PastAction::Drag(part) if bar.drag(part) && here.at.is_none() => Move::Begin,
        PastAction::Drag(_) => Move::Nothing,
        PastAction::Drop => {
            let due = due(bar, here);
            bar.drop_slider();
            due
        }
        PastAction::Compare => match (here.at, here.against) {
            (None, _) => return Move::Say(words::NEEDS_A_TIME),
            (Some(_), None) if here.present().at_ms() == here.at_ms() => return Move::Say(words::SAME_TIME),
            (Some(_), None) => Move::Against(Some(here.present())),
            (Some(_), Some(_)) => Move::Against(None),
        },
        PastAction::CompareAgain => return Move::CompareAgain,
        PastAction::Find => {
            bar.open(true);
            bar.search_mut().toggle();
            return Move::Found;
        }
        PastAction::FindWord(word) => {
            bar.search_mut().look_for(&word);
            return Move::Found;
        }
        PastAction::CompareWith(text) => compare_with(bar, &text, here),
        PastAction::Span(span) => {
            bar.set_span(span);
            Move::Nothing
        }
    };
    // The bar shows where the page is, and stays when it is live again.
    bar.open_in_past(here.at.is_some() || matches!(asked, Move::To { at: Some(_), .. }));
    asked
}

fn to(at: Option<At>, is_entry: bool) -> Move {
    Move::To { at, is_step: false, is_entry }
}

/// A time that isn't over is now.
fn to_ms(gateway_ms: UnixMillis, is_entry: bool, here: &Here<'_>) -> Move {
    to((gateway_ms < here.gateway_now_ms()).then(|| At::new(gateway_ms)), is_entry)
}

/// The place of the slider, where the page isn't yet.
fn due(bar: &mut TimeBar, here: &Here<'_>) -> Move {
    let Some(part) = bar.take_due() else { return Move::Nothing };
    bar.open_in_past(true);
    let window = bar.window(here);
    to(window.at(part).map(At::new), false)
}

fn typed(bar: &mut TimeBar, text: &str, here: &Here<'_>) -> Move {
    let read = clock_text::read(text, here.present_ms(), here.zone);
    bar.set_error(if read.is_some() { "" } else { words::NO_TIME });
    match read {
        Some(Typed::Now) => to(None, true),
        Some(Typed::At(local_ms)) => to_ms(local_ms.saturating_add(here.ahead_ms), true, here),
        None => Move::Nothing,
    }
}

/// With the time that was typed.
fn compare_with(bar: &mut TimeBar, text: &str, here: &Here<'_>) -> Move {
    let against = match clock_text::read(text, here.present_ms(), here.zone) {
        Some(Typed::Now) => Some(here.present()),
        Some(Typed::At(local_ms)) => {
            Some(Against::At(At::new(local_ms.saturating_add(here.ahead_ms).min(here.gateway_now_ms()))))
        }
        None => None,
    };
    let is_same = against.is_some_and(|against| against.at_ms().is_some() && against.at_ms() == here.at_ms());
    bar.set_error(match against {
        None => words::NO_TIME,
        Some(_) if is_same => words::SAME_TIME,
        Some(_) => "",
    });
    match against.filter(|_| !is_same) {
        Some(against) => Move::Against(Some(against)),
        None => Move::Nothing,
    }
}

/// To the next change of a view, or to the one before. From the present, to the last one.
fn step(by: i8, here: &Here<'_>) -> Move {
    if here.at.is_none() {
        if by > 0 {
            return Move::Say(words::NO_LATER_THAN_NOW);
        }
        // What the bar knows may be old, and the last change is the one that this moment shows.
        return to(Some(At::new(here.gateway_now_ms().saturating_sub(1))), true);
    }
    let Some(as_of) = here.as_of.filter(|as_of| !as_of.is_reading()) else { return Move::Nothing };
    let (before_ms, after_ms) = as_of.steps_ms();
    match if by > 0 { after_ms } else { before_ms } {
        Some(ms) => Move::To { at: Some(At::new(as_of.gateway_ms(ms))), is_step: by > 0, is_entry: false },
        None => Move::Say(if by > 0 { words::NO_LATER } else { words::NO_EARLIER }),
    }
}
