//! Shortens the script of a run that broke a guarantee, to as few actions as still break it.

use std::fmt::Write;

use crate::guarantee::Violation;
use crate::run_script;
use crate::script::Script;

/// Tries, of some milliseconds each.
const TRIES_MAX: usize = 600;

/// What to print for a seed that fails: the guarantee, how to run it again, and the shortest script that was
/// found.
#[must_use]
pub fn explain(seed: u64, violation: &Violation, records: bool) -> String {
    let script = if records { Script::recorded(seed) } else { Script::of(seed) };
    let (mut script, violation) = shrink(seed, script, violation.clone());
    let steps = std::mem::take(&mut script.steps);
    let again = if records { format!("{seed} --past") } else { seed.to_string() };
    let mut text =
        format!("seed {seed}: {violation}\nagain: cargo xtask simulate --seed {again}\n{script:?}\n");
    for step in steps {
        let _ = writeln!(text, "{step}");
    }
    text
}

pub(crate) fn shrink(seed: u64, mut script: Script, mut violation: Violation) -> (Script, Violation) {
    let mut length = script.steps.len().div_ceil(2);
    let mut tries = 0;
    while length > 0 && tries < TRIES_MAX {
        let mut from = 0;
        let mut has_shrunk = false;
        while from < script.steps.len() && tries < TRIES_MAX {
            let mut shorter = script.clone();
            shorter.steps.drain(from..(from + length).min(script.steps.len()));
            tries += 1;
            match run_script(seed, shorter.clone(), None, false) {
                Err(found) if found.guarantee == violation.guarantee => {
                    (script, violation) = (shorter, found);
                    has_shrunk = true;
                }
                _ => from += length,
            }
        }
        if !has_shrunk || length > 1 {
            length /= 2;
        }
    }
    (script, violation)
}
