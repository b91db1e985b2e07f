//! How long a feed waits between two tries, with viewers and without.

use super::script::{MachineRig, Script};

/// How long the machine waits after its request broke off.
fn pause_ms(rig: &mut MachineRig, viewers_meanwhile: &str) -> i64 {
    rig.step("broken");
    rig.step(viewers_meanwhile);
    let from_ms = rig.now_ms;
    rig.step("+ pause");
    rig.now_ms - from_ms
}

#[test]
fn without_viewers_pauses_grow_to_thirty_seconds_and_with_them_to_ten() {
    let mut rig = MachineRig::new(Script::default());
    for (viewers, expected_ms) in [
        ("viewers true", 8_000..=10_000),
        ("viewers false", 24_000..=30_000),
        ("viewers true", 8_000..=10_000),
    ] {
        rig.step(viewers);
        let longest_ms = (0..100).map(|_| pause_ms(&mut rig, viewers)).max().expect("some pauses");
        assert!(expected_ms.contains(&longest_ms), "{viewers}: {longest_ms} ms");
    }
}

#[test]
fn a_viewer_that_comes_during_a_pause_waits_no_longer_than_others() {
    let mut rig = MachineRig::new(Script::default());
    for _ in 0..100 {
        rig.step("viewers false");
        let paused_ms = pause_ms(&mut rig, "viewers true");
        assert!(paused_ms <= 10_000, "{paused_ms} ms");
    }
}
