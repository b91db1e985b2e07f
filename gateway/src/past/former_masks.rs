//! What was recorded before it was masked. A reader doesn't see it, because the masks of now are applied when a version is
//! read; it is in the record's files or tables all the same.

use history::{Head, Keepers, KindKey};
use shared::column::Column;

use crate::feed::{Redaction, masked_again};
use crate::limits::MASKS_LOOKED_AT_MAX;

/// Says in the log that the record has something of which the masks of now hide more, and what to do.
pub(super) fn say_what_is_masked_since(keepers: &Keepers, redaction: &Redaction) {
    let is_masked_since = |key: &KindKey, columns: &[Column], head: Head, body: Vec<u8>| {
        would_mask(redaction, key, columns, (head, body))
    };
    if let Some(kind) = keepers.find_last(MASKS_LOOKED_AT_MAX, is_masked_since) {
        tracing::warn!(
            kind = %kind.resource,
            "the record still has what the masks of now hide, and readers don't see it; to remove it from the record, stop \
             every gateway of it and run `dogwatch history purge --masked` with these settings"
        );
    }
}

/// Whether the rules of now hide something that was recorded under others.
fn would_mask(
    redaction: &Redaction,
    key: &KindKey,
    columns: &[Column],
    (mut head, body): (Head, Vec<u8>),
) -> bool {
    if head.rules == redaction.digest() {
        return false;
    }
    let cells = head.cells.clone();
    let again = masked_again(redaction, &key.resource, (columns, &mut head.cells), &body);
    head.cells != cells || again.is_some_and(|(again, _)| *again != *body)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::cell::Cell;
    use shared::resource::Resource;

    use super::*;
    use crate::feed::RedactionSettings;

    #[test]
    fn only_what_the_masks_of_now_hide_and_those_of_then_did_not_is_told() {
        let rules = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            Redaction::of(&RedactionSettings { credential_names: names, ..Default::default() })
        };
        let resource = Resource::parse("example.org", "v1", "doors").expect("a resource");
        let key = KindKey { cluster: "c".into(), resource };
        let columns = json!([{ "name": "Badge", "type": "string", "priority": 0 }]);
        let columns: Vec<Column> = serde_json::from_value(columns).expect("columns");
        let would = |now: &[&str], cell: &str, spec: serde_json::Value| {
            let head = json!({ "v": "1", "n": "front", "c": [] });
            let mut head: Head = serde_json::from_value(head).expect("a head");
            (head.rules, head.cells) = (rules(&[]).digest(), vec![Cell::text(cell)]);
            let body = json!({ "spec": spec }).to_string().into_bytes();
            would_mask(&rules(now), &key, &columns, (head, body))
        };
        assert!(would(&["badge"], "x", json!({ "badge": "b4dge" })));
        assert!(would(&["badge"], "b4dge", json!({ "open": 1 })), "the column announces it");
        assert!(!would(&[], "b4dge", json!({ "badge": "b4dge" })), "the rules are the same");
        assert!(
            !would(&["pin"], "b4dge", json!({ "badge": "b4dge" })),
            "other rules hide nothing more of it"
        );
    }
}
