//! A text with placeholders, which is filled many times with different words.
//! It never interprets the text.

/// A text, split where the words stand that change.
#[derive(Debug)]
pub(super) struct TextTemplate(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Text(String),
    /// Stands for the word of this number.
    Placeholder(usize),
}

impl TextTemplate {
    /// Replaces the words of a text by placeholders. If two words overlap, the earlier one is replaced.
    pub(super) fn of(text: &str, words: &[&str]) -> Self {
        let mut pieces = vec![Piece::Text(text.to_owned())];
        for (number, word) in words.iter().enumerate().filter(|(_, word)| !word.is_empty()) {
            let mut next = Vec::with_capacity(pieces.len());
            for piece in pieces {
                let Piece::Text(text) = piece else {
                    next.push(piece);
                    continue;
                };
                for (at, part) in text.split(word).enumerate() {
                    if at > 0 {
                        next.push(Piece::Placeholder(number));
                    }
                    next.push(Piece::Text(part.to_owned()));
                }
            }
            pieces = next;
        }
        Self(pieces)
    }

    /// The text with other words.
    pub(super) fn fill(&self, words: &[&str]) -> String {
        let parts = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Placeholder(number) => words.get(*number).copied().unwrap_or_default(),
        });
        parts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_by_others() {
        let template =
            TextTemplate::of("load-0000-abc on load-0000, load-0", &["load-0000-abc", "load-0000"]);
        assert_eq!(template.fill(&["x", "y"]), "x on y, load-0");
    }
}
