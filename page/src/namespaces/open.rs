//! The open picker: what it does with the keys of its reader, and what it shows beside its options.

use shared::scope::Namespaces;

use super::model::{Choice, PickerModel};
use super::options::Listing;
use super::part::{Counted, Open, Part, Shown};
use super::words;
use crate::picker::{Answer, Asked};
use crate::rights::Known;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { update, model };

const COUNTED_AGAIN_MS: i64 = 1_000;

fn update(open: &mut Open, asked: Asked, shown: &Shown<'_>) -> Answer<Namespaces> {
    match asked {
        Asked::Move(by) => {
            let count = Listing::of(open, shown).options().0.len();
            open.typed.move_by(by, count);
            Answer::StaysOpen
        }
        Asked::Choose(number) => match number.or(open.typed.active) {
            Some(number) => open.choose(number, shown),
            // The reader has chosen.
            None if open.typed.text.trim().is_empty() => Answer::Closes,
            None => Answer::StaysOpen,
        },
    }
}

fn model(open: &mut Open, shown: &Shown<'_>) -> PickerModel {
    open.count(shown);
    let listing = Listing::of(open, shown);
    let (options, more) = listing.options();
    let typed = &open.typed;
    PickerModel {
        typed: typed.text.clone(),
        active: typed.active.filter(|at| *at < options.len()),
        note: note(listing.count(), more, shown),
        refused: if options.is_empty() { listing.refused() } else { String::new() },
        withdrawn: if typed.text.is_empty() { listing.withdrawn() } else { Vec::new() },
        rights: match (shown.known, shown.chosen) {
            (None, _) => "",
            (Some(_), Namespaces::All) => words::RIGHTS_ALL,
            (Some(_), Namespaces::These(_)) => words::RIGHTS_CHOSEN,
        },
        options,
    }
}

fn note(count: usize, more: usize, shown: &Shown<'_>) -> String {
    let is_refused = shown.list.is_some_and(|view| {
        view.subscription().ended().is_some() || view.report().is_some_and(|report| report.problem.is_some())
    });
    let has_granted = shown.known.into_iter().flat_map(Known::granted).next().is_some();
    let note = match shown.list {
        Some(view) if view.table().is_whole() => words::named(count),
        _ if is_refused && has_granted => words::OTHERS_TYPED.to_owned(),
        _ if is_refused => words::TYPED.to_owned(),
        _ => words::ASKED.to_owned(),
    };
    if more == 0 { note } else { format!("{note} {}", words::more(more)) }
}

impl Open {
    fn choose(&mut self, number: usize, shown: &Shown<'_>) -> Answer<Namespaces> {
        let option = Listing::of(self, shown).options().0.into_iter().nth(number);
        let Some(option) = option else { return Answer::StaysOpen };
        let is_whole_list = self.typed.text.is_empty();
        self.typed.text.clear();
        self.typed.active = self.typed.active.filter(|_| is_whole_list);
        Answer::Chose(with(shown.chosen, option.choice))
    }

    /// The rows of a large table aren't counted with each key.
    fn count(&mut self, shown: &Shown<'_>) {
        let Some((key, view)) = shown.view.filter(|_| shown.known.is_some()) else {
            self.counted = None;
            return;
        };
        let is_young = |counted: &Counted| {
            counted.view == key && shown.now_ms.saturating_sub(counted.at_ms) < COUNTED_AGAIN_MS
        };
        if !self.counted.as_ref().is_some_and(is_young) {
            let rows = view.table().namespace_counts();
            self.counted = Some(Counted { view: key, at_ms: shown.now_ms, rows });
        }
    }
}

/// The chosen namespaces with this one, or without it. When the last one is removed, all are chosen.
fn with(chosen: &Namespaces, choice: Choice) -> Namespaces {
    let (Choice::Listed(name) | Choice::Typed(name)) = choice else { return Namespaces::All };
    let mut names = match chosen {
        Namespaces::All => Vec::new(),
        Namespaces::These(names) => names.clone(),
    };
    match names.iter().position(|held| *held == name) {
        Some(at) => drop(names.remove(at)),
        None => names.push(name),
    }
    Namespaces::these(names).unwrap_or(Namespaces::All)
}
