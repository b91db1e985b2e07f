//! The words of the page and of the source. What the page says stands in `page/src/messages/`, where it is read as a
//! whole: this looks at the places of the views whose text a reader sees or hears. Comments and documents are plain:
//! their sentences name their subject. No other string is judged.

mod comments;

use crate::tree::{all_files, product_lines, root, shown, sources};

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

/// A word that may not begin a sentence, or may not stand in it at all, and why.
struct Rule {
    words: &'static [&'static str],
    is_beginning: bool,
    why: &'static str,
}

/// A comment and a sentence of a document name their subject, so that they are understood at the first reading.
const RULES: [Rule; 3] = [
    Rule {
        words: &["Who", "Whom", "Whose", "Whoever", "Whomever", "Whosever"],
        is_beginning: true,
        why: "name the person, the program or the type before what is said of it",
    },
    Rule {
        words: &["Of"],
        is_beginning: true,
        why: "say what it is first, and what it belongs to behind that",
    },
    Rule {
        words: &["nobody", "somebody", "anybody", "everybody", "someone", "anyone", "everyone"],
        is_beginning: false,
        why: "name the type or the role: a viewer, a client, a task, an operator",
    },
];
/// What stands for a whole phrase.
const PHRASES: [&str; 1] = ["Of course"];
/// The documents for contributors. In those for users these words mean people, which is plain English, so that only
/// the beginnings of their sentences are looked at.
const FOR_CONTRIBUTORS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Written by the gateway from texts for users: `dogwatch rbac` prints the same.
const WRITTEN: [&str; 1] = ["deploy/chart/files/rbac.yaml"];

#[test]
fn a_sentence_of_a_comment_or_a_document_names_its_subject() {
    let mut broken = Vec::new();
    for file in all_files() {
        let name = shown(&file);
        if !WRITTEN.iter().any(|place| name.starts_with(place)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            broken.extend(
                faults(&name, &text).into_iter().map(|(line, fault)| format!("{name}:{line}: {fault}")),
            );
        }
    }
    assert!(broken.is_empty(), "{} sentences hide their subject:\n{}", broken.len(), broken.join("\n"));
}

/// The lines with a word that breaks a rule, and what to do instead.
fn faults(name: &str, text: &str) -> Vec<(usize, String)> {
    let is_for_users = name.ends_with(".md") && !FOR_CONTRIBUTORS.contains(&name);
    let mut found = Vec::new();
    for paragraph in comments::paragraphs(name, text) {
        for (at, word, is_beginning) in words_of(&paragraph.without_code()) {
            let breaks = |rule: &&Rule| match rule.is_beginning {
                true => is_beginning && rule.words.contains(&word),
                false => !is_for_users && rule.words.contains(&word.to_lowercase().as_str()),
            };
            let is_phrase = PHRASES.iter().any(|phrase| paragraph.text[at..].starts_with(phrase));
            found.extend(RULES.iter().find(breaks).filter(|_| !is_phrase).map(|rule| {
                let shown: String = paragraph.text[at..].chars().take(60).collect();
                (paragraph.line_of(at), format!("“{shown}…”: {}", rule.why))
            }));
        }
    }
    found
}

/// The words of a paragraph with their places, and whether a sentence begins with them.
fn words_of(text: &str) -> Vec<(usize, &str, bool)> {
    let is_end = |c: char| ".?!:;".contains(c);
    let mut found = Vec::new();
    let (mut at, mut is_beginning) = (0, true);
    for part in text.split_inclusive(' ') {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if !word.is_empty() {
            found.push((at + part.find(word).unwrap_or(0), word, is_beginning));
        }
        // What closes a quotation or an emphasis may stand behind the end of a sentence.
        let closed = part.trim_end().trim_end_matches(['"', ')', '*', '_', '”']);
        is_beginning = closed.ends_with(is_end) || (is_beginning && word.is_empty());
        at += part.len();
    }
    found
}

#[test]
fn a_hidden_subject_is_found_with_its_line() {
    for (name, text, found) in [
        ("a.rs", "/// Whose rights they are.\n", vec![1]),
        ("a.rs", "/// The rows. Of a table\n/// only these.\n", vec![1]),
        ("a.rs", "/// The rows,\n/// held for nobody's sake.\n", vec![2]),
        ("a.rs", "/// Of course. A viewer, who looks, of a page.\n", vec![]),
        ("a.rs", "let nobody = \"Of a text\"; // The rest.\n", vec![]),
        ("a.md", "**Who comes?** Nobody.\n", vec![1]),
        ("CONTRIBUTING.md", "# Who comes\n\nNobody.\n", vec![3]),
        ("a.css", "a { b: c; } /* Of a table. */\n", vec![1]),
    ] {
        let lines: Vec<usize> = faults(name, text).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, found, "{text}");
    }
}
