//! What stands in place of the rows of a view: a comparison of two times, what had a word, recorded changes, or what is
//! wrong.

use crate::prelude::*;

use super::compare::{changes, comparison, found};
use super::wrong::wrong;
use crate::dispatch::Dispatch;
use crate::field::Field;
use page::model::EmptyState;
use page::past::{InPlaceOfRows, ReplacedRows};

/// What the signal holds, or nothing of it.
fn replaced(state: Field<Option<EmptyState>>) -> Memo<ReplacedRows> {
    Memo::new(move |_| {
        state.with(|state| state.as_ref().map(|state| state.replaced.clone()).unwrap_or_default())
    })
}

pub(crate) fn in_place_of_rows(state: Field<Option<EmptyState>>, act: Dispatch) -> AnyView {
    let shown = replaced(state);
    let which = Memo::new(move |_| {
        shown.with(|shown| match shown.0.as_deref() {
            Some(InPlaceOfRows::Found(_)) => 1,
            Some(InPlaceOfRows::Changes(_)) => 2,
            Some(InPlaceOfRows::Wrong(_)) => 3,
            _ => 0,
        })
    });
    let body = move || match which.get() {
        1 => found::found(shown, act),
        2 => changes::changes(shown, act),
        3 => wrong(shown, act),
        _ => comparison(shown, act),
    };
    body.into_any()
}
