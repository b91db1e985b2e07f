//! The texts of a log, read from `stories.yaml`: what the programs of the fleet write. Pure data and how it is filled in.

use std::sync::LazyLock;

use serde::Deserialize;

static STORIES: LazyLock<Vec<Story>> = LazyLock::new(|| {
    // A test reads all of it.
    serde_saphyr::from_str(include_str!("stories.yaml")).unwrap_or_default()
});

/// What one program writes; the file's head says what each field is.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Story {
    image: String,
    pub(super) period_ms: i64,
    pub(super) opening: Vec<String>,
    pub(super) often: Vec<String>,
    pub(super) seldom: Vec<String>,
    pub(super) failed: Vec<String>,
    pub(super) done: Vec<String>,
}

/// The story of an image. None: the file couldn't be read.
pub(super) fn of_image(image: &str) -> Option<&'static Story> {
    STORIES.iter().find(|story| image.starts_with(&story.image))
}

/// Replaces each `{word}` that has a value; other braces stay.
pub(super) fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let word = after.split_once('}').and_then(|(word, rest)| Some((value(word)?, rest)));
        match word {
            Some((value, after)) => {
                filled.push_str(&value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_filled_in_and_other_braces_stay() {
        let filled = fill("{\"n\":{n},\"x\":{x}} {n", |word| (word == "n").then(|| "7".to_owned()));
        assert_eq!(filled, "{\"n\":7,\"x\":{x}} {n");
    }

    #[test]
    fn every_image_has_a_story_and_no_story_lacks_a_line() {
        assert!(STORIES.len() > 5, "the file is read");
        for story in STORIES.iter() {
            for lines in [&story.opening, &story.often, &story.seldom, &story.failed, &story.done] {
                assert!(!lines.is_empty() && lines.iter().all(|line| !line.is_empty()), "{story:?}");
            }
            assert!(story.period_ms > 0);
        }
        assert!(of_image("").is_some_and(|story| story.image.is_empty()));
        let crashing = of_image("registry.example.com/payments/settlement-import:v1.2.0").expect("a story");
        assert!(crashing.failed.concat().contains("no column \"currency\""));
    }
}
