//! Tests of the lines: another YAML parser reads them back.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read_back(object: &Value) -> Value {
    let document = document(object);
    serde_saphyr::from_str(&document).unwrap_or_else(|error| panic!("{error}\n{document}"))
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,12}",
        "[ \\n\\t:#'\"\\\\|>&*!%@`?{}\\[\\],a-z0-9.~=<-]{0,14}",
        "[0-9a-fxob_.:eE+-]{0,8}",
        ".{0,8}",
        Just("no".to_owned()),
        Just("2026-11-21T02:43:01Z".to_owned()),
        Just("#!/bin/sh\n\techo a\n\nexit 0\n".to_owned()),
        Just("key: |\n  a: b\n".to_owned()),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(any_text(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_written_is_read_back_as_it_was(value in any_value()) {
        prop_assert_eq!(read_back(&value), value);
    }

    #[test]
    fn every_line_names_a_field_that_is_there(value in any_value()) {
        for line in lines(&value) {
            prop_assert!(value.pointer(&line.path).is_some(), "{:?}", line.path);
        }
    }

    #[test]
    fn a_fold_hides_exactly_what_its_field_holds(value in any_value()) {
        let lines = lines(&value);
        for (place, line) in lines.iter().enumerate() {
            let Some(fold) = &line.fold else { continue };
            let within = |other: &Line| {
                other.path == fold.path
                    || other.path.strip_prefix(&fold.path).is_some_and(|rest| rest.starts_with('/'))
            };
            prop_assert!(lines[place..fold.end].iter().all(within));
            prop_assert!(lines.get(fold.end).is_none_or(|next| !within(next)));
        }
    }
}

fn pod() -> Value {
    json!({
        "status": {"phase": "Running", "conditions": []},
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {"name": "a", "labels": {"app": "cart", "port": "80"}, "annotations": {}},
        "spec": {
            "args": [["w", "x"], []],
            "containers": [
                {"env": [{"name": "TOKEN", "value": MASK}], "name": "app", "ports": [{"containerPort": 80}]},
                {"name": "side", "script": "set -e\nrun\n"},
            ],
        },
    })
}

#[test]
fn an_object_is_written_as_kubectl_writes_it() {
    let expected = "\
apiVersion: v1
kind: Pod
metadata:
  annotations: {}
  labels:
    app: cart
    port: \"80\"
  name: a
spec:
  args:
  - - w
    - x
  - []
  containers:
  - env:
    - name: TOKEN
      value: ••••••••
    name: app
    ports:
    - containerPort: 80
  - name: side
    script: |
      set -e
      run
status:
  conditions: []
  phase: Running
";
    assert_eq!(document(&pod()).lines().collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>());
}

#[test]
fn a_fold_stays_with_its_field_when_lines_come_and_go_above_it() {
    let mut object = pod();
    let mut folds = Folds::default();
    folds.toggle("/spec/containers/0");
    folds.toggle("/metadata/labels");
    let shown = |object: &Value, folds: &Folds| -> Vec<String> {
        let lines = lines(object);
        folds.visible(&lines).into_iter().map(|place| lines[place].text().trim().to_owned()).collect()
    };
    let before = shown(&object, &folds);
    assert!(before.contains(&"labels:".to_owned()) && !before.contains(&"app: cart".to_owned()));
    assert!(!before.contains(&"name: app".to_owned()) && before.contains(&"- name: side".to_owned()));
    object["metadata"]["annotations"] = json!({"a": "b", "c": "d"});
    let after = shown(&object, &folds);
    assert_eq!(after.len(), before.len() + 2);
    assert!(!after.contains(&"app: cart".to_owned()) && !after.contains(&"name: app".to_owned()));
    folds.toggle("/metadata/labels");
    assert!(shown(&object, &folds).contains(&"app: cart".to_owned()));
}

#[test]
fn all_can_be_folded_and_a_match_opens_what_hides_it() {
    let lines = lines(&pod());
    let mut folds = Folds::default();
    folds.fold_all(&lines);
    assert_eq!(folds.visible(&lines).len(), 5);
    let search = Search::of("CONTAINERport", &lines);
    let place = search.place().expect("a match");
    folds.reveal(&lines, place);
    assert!(folds.visible(&lines).contains(&place));
    assert_eq!(search.count(), (1, 1));
}

#[test]
fn a_search_goes_round_and_never_finds_what_is_masked() {
    let lines = lines(&pod());
    let mut search = Search::of("name", &lines);
    let first = search.place();
    assert_eq!(search.count().1, 4);
    search.step(false);
    assert_eq!(search.count().0, 4);
    search.step(true);
    assert_eq!(search.place(), first);
    assert_eq!(found_in(&lines, MASK), Vec::<usize>::new());
    assert_eq!(found_in(&lines, " "), Vec::<usize>::new());
}

#[test]
fn the_lines_of_fields_that_changed_are_marked() {
    let old = pod();
    let mut new = pod();
    new["status"]["phase"] = json!("Failed");
    new["spec"]["containers"][1]["script"] = json!("set -e\nstop\n");
    new["metadata"]["labels"].as_object_mut().expect("labels").remove("port");
    let lines = lines(&new);
    let marked: Vec<String> = changed(&old, &new, &lines)
        .iter()
        .zip(&lines)
        .filter(|(changed, _)| **changed)
        .map(|(_, line)| line.text().trim().to_owned())
        .collect();
    assert_eq!(marked, ["labels:", "script: |", "set -e", "stop", "phase: Failed"]);
    assert!(changed(&new, &new, &lines).iter().all(|mark| !mark));
}

#[test]
fn masked_values_are_counted_below_the_lines() {
    let lines = lines(&pod());
    assert!(foot(&lines).contains("Masked: 1 env value."), "{}", foot(&lines));
    assert!(lines.iter().any(|line| line.value == Piece::Masked));
    let map = super::lines(&json!({"kind": "ConfigMap", "data": {"a": MASK}}));
    assert!(foot(&map).ends_with("started with --config-map-values it shows them."), "{}", foot(&map));
    let secret = super::lines(
        &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"annotations": {"a": MASK}}}),
    );
    assert!(foot(&secret).ends_with("their values never leave the cluster."), "{}", foot(&secret));
}
