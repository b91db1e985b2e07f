//! How far the lines of one log were told, and what of another answer comes again. Pure.

use shared::frame::client::LogTime;

/// The latest time of the lines that were told, and what else is known of them. A log gives its lines in one order, so
/// counting them is enough to find where it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub at_ns: i128,
    /// How many of them have just that time.
    pub lines: u32,
    /// How many have an earlier time and came behind the first of that time.
    pub late: u32,
}

impl Told {
    /// Nothing was told, and lines before that time aren't wanted.
    pub fn nothing_before(at_ns: i128) -> Self {
        Self { at_ns, lines: 0, late: 0 }
    }

    pub fn of_client(at: LogTime, lines: u32) -> Self {
        Self { at_ns: at.nanoseconds(), lines, late: 0 }
    }

    /// Counts a line that was told. A line without a time changes nothing: it stands where the line before it does.
    pub fn note(told: &mut Option<Self>, at_ns: Option<i128>) {
        let Some(at_ns) = at_ns else { return };
        match told {
            Some(told) if told.at_ns == at_ns => told.lines += 1,
            Some(told) if told.at_ns > at_ns => told.late += u32::from(told.lines > 0),
            told => *told = Some(Self { at_ns, lines: 1, late: 0 }),
        }
    }

    /// The second from which an answer has all that follows. An API server tells a kubelet whole seconds alone.
    pub fn second(self) -> i64 {
        i64::try_from(self.at_ns.div_euclid(1_000_000_000)).unwrap_or_default()
    }
}

/// Passes the lines of an answer that weren't told yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skip {
    told: Option<Told>,
    /// How many lines of the latest time came again, and of those that were late.
    lines: u32,
    late: u32,
}

/// What to do with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// It was told already, or isn't wanted.
    Again,
    New,
    /// The same, and the lines behind which it should stand are gone.
    NewBehindAGap,
}

impl Skip {
    pub fn of(told: Option<Told>) -> Self {
        Self { told, lines: 0, late: 0 }
    }

    /// Whether lines are passed over still.
    pub fn is_over(&self) -> bool {
        self.told.is_none()
    }

    /// Whether what follows now is new, because all that was told has come again.
    pub fn is_at_end(&self) -> bool {
        self.told.is_none_or(|told| told.lines > 0 && self.lines >= told.lines)
    }

    pub fn pass(&mut self, at_ns: Option<i128>) -> Passed {
        let Some(told) = self.told else { return Passed::New };
        let Some(at_ns) = at_ns else { return Passed::Again };
        let is_whole = self.lines >= told.lines;
        if at_ns < told.at_ns {
            if is_whole && self.lines > 0 && self.late >= told.late {
                // Behind all that was told.
                self.told = None;
                return Passed::New;
            }
            self.late += u32::from(self.lines > 0);
            return Passed::Again;
        }
        if at_ns == told.at_ns && !is_whole {
            self.lines += 1;
            return Passed::Again;
        }
        self.told = None;
        if is_whole { Passed::New } else { Passed::NewBehindAGap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a second answer adds to a first one.
    fn added(first: &[i128], second: &[i128]) -> Vec<i128> {
        let mut told = None;
        first.iter().for_each(|at| Told::note(&mut told, Some(*at)));
        let mut skip = Skip::of(told);
        second.iter().copied().filter(|at| skip.pass(Some(*at)) != Passed::Again).collect()
    }

    #[test]
    fn a_second_answer_adds_the_rest_whatever_of_it_was_told_already() {
        let log = [1, 2, 2, 3, 5, 5, 4, 5, 6, 6, 7];
        for end in 0..=log.len() {
            for begin in 0..=end {
                // An answer goes on from a second, so it has all lines of the latest time.
                let told: Option<i128> = log[..end].iter().copied().max();
                let is_cut_within = told.is_some_and(|at| log[..begin].contains(&at));
                if is_cut_within {
                    continue;
                }
                assert_eq!(added(&log[..end], &log[begin..]), log[end..], "{begin} {end}");
            }
        }
    }

    #[test]
    fn a_line_that_comes_late_behind_what_was_told_is_told_too() {
        assert_eq!(added(&[1, 5, 5], &[1, 5, 5, 4, 6]), [4, 6]);
        assert_eq!(added(&[1, 5, 4, 5], &[5, 4, 5, 3]), [3]);
    }

    #[test]
    fn lines_that_should_be_there_and_are_not_are_a_gap() {
        let mut skip = Skip::of(Some(Told::of_client(LogTime { ms: 1, ns: 5 }, 2)));
        assert_eq!(skip.pass(Some(1_000_005)), Passed::Again);
        assert_eq!(skip.pass(Some(1_000_006)), Passed::NewBehindAGap);
        assert!(skip.is_over());
        let mut skip = Skip::of(Some(Told::nothing_before(10)));
        assert_eq!([9, 10, 9].map(|at| skip.pass(Some(at))), [Passed::Again, Passed::New, Passed::New]);
    }
}
