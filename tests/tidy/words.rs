//! What the page says stands in `page/src/messages/`, where it is read as a whole. It looks at the places of the views
//! whose text a reader sees or hears, and judges no other string.

use crate::tree::{product_lines, root, shown, sources};

/// What stands before a text in the builder syntax.
const BEFORE_TEXT: [&str; 4] = [".child(", "\"aria-label\", ", "\"title\", ", "\"placeholder\", "];
/// The name of the program.
const NAMES: [&str; 1] = ["Dogwatch"];

#[test]
fn every_text_of_the_page_stands_in_its_messages() {
    let mut found = Vec::new();
    for file in sources(&root().join("frontend/src/views")) {
        for (number, line) in product_lines(&file) {
            found.extend(text_of(&line).map(|text| format!("{}:{number}: {text}", shown(&file))));
        }
    }
    assert!(found.is_empty(), "these belong into page/src/messages:\n{}", found.join("\n"));
}

/// The first text in a line that has words.
fn text_of(line: &str) -> Option<&str> {
    BEFORE_TEXT.iter().flat_map(|before| line.split(before).skip(1)).find_map(|rest| {
        let rest = rest.strip_prefix("move || ").unwrap_or(rest);
        let rest = rest.strip_prefix("format!(").unwrap_or(rest);
        let text = rest.strip_prefix('"')?.split('"').next()?;
        (has_words(text) && !NAMES.contains(&text)).then_some(text)
    })
}

/// Letters outside of `{placeholders}`.
fn has_words(text: &str) -> bool {
    let outside = text.split('{').map(|part| part.rsplit('}').next().unwrap_or_default());
    outside.flat_map(str::chars).filter(|character| character.is_alphabetic()).count() > 1
}

#[test]
fn a_text_is_told_from_a_name() {
    for (line, text) in [
        (r#"span().child("cluster"),"#, Some("cluster")),
        (r#".attr("aria-label", format!("Close {}", name))"#, Some("Close {}")),
        (r#".attr("title", move || format!("Now {now}"))"#, Some("Now {now}")),
        (r#".attr("aria-label", format!("{word}: {label}"))"#, None),
        (r#"kbd().child("/"), div().class("td name")"#, None),
        (r#".attr("title", messages::CLOSE)"#, None),
        (r#"span().class("brand-name").child("Dogwatch")"#, None),
    ] {
        assert_eq!(text_of(line), text, "{line}");
    }
}
