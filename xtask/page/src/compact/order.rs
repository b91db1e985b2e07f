//! An order in which each function stands behind those that it is most like, so that they compress to little more than one
//! of them. Functions are alike by the pairs of instructions that they share.

use std::collections::HashMap;
use std::hash::Hash;

/// So many functions before a place say what is like them: a compressor writes what it has just seen in fewer bits.
const NEAR: usize = 8;
/// A pair of instructions that more functions have says nothing of them.
const COMMON: usize = 1_000;

/// The places of the functions in their new order. A function is its instructions.
pub(super) fn order<I: Copy + Eq + Hash>(functions: &[Vec<I>]) -> Vec<usize> {
    let pairs = Pairs::of(functions);
    let mut order = Vec::with_capacity(functions.len());
    let mut likeness = Likeness::new(functions.len());
    let mut rest = 0..functions.len();
    loop {
        let near = order.iter().rev().take(NEAR);
        let next =
            likeness.greatest(&pairs, near.copied()).or_else(|| rest.find(|n| !likeness.is_placed(*n)));
        let Some(next) = next else { return order };
        likeness.place(next);
        order.push(next);
    }
}

/// The pairs of instructions that are in several functions, but in not too many.
struct Pairs {
    by_function: Vec<Vec<usize>>,
    functions: Vec<Vec<usize>>,
}

impl Pairs {
    fn of<I: Copy + Eq + Hash>(functions: &[Vec<I>]) -> Self {
        let mut ids = HashMap::new();
        let mut pairs = Self { by_function: Vec::new(), functions: Vec::new() };
        for (n, instructions) in functions.iter().enumerate() {
            let mut own: Vec<usize> = Vec::new();
            for (first, second) in instructions.iter().zip(instructions.iter().skip(1)) {
                let next = ids.len();
                own.push(*ids.entry((*first, *second)).or_insert(next));
            }
            own.sort_unstable();
            own.dedup();
            pairs.functions.resize(ids.len(), Vec::new());
            for id in &own {
                pairs.functions.get_mut(*id).into_iter().for_each(|functions| functions.push(n));
            }
            pairs.by_function.push(own);
        }
        for functions in &mut pairs.functions {
            if !(2..=COMMON).contains(&functions.len()) {
                functions.clear();
            }
        }
        pairs
    }

    /// The functions that share a pair with this one, each once for a pair.
    fn sharing(&self, function: usize) -> impl Iterator<Item = usize> + '_ {
        let own = self.by_function.get(function).into_iter().flatten();
        own.filter_map(|id| self.functions.get(*id)).flatten().copied()
    }

    /// What a longer function shares says less of it, because it shares something with more of the others.
    fn weight(&self, function: usize) -> f32 {
        let count = self.by_function.get(function).map_or(0, Vec::len);
        (count.max(1) as f32).powf(0.7)
    }
}

/// How like the functions that have no place yet are to those that were placed last.
struct Likeness {
    of: Vec<Option<f32>>,
}

impl Likeness {
    fn new(count: usize) -> Self {
        Self { of: vec![Some(0.0); count] }
    }

    fn is_placed(&self, function: usize) -> bool {
        !matches!(self.of.get(function), Some(Some(_)))
    }

    fn place(&mut self, function: usize) {
        if let Some(one) = self.of.get_mut(function) {
            *one = None;
        }
    }

    /// The function that is most like these, of which the nearest comes first. `None`: none shares anything with them.
    fn greatest(&mut self, pairs: &Pairs, near: impl Iterator<Item = usize>) -> Option<usize> {
        let mut met = Vec::new();
        for (distance, function) in near.enumerate() {
            for other in pairs.sharing(function) {
                if let Some(Some(shared)) = self.of.get_mut(other) {
                    if *shared == 0.0 {
                        met.push(other);
                    }
                    *shared += 1.0 / (1 + distance) as f32;
                }
            }
        }
        let mut greatest: Option<(f32, usize)> = None;
        for function in met {
            let Some(Some(shared)) = self.of.get_mut(function) else { continue };
            let likeness = std::mem::take(shared) / pairs.weight(function);
            let is_greater =
                greatest.is_none_or(|(most, at)| likeness > most || likeness == most && function < at);
            if is_greater {
                greatest = Some((likeness, function));
            }
        }
        greatest.map(|(_, function)| function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_functions_are_beside_each_other_and_each_has_one_place() {
        let texts = ["abcdef", "uvwxyz", "abcdeg", "12", "uvwxya", "abcdff", "u", ""];
        let functions: Vec<Vec<char>> = texts.iter().map(|text| text.chars().collect()).collect();
        let named: Vec<&str> = order(&functions).into_iter().map(|n| texts[n]).collect();
        assert_eq!(named, ["abcdef", "abcdeg", "abcdff", "uvwxyz", "uvwxya", "12", "u", ""]);
        assert!(order::<char>(&[]).is_empty());
    }
}
