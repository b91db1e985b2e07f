//! Paths that are read, followed and refused. What is printed is compared with a real `kubectl` in
//! `tests/scenarios/custom_columns.rs`.

use serde_json::json;

use super::*;

fn object() -> Value {
    json!({
        "metadata": {"name": "web", "labels": {"app.kubernetes.io/name": "x", "tier": "api"}},
        "status": {"at": "t", "list": [1, 2, 3], "nothing": null, "conditions": [
            {"type": "Synced", "time": "a", "ok": true},
            {"type": "Ready", "time": "b", "ok": false, "count": 5, "wanted": 5},
        ]},
    })
}

fn selected(path: &str) -> Option<Value> {
    let object = object();
    let path = JsonPath::parse(path).ok()?;
    let mut effort = Effort(1_000);
    let found = path.select(&object, &mut effort);
    assert!(!found.is_cut);
    // What the outline leaves out, the path doesn't need.
    let mut outline = Outline::default();
    outline.add(&path);
    let read = outline.read(object.to_string().as_bytes()).expect("JSON");
    assert_eq!(path.select(&read, &mut Effort(1_000)), found);
    Some(Value::Array(found.values.into_iter().cloned().collect()))
}

#[test]
fn a_path_selects_what_kubectl_would() {
    for (path, expected) in [
        (".status.at", json!(["t"])),
        ("$.status.at", json!(["t"])),
        ("{.status.at}", json!(["t"])),
        (".status['at']", json!(["t"])),
        (".status.nothing", json!([null])),
        (".status.nothing.more", json!([])),
        (".status.list[1]", json!([2])),
        (".status.list[-1]", json!([3])),
        (".status.list[9]", json!([])),
        (".status.list[-9]", json!([])),
        (".status.list[0:2]", json!([1, 2])),
        (".status.list[-2:]", json!([2, 3])),
        (".status.list[::2]", json!([1, 3])),
        (".status.list[0,2]", json!([1, 3])),
        (".metadata['name','none']", json!(["web"])),
        (".status.conditions[?(@.type==\"Ready\")].time", json!(["b"])),
        (".status.conditions[?(@.type=='Ready')].time", json!(["b"])),
        (".status.conditions[?(@.type!=\"Ready\")].time", json!(["a"])),
        (".status.conditions[?(@.ok==true)].time", json!(["a"])),
        (".status.conditions[?( @.count >= 5 )].time", json!(["b"])),
        (".status.conditions[?(@.count==@.wanted)].time", json!(["b"])),
        (".status.conditions[?(@.count)].time", json!(["b"])),
        (".status.conditions[?(@.count!=5)].time", json!([])),
        (".status.conditions[*].time", json!(["a", "b"])),
        (".status.conditions.*.time", json!(["a", "b"])),
        ("..time", json!(["a", "b"])),
        (".status..time", json!(["a", "b"])),
        (".metadata.labels.app\\.kubernetes\\.io/name", json!(["x"])),
        (".metadata.labels['app\\.kubernetes\\.io/name']", json!(["x"])),
        (".metadata.labels['app.kubernetes.io/name']", json!(["x"])),
        (".metadata.labels.*", json!(["x", "api"])),
        (".status.none", json!([])),
    ] {
        assert_eq!(selected(path), Some(expected), "{path}");
    }
}

#[test]
fn an_outline_reads_no_more_than_its_paths_lead_to() {
    let mut outline = Outline::default();
    for path in [
        ".status.conditions[?(@.type==\"Ready\")].ok",
        ".status.list[1].none",
        ".metadata.labels.*",
        ".metadata.name",
    ] {
        outline.add(&JsonPath::parse(path).expect(path));
    }
    let read = outline.read(object().to_string().as_bytes()).expect("JSON");
    let conditions = json!([{"type": "Synced", "ok": true}, {"type": "Ready", "ok": false}]);
    assert_eq!(read["status"], json!({"conditions": conditions, "list": [null, null, null]}));
    assert_eq!(read["metadata"], object()["metadata"]);
    // A path into one field, and one into all of them.
    outline.add(&JsonPath::parse(".status.conditions.first.deep").expect("a path"));
    let object =
        json!({"status": {"conditions": {"first": {"deep": 1, "ok": 2}, "other": {"ok": 3, "deep": 4}}}});
    let read = outline.read(object.to_string().as_bytes()).expect("JSON");
    assert_eq!(read["status"]["conditions"], json!({"first": {"deep": 1, "ok": 2}, "other": {"ok": 3}}));
    outline.add(&JsonPath::parse(".*").expect("a path"));
    assert!(outline.roots().is_none());
}

