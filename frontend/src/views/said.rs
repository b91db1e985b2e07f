//! A sentence with a command in it: what stands between backticks is shown as code.

use crate::dom::html::code;
use crate::prelude::*;

pub(super) fn said(text: &str) -> Vec<AnyView> {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick that isn't closed is a text like any other.
    if parts.len().is_multiple_of(2) {
        return vec![text.to_owned().into_any()];
    }
    let part = |(at, part): (usize, &&str)| {
        let part = (*part).to_owned();
        if at.is_multiple_of(2) { part.into_any() } else { code().child(part).into_any() }
    };
    parts.iter().enumerate().map(part).collect()
}
