//! Pseudo-random numbers, the same for the same seed on every machine.
//! Never for secrets.

use fastrand::Rng;

/// Its seed is mixed, because seeds that follow each other give numbers that are alike.
pub fn seeded(seed: u64) -> Rng {
    Rng::with_seed(mix(seed))
}

/// A hash: one round of SplitMix64's finaliser.
pub fn mix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A UUID of version 4 made of two numbers.
pub fn uuid(high: u64, low: u64) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

/// The ending of a generated name, in Kubernetes' alphabet without vowels.
pub fn suffix(chance: &mut Rng, length: usize) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    (0..length).filter_map(|_| chance.choice(ALPHABET).map(|byte| char::from(*byte))).collect()
}
