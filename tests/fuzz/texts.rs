//! Random texts for each parser: selectors, paths of columns, links, filters. No parser panics. What one reads is
//! written so that it reads the same again; an error names a place within the text.

use gateway::since::PastTime;
use page::address;
use page::query::Filter;
use serde_json::Value;
use shared::custom_column::{CustomColumn, CustomColumns};
use shared::json_path::{Effort, JsonPath};
use shared::name::{Namespace, ObjectName};
use shared::resource::Resource;
use shared::selector::{FieldSelector, LabelSelector};

use crate::{corpus, mutate};
use simulation::chance::Chance;

const TEXTS: usize = 20;

pub fn run(chance: &mut Chance) {
    for check in [label_selector, field_selector, path, columns, link, filter, time] {
        for _ in 0..TEXTS {
            check(chance);
        }
    }
}

fn said(chance: &mut Chance, chapter: &str) -> String {
    let corpus = corpus::of_texts(chapter);
    mutate::mutated_text(chance, &corpus)
}

/// What is taken stays one segment of a URL, however it is written.
pub fn names(chance: &mut Chance) {
    let text = said(chance, "names");
    if let Ok(name) = ObjectName::parse(&text) {
        let is_whole = !["", ".", ".."].contains(&name.as_str()) && name.as_str().len() <= 253;
        assert!(is_whole && !name.as_str().contains(['/', '%']), "{text:?}");
        assert!(!name.as_str().chars().any(char::is_control), "{text:?}");
    }
    let is_plain = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
    if let Ok(namespace) = Namespace::parse(&text) {
        assert!(is_plain(namespace.as_str()) && !namespace.as_str().contains('.'), "{text:?}");
    }
    let other = said(chance, "names");
    if let Ok(resource) = Resource::parse(&other, "v1", &text) {
        let group = resource.group.as_str();
        assert!(
            is_plain(group) && !group.starts_with('.') && is_plain(resource.resource.as_str()),
            "{text:?}"
        );
    }
}

fn label_selector(chance: &mut Chance) {
    let text = said(chance, "labels");
    if let Ok(selector) = LabelSelector::parse(&text) {
        let written = selector.to_string();
        assert_eq!(LabelSelector::parse(&written), Ok(selector), "{text:?} is written {written:?}");
    }
}

fn field_selector(chance: &mut Chance) {
    let text = said(chance, "fields");
    let Ok(selector) = FieldSelector::parse(&text) else { return };
    assert_eq!(selector.as_str(), text);
    for is_namespaced in [true, false] {
        let Some(left) = selector.beyond_names(is_namespaced) else { continue };
        let again = FieldSelector::parse(left.as_str());
        assert_eq!(again.as_ref(), Ok(&left), "what is left of {text:?}");
        assert_eq!(left.beyond_names(is_namespaced), Some(left.clone()), "what is left of {text:?}");
    }
}

fn path(chance: &mut Chance) {
    let text = said(chance, "paths");
    for read in [JsonPath::parse(&text), JsonPath::parse_relaxed(&text)] {
        match read {
            Ok(path) => {
                let object = chance.pick(&corpus::of_api_servers());
                let object: Value = serde_json::from_str(object).expect("JSON");
                let mut effort = Effort(EFFORT);
                let selected = path.select(&object, &mut effort);
                assert!(selected.values.len() <= EFFORT, "{text:?} selects {}", selected.values.len());
            }
            Err(why) => assert!(text.is_char_boundary(why.at), "{text:?}: {why:?}"),
        }
    }
}

/// Objects in which the paths are evaluated.
const EFFORT: usize = 2_000;

fn columns(chance: &mut Chance) {
    let text = said(chance, "paths");
    drop(CustomColumns::parse(&text));
    if let Ok(column) = CustomColumn::parse("A", &text) {
        let again = CustomColumn::parse("A", column.path());
        assert_eq!(again, Ok(column), "{text:?}");
    }
}

fn link(chance: &mut Chance) {
    let text = said(chance, "links");
    let (address, _) = address::parse(&text);
    let href = address.href();
    let is_plain = href.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(is_plain && href.starts_with('/') && !href.starts_with("//"), "{text:?} is written {href:?}");
    let (again, problems) = address::parse(&href);
    assert_eq!((again.href(), problems), (href, Vec::new()), "{text:?}");
}

fn time(chance: &mut Chance) {
    const NOW_MS: i64 = 1_795_960_930_000;
    let text = said(chance, "times");
    let Ok(time) = PastTime::parse(&text) else { return };
    let ms = time.ms(NOW_MS);
    assert!(ms.as_ref().is_ok_and(|ms| (0..=NOW_MS).contains(ms)) || time.ms(i64::MAX).is_ok(), "{text:?}");
    if let PastTime::At(at_ms @ 1_000_000_000_000..) = time {
        assert_eq!(PastTime::parse(&at_ms.to_string()), Ok(time), "{text:?}");
    }
}

fn filter(chance: &mut Chance) {
    let text = said(chance, "filters");
    let filter = Filter::parse(&text);
    let marked: String = filter.marks().into_iter().map(|mark| mark.text).collect();
    // Only blanks follow the last term, and they have no mark.
    assert_eq!((marked.trim_end(), filter.text()), (text.trim_end(), text.as_str()));
    let unread = filter.unread().map(|(part, _)| part);
    assert!(unread.is_none_or(|part| text.contains(part)), "{unread:?} of {text:?}");
}
