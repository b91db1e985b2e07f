//! An object that was redacted by other rules, redacted by those of now.

use bytes::Bytes;
use shared::cell::Cell;
use shared::column::Column;
use shared::resource::Resource;

use super::redact::{Redacted, holds_credential};
use super::role::AskedKind;
use crate::feed::Redaction;
use crate::feed::masks::{MASK, Masks};

/// The body and the cells by the rules of now, of an object that was read long ago. What was masked then stays masked.
/// A cell is hidden if the rules hide its value in the body, or anything in its own text, or if its column announces a
/// credential; the names of objects stay. `None`: it isn't an object.
#[must_use]
pub fn masked_again(
    redaction: &Redaction,
    resource: &Resource,
    (columns, cells): (&[Column], &mut [Cell]),
    body: &[u8],
) -> Option<(Bytes, Masks)> {
    let rules = redaction.rules();
    let redacted = Redacted::of(str::from_utf8(body).ok()?, rules, AskedKind::of(resource))?;
    for (column, cell) in columns.iter().zip(cells) {
        let json = match cell {
            Cell::Text(text) => serde_json::to_string(text).unwrap_or_default(),
            Cell::Int(number) => number.to_string(),
            Cell::Float(number) => number.to_string(),
            _ => continue,
        };
        let announces = rules.names.announce(column.name.to_ascii_lowercase().as_bytes());
        let holds = matches!(cell, Cell::Text(text) if holds_credential(text, rules, 0));
        let is_number = !matches!(cell, Cell::Text(_));
        let is_hidden = redacted.hides(&json, rules) || holds || (announces && !is_number);
        if is_hidden && !redacted.is_open && &*column.format != "name" {
            *cell = Cell::text(MASK);
        }
    }
    let (body, masks) = redacted.finish();
    Some((Bytes::from(body), masks))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::feed::RedactionSettings;

    #[test]
    fn what_a_new_name_hides_is_hidden_in_body_and_cells() {
        let settings = RedactionSettings { credential_names: vec!["badge".into()], ..Default::default() };
        let redaction = Redaction::of(&settings);
        let resource = Resource::parse("example.org", "v1", "doors").expect("a resource");
        let column = |name: &str, format: &str| {
            let column = json!({ "name": name, "type": "string", "format": format });
            serde_json::from_value::<Column>(column).expect("a column")
        };
        let columns = [column("Name", "name"), column("Shown", ""), column("Badge", "")];
        let mut cells = [Cell::text("front"), Cell::text("s3cr3t-7"), Cell::text("x")];
        let body = json!({ "metadata": { "name": "front" }, "spec": { "badge": "s3cr3t-7", "open": "yes" } });
        let again = masked_again(&redaction, &resource, (&columns, &mut cells), body.to_string().as_bytes());
        let (body, _) = again.expect("an object");
        assert!(!String::from_utf8_lossy(&body).contains("s3cr3t"), "{body:?}");
        assert_eq!(cells, [Cell::text("front"), Cell::text(MASK), Cell::text(MASK)]);
    }
}
