//! How wide a text is in the style of the table, from the letters that the browser measured. Never an element.

use std::sync::Arc;

/// The letters of the table's texts: those that Kubernetes made, words, and words in bold.
#[derive(Clone, Debug, PartialEq)]
pub struct FontSize {
    pub mono_px: f64,
    pub text: Letters,
    pub strong: Letters,
}

/// The width of each letter from `' '` to `'~'`.
#[derive(Clone, Debug, PartialEq)]
pub struct Letters(Arc<[f64]>);

/// The measured letters, in their order.
pub const LETTERS: std::ops::RangeInclusive<char> = ' '..='~';

impl Letters {
    /// `None`: the browser drew none, because the table isn't visible.
    pub fn measured(widths: &[f64]) -> Option<Self> {
        (widths.len() == LETTERS.count() && widths.iter().sum::<f64>() > 0.0).then(|| Self(widths.into()))
    }

    /// Before the browser has measured: all letters alike.
    pub fn even(px: f64) -> Self {
        Self(LETTERS.map(|_| px).collect())
    }

    pub fn width_px(&self, text: &str) -> f64 {
        text.chars().map(|letter| self.letter_px(letter)).sum()
    }

    fn letter_px(&self, letter: char) -> f64 {
        // Any other letter counts as the widest usual one.
        let letter = if LETTERS.contains(&letter) { letter } else { 'W' };
        let at = usize::try_from(u32::from(letter) - u32::from(' ')).unwrap_or_default();
        self.0.get(at).copied().unwrap_or_default()
    }
}

impl Default for FontSize {
    fn default() -> Self {
        Self { mono_px: 7.3, text: Letters::even(6.9), strong: Letters::even(7.7) }
    }
}

impl FontSize {
    pub fn mono_width_px(&self, text: &str) -> f64 {
        // Letters of China, Japan and Korea take two places.
        let places: u32 = text.chars().map(|letter| if letter < '\u{1100}' { 1 } else { 2 }).sum();
        f64::from(places) * self.mono_px
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_wide_as_its_letters() {
        let widths: Vec<f64> = LETTERS
            .map(|letter| {
                if letter == 'i' {
                    3.0
                } else if letter == 'W' {
                    12.0
                } else {
                    7.0
                }
            })
            .collect();
        let letters = Letters::measured(&widths).expect("all letters");
        assert_eq!(
            [letters.width_px("init"), letters.width_px("Wi"), letters.width_px("…")],
            [20.0, 15.0, 12.0]
        );
        assert_eq!(Letters::measured(&[7.0]), None);
        assert_eq!(FontSize { mono_px: 7.0, ..FontSize::default() }.mono_width_px("a-日"), 28.0);
    }
}
