//! What holds for every source file.

use crate::tree::{all_sources, read, shown};

/// One idea that is read from top to bottom beats two halves.
const LINES_MAX: usize = 700;

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    let opens = |text: &str| text.strip_prefix("//! ")?.lines().next().map(|line| line.trim().len() >= 10);
    let missing: Vec<String> = all_sources()
        .into_iter()
        .filter(|file| opens(&read(file)) != Some(true))
        .map(|file| shown(&file))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn no_source_file_is_longer_than_one_idea() {
    let long: Vec<String> = all_sources()
        .into_iter()
        .map(|file| (read(&file).lines().count(), shown(&file)))
        .filter(|(lines, _)| *lines > LINES_MAX)
        .map(|(lines, file)| format!("{file} ({lines} lines)"))
        .collect();
    assert!(long.is_empty(), "which idea is missing? {long:#?}");
}

#[test]
fn no_test_is_ignored_or_waits_for_time() {
    // Put together, so that this file doesn't hold them.
    let (ignored, sleeps) = (["#[", "ignore"].concat(), ["thread", "time"].map(|of| format!("{of}::sleep(")));
    let mut broken = Vec::new();
    for file in all_sources() {
        let name = shown(&file);
        let mut in_tests =
            ["tests/", "/tests/", "/tests.rs", "_test.rs"].iter().any(|part| name.contains(part));
        for (number, line) in read(&file).lines().enumerate() {
            in_tests = in_tests || line.contains("#[cfg(test)]");
            let waits = in_tests && sleeps.iter().any(|sleep| line.contains(sleep));
            // A poll of another process has its pause in one named place.
            if line.contains(&ignored) || (waits && !line.contains("ASK_AGAIN")) {
                broken.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}
