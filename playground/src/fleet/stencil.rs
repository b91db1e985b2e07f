//! A text with holes, which is filled many times with other words.
//! It never reads the text.

/// A text, cut where the words stand that change.
#[derive(Debug)]
pub(super) struct Stencil(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Text(String),
    /// The word of this number.
    Hole(usize),
}

impl Stencil {
    /// Cuts the words out of a text. An earlier word wins where two overlap.
    pub(super) fn cut(text: &str, words: &[&str]) -> Self {
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
                        next.push(Piece::Hole(number));
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
            Piece::Hole(number) => words.get(*number).copied().unwrap_or_default(),
        });
        parts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_out_and_others_put_in() {
        let stencil = Stencil::cut("load-0000-abc on load-0000, load-0", &["load-0000-abc", "load-0000"]);
        assert_eq!(stencil.fill(&["x", "y"]), "x on y, load-0");
    }
}
