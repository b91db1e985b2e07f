//! What the health of a row is called: the entries of the tally above a table.

use super::RowHealth;

/// `counts_ready`: the kind counts what is ready, as a pod its containers; a node that takes no pods is ready.
pub(super) fn word(health: RowHealth, counts_ready: bool) -> &'static str {
    match health {
        RowHealth::Failing => "failing",
        RowHealth::Short if counts_ready => "not ready",
        RowHealth::Short => "limited",
        RowHealth::Changing => "changing",
        RowHealth::Unknown => "unknown",
        RowHealth::Fine => "fine",
    }
}

/// The words for kinds that have replicas. Counts don't tell a rollout from scaling.
pub(super) fn of_replicas(health: RowHealth) -> &'static str {
    match health {
        RowHealth::Failing => "down",
        RowHealth::Short => "short",
        RowHealth::Changing => "changing",
        RowHealth::Unknown => "unknown",
        RowHealth::Fine => "ready",
    }
}

/// The types of events: there are two.
pub(super) fn of_events(health: RowHealth) -> Option<&'static str> {
    match health {
        RowHealth::Short => Some("Warning"),
        RowHealth::Fine => Some("Normal"),
        RowHealth::Failing | RowHealth::Changing | RowHealth::Unknown => None,
    }
}
