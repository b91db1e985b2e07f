//! Chance from a seed, the same on every machine. Each part of a run draws from a stream of its own, so that taking an
//! action out of a script leaves the others' dice as they were.

use fastrand::Rng;

#[derive(Clone, Debug)]
pub struct Chance(Rng);

impl Chance {
    pub fn new(seed: u64, stream: u64) -> Self {
        // The fork takes seeds that follow each other far apart.
        Self(Rng::with_seed(seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93)).fork())
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// From 0 to below `end`; 0 where that is empty.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end.max(1))
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.i64(low..=high.max(low))
    }

    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// From 0 to below 1.
    pub fn part(&mut self) -> f64 {
        self.0.f64()
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.index(choices.len())]
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        self.0.shuffle(list);
    }
}