#[test]
fn a_path_that_cannot_be_read_says_what_and_where() {
    for (path, message, character) in [
        ("status.at", "unrecognized character", 1),
        (".a..b..c", "invalid multiple recursive descent", 6),
        (".a[x]", "invalid array index x", 4),
        (".a[1", "unterminated array", 3),
        (".a['b", "unterminated quoted string", 4),
        (".a[?(@.b==\"c\")", "unclosed array expect ]", 15),
        (".a[?(@.b==\"c\"", "unterminated filter", 3),
        (".a[?(@.b=~'c')]", "unrecognized filter operator =~", 9),
        (".a[?(@.b==c)]", "unrecognized identifier c", 11),
        (".a[?(b==1)]", "a filter begins with @", 6),
        (".a[?(@.b[?(@.c)])]", "a filter can't stand in another", 9),
        (".a.", "the name of a field is expected", 4),
        (".a b", "unrecognized character in action: U+0020", 3),
        (".ä(", "unrecognized character in action: U+0028", 3),
        ("..", "a field is expected after ..", 3),
        (".a[0:1:0]", "invalid array index 0:1:0", 4),
    ] {
        let error = JsonPath::parse(path).expect_err(path);
        assert!(error.message.contains(message), "{path}: {error}");
        assert_eq!(error.character, character, "{path}: {error}");
    }
    let many = ".a".repeat(STEPS_MAX + 1);
    assert!(JsonPath::parse(&many).is_err_and(|error| error.message.contains("64 steps")));
}

#[test]
fn a_custom_column_may_leave_the_first_dot_out() {
    for path in ["metadata.name", ".metadata.name", "{metadata.name}", "{.metadata.name}", " metadata.name "]
    {
        assert_eq!(JsonPath::parse_relaxed(path), JsonPath::parse(".metadata.name"), "{path}");
    }
    assert!(JsonPath::parse_relaxed("").is_err());
    assert!(JsonPath::parse_relaxed("{}").is_err());
}

#[test]
fn what_looks_at_too_much_is_cut_and_says_so() {
    let wide = Value::Array((0..100).map(|number| json!({ "a": number })).collect());
    let path = JsonPath::parse("[*].a").expect("a path");
    let found = path.select(&wide, &mut Effort(50));
    assert!(found.is_cut);
    let found = path.select(&wide, &mut Effort(1_000));
    assert!(!found.is_cut && found.values.len() == 100);
}

#[test]
fn a_value_is_written_as_go_writes_it_and_never_above_its_bound() {
    for (value, expected) in [
        (json!({"b": [1, "x"], "a": null}), "map[a:<nil> b:[1 x]]"),
        (json!(1.5), "1.5"),
        (json!(18_446_744_073_709_551_615_u64), "1.8446744073709552e+19"),
        (json!([true, {}]), "[true map[]]"),
    ] {
        let mut text = Clipped::new(100);
        text.push_value(&value);
        assert_eq!(&*text.finish(), expected);
    }
    let mut text = Clipped::new(5);
    text.push_value(&json!(["äöü", "never"]));
    assert_eq!(&*text.finish(), "[äö…");
}

proptest::proptest! {
    #[test]
    fn no_path_of_a_viewer_breaks_anything(path in "[.\\[\\]?()@=!'\"*a0:,\\\\$ü -]{0,40}") {
        for read in [JsonPath::parse(&path), JsonPath::parse_relaxed(&path)] {
            match read {
                Ok(read) => drop(read.select(&object(), &mut Effort(100))),
                Err(error) => proptest::prop_assert!(path.get(..error.at).is_some(), "{path}: {error}"),
            }
        }
    }
}

#[test]
fn a_path_says_whether_it_names_each_step_and_what_it_may_lead_to() {
    for (path, is_direct, may_lead) in [
        (".metadata.managedFields[0].manager", true, true),
        (".metadata['managedFields']", true, true),
        (".metadata", true, true),
        (".metadata.name", true, false),
        (".metadata.*[0]", false, true),
        (".*.name", false, true),
        ("..manager", false, true),
        (".status.conditions[?(@.type==\"Ready\")].status", false, false),
        (".spec.list[0:2]", false, false),
    ] {
        let path = JsonPath::parse(path).expect(path);
        assert_eq!(
            (path.is_direct(), path.may_lead_to(&["metadata", "managedFields"])),
            (is_direct, may_lead),
            "{path:?}"
        );
    }
}
