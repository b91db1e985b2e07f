//! The spans of the slider.

use shared::state::UnixMillis;

/// The time before now that the slider covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Span {
    Quarter,
    HalfHour,
    Hour,
    ThreeHours,
    #[default]
    SixHours,
    Day,
    Week,
}

const MINUTE_MS: i64 = 60_000;

impl Span {
    pub const ALL: [Self; 7] =
        [Self::Quarter, Self::HalfHour, Self::Hour, Self::ThreeHours, Self::SixHours, Self::Day, Self::Week];

    #[must_use]
    pub fn ms(self) -> i64 {
        MINUTE_MS
            * match self {
                Self::Quarter => 15,
                Self::HalfHour => 30,
                Self::Hour => 60,
                Self::ThreeHours => 180,
                Self::SixHours => 360,
                Self::Day => 1_440,
                Self::Week => 10_080,
            }
    }

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Quarter => "15 min",
            Self::HalfHour => "30 min",
            Self::Hour => "1 h",
            Self::ThreeHours => "3 h",
            Self::SixHours => "6 h",
            Self::Day => "24 h",
            Self::Week => "7 d",
        }
    }

    /// As an address says it.
    #[must_use]
    pub fn in_link(self) -> &'static str {
        match self {
            Self::Quarter => "15m",
            Self::HalfHour => "30m",
            Self::Hour => "1h",
            Self::ThreeHours => "3h",
            Self::SixHours => "6h",
            Self::Day => "24h",
            Self::Week => "7d",
        }
    }

    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|span| span.word() == word)
    }

    /// This span, or the shortest that reaches back for so long. `None`: none does.
    pub(super) fn reaching(self, back_ms: i64) -> Option<Self> {
        let reaches = |span: &Self| span.ms() >= self.ms() && back_ms <= span.ms();
        Self::ALL.into_iter().find(reaches)
    }
}

/// A part of the slider, by the gateway's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from_ms: UnixMillis,
    pub(crate) to_ms: UnixMillis,
}

/// At a place nearer to the end, the slider means now.
const NOW_PART: f64 = 0.995;

impl Window {
    /// Until now, and from so early that this time is in it.
    pub(super) fn of(span: Span, at_ms: Option<UnixMillis>, now_ms: UnixMillis) -> Self {
        let back_ms = now_ms.saturating_sub(at_ms.unwrap_or(now_ms)).max(0);
        // A time at the very beginning has nothing before it.
        let ms = span.reaching(back_ms).map_or(back_ms.saturating_add(Span::Day.ms() / 2), Span::ms);
        Self { from_ms: now_ms.saturating_sub(ms), to_ms: now_ms }
    }

    /// The span that it shows: a longer one than the chosen, if the page's time is further back.
    pub(super) fn span(self) -> Span {
        Span::Quarter.reaching(self.to_ms.saturating_sub(self.from_ms)).unwrap_or(Span::Week)
    }

    /// Where a time stands, from 0 to 1.
    pub(super) fn part_of(self, ms: UnixMillis) -> f64 {
        let whole = self.to_ms.saturating_sub(self.from_ms).max(1);
        (to_f64(ms.saturating_sub(self.from_ms)) / to_f64(whole)).clamp(0.0, 1.0)
    }

    /// The time at a place; `None`: now.
    pub(crate) fn at(self, part: f64) -> Option<UnixMillis> {
        let whole = to_f64(self.to_ms.saturating_sub(self.from_ms));
        (part < NOW_PART).then(|| self.from_ms.saturating_add(to_ms(whole * part.max(0.0))))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a span of years has 2^36 milliseconds")]
fn to_f64(ms: i64) -> f64 {
    ms as f64
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
fn to_ms(ms: f64) -> i64 {
    ms.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_000_000_000_000;

    #[test]
    fn the_slider_reaches_back_to_the_time_that_is_shown() {
        let window = |back_ms: i64| {
            let window = Window::of(Span::Hour, Some(NOW_MS - back_ms), NOW_MS);
            (NOW_MS - window.from_ms) / MINUTE_MS
        };
        assert_eq!([window(0), window(3_600_000), window(3_600_001)], [60, 60, 180]);
        assert_eq!(window(30 * 86_400_000), 30 * 1_440 + 720);
    }

    #[test]
    fn the_span_that_is_named_is_the_one_that_is_shown() {
        let span = |back_ms: i64| Window::of(Span::Quarter, Some(NOW_MS - back_ms), NOW_MS).span();
        assert_eq!([span(0), span(7_200_000)], [Span::Quarter, Span::ThreeHours]);
        assert_eq!(span(30 * 86_400_000), Span::Week);
    }

    #[test]
    fn a_place_of_the_slider_is_a_time_and_its_end_is_now() {
        let window = Window::of(Span::Hour, None, NOW_MS);
        assert_eq!(window.at(0.5), Some(NOW_MS - 1_800_000));
        assert_eq!([window.at(-1.0), window.at(0.999)], [Some(NOW_MS - 3_600_000), None]);
        assert!((window.part_of(NOW_MS - 900_000) - 0.75).abs() < 1e-9);
    }
}
