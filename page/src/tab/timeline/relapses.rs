//! Since when an object isn't well again and again. Its status says when it became unready last, which in a pod that crashes
//! after each restart is some seconds ago. What was seen and recorded of it says more. Never a guess: where that doesn't
//! reach back far enough, it is said.

use serde_json::Value;
use shared::frame::timeline::{Entry, EntryType};
use shared::state::UnixMillis;

/// What is ready for so long is well: then the kubelet forgets how often a container crashed, too.
pub(crate) const WELL_MS: i64 = 10 * 60_000;

/// The times at which an object became unready, without a time between in which it was well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relapses {
    /// The first one, by the gateway's clock.
    pub(crate) first_ms: UnixMillis,
    pub(crate) count: usize,
    /// It may have begun before: nothing is known of an earlier time.
    pub(crate) is_cut: bool,
}

/// `entries`: those until the time that is shown, the newest first. `is_whole`: there are no older ones. `has_gap`: whether
/// something may have happened between two times that no entry tells. `None`: the object is well, or no entry says since
/// when it isn't. What crashes again and again is ready for a while between.
pub(super) fn relapses<'a>(
    (object, now_ms): (&Value, UnixMillis),
    entries: impl Iterator<Item = &'a Entry>,
    is_whole: bool,
    has_gap: impl Fn(UnixMillis, UnixMillis) -> bool,
) -> Option<Relapses> {
    let path = readiness(object)?;
    let mut found: Option<Relapses> = None;
    // When it became ready before the last relapse that was found.
    let mut is_ready = false;
    let mut after_ms = UnixMillis::MAX;
    for entry in entries {
        let at_ms = entry.time_ms;
        let is_unknown =
            entry.kind == EntryType::Gap || after_ms != UnixMillis::MAX && has_gap(at_ms, after_ms);
        after_ms = at_ms;
        if is_unknown {
            return found;
        }
        if matches!(entry.kind, EntryType::Added | EntryType::Deleted) {
            return found.map(|held| Relapses { is_cut: false, ..held });
        }
        let Some(new) =
            entry.fields.iter().find(|field| *field.path == *path).and_then(|field| field.new.as_ref())
        else {
            continue;
        };
        match (&mut found, is_true(new)) {
            (None, true) if now_ms.saturating_sub(at_ms) >= WELL_MS => return None,
            (None, true) => is_ready = true,
            (None, false) => {
                is_ready = false;
                found = Some(Relapses { first_ms: at_ms, count: 1, is_cut: true });
            }
            (Some(held), true) if held.first_ms.saturating_sub(at_ms) >= WELL_MS => {
                held.is_cut = false;
                return found;
            }
            (Some(_), true) => is_ready = true,
            (Some(held), false) if is_ready => {
                is_ready = false;
                *held = Relapses { first_ms: at_ms, count: held.count + 1, is_cut: true };
            }
            (Some(_), false) => {}
        }
    }
    found.map(|held| Relapses { is_cut: !is_whole, ..held })
}

/// The field that says whether the object is ready: of what isn't, or of the container that was restarted most often.
fn readiness(object: &Value) -> Option<String> {
    let unready = |list: &str, field: &str, is_it: fn(&Value) -> bool| {
        let parts = object.pointer(list)?.as_array()?;
        let at = parts.iter().position(|part| is_it(part) && !part.get(field).is_some_and(is_true))?;
        Some(format!("{list}/{at}/{field}"))
    };
    let is_lasting = |condition: &Value| {
        matches!(condition.get("type").and_then(Value::as_str), Some("Ready" | "Available"))
    };
    let restarted = || {
        let containers = object.pointer("/status/containerStatuses")?.as_array()?.iter();
        let restarts =
            |status: &Value| status.get("restartCount").and_then(Value::as_i64).unwrap_or_default();
        let (at, most) = containers.map(restarts).enumerate().max_by_key(|(_, count)| *count)?;
        (most > 0).then(|| format!("/status/containerStatuses/{at}/ready"))
    };
    unready("/status/containerStatuses", "ready", |_| true)
        .or_else(|| unready("/status/conditions", "status", is_lasting))
        .or_else(restarted)
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Bool(true)) || value.as_str() == Some("True")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::frame::timeline::Field;

    use super::*;

    const MINUTE_MS: i64 = 60_000;

    /// `+` became ready and `-` unready, so many minutes ago; `A` was added. The newest first.
    fn check(story: &str, is_whole: bool, expected: Option<(i64, usize, bool)>) {
        let now_ms = 1_000 * MINUTE_MS;
        let object = json!({"status": {"containerStatuses": [{"ready": true}, {"ready": false}]}});
        let entry = |told: &str| {
            let (sign, minutes) = told.split_at(1);
            let kind = match sign {
                "A" => EntryType::Added,
                "G" => EntryType::Gap,
                _ => EntryType::Modified,
            };
            let field = |place: u32, is_ready: bool| Field {
                path: format!("/status/containerStatuses/{place}/ready").into(),
                old: Some(json!(!is_ready)),
                old_bytes: None,
                new: Some(json!(is_ready)),
                new_bytes: None,
                by: None,
            };
            let fields = match kind {
                EntryType::Modified => vec![field(0, sign == "-"), field(1, sign == "+")],
                _ => Vec::new(),
            };
            Entry { fields, ..Entry::of(kind, now_ms - minutes.parse::<i64>().expect("minutes") * MINUTE_MS) }
        };
        let entries: Vec<Entry> = story.split(' ').map(entry).collect();
        let found = relapses((&object, now_ms), entries.iter(), is_whole, |_, _| false);
        let found = found.map(|held| ((now_ms - held.first_ms) / MINUTE_MS, held.count, held.is_cut));
        assert_eq!(found, expected, "{story}");
    }

    #[test]
    fn it_began_with_the_first_relapse_since_the_object_was_well() {
        check("-1 +2 -5 +6 -9 +50", true, Some((9, 3, false)));
        check("-1 +2 -5 +6 -9 +18 -20 +90", true, Some((20, 4, false)));
        check("-1 +12", true, Some((1, 1, false)));
        check("-1 +2 -20 A21", true, Some((20, 2, false)));
        check("-1 +2 -5 +6 -9", false, Some((9, 3, true)));
        check("-1 +2 -5 +6 -9 G10 +11 -12", true, Some((9, 3, true)));
        check("+1 -2 +4 -6 +40", true, Some((6, 2, false)));
        check("+11 -12 +14 -16", true, None);
    }

    #[test]
    fn a_condition_says_it_where_there_are_no_containers() {
        let unready = |status: Value| readiness(&json!({"status": status}));
        let conditions = json!([{"type": "Synced", "status": "False"}, {"type": "Ready", "status": "False"}]);
        assert_eq!(
            unready(json!({"conditions": conditions})).as_deref(),
            Some("/status/conditions/1/status")
        );
        assert_eq!(unready(json!({"conditions": [{"type": "Ready", "status": "True"}]})), None);
        assert_eq!(unready(json!(null)), None);
        let restarted = json!([{"ready": true, "restartCount": 1}, {"ready": true, "restartCount": 7}]);
        let path = unready(json!({"containerStatuses": restarted}));
        assert_eq!(
            path.as_deref(),
            Some("/status/containerStatuses/1/ready"),
            "it is ready between two crashes"
        );
    }
}
