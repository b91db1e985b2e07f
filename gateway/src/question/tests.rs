//! Each form of one object, and each way from rows, proofs and times to a verdict, as tables.

use std::time::Duration;

use replica::table::Entry;
use replica::testing::{column, row, table_with};
use serde_json::Value;
use shared::health::{Health, HealthClass, Later};
use shared::resource_version::ResourceVersion;
use shared::row::{Extra, WholeObject};

use super::asking::Seen;
use super::form::Truth;
use super::*;

/// What a form says of a pod with 7 restarts that becomes failing at 100, and has this object.
fn of_object(form: &str, object: &str, now: i64) -> Result<Truth, String> {
    let later = vec![Later { class: HealthClass::Failing, at: 100 }];
    let class = HealthClass::NotReady;
    of_object_that(
        Health { class, reason: "".into(), since: None, then: later, failed: None },
        form,
        object,
        now,
    )
}

fn of_object_that(health: Health, form: &str, object: &str, now: i64) -> Result<Truth, String> {
    let object = object.replace('\'', "\"");
    let whole = WholeObject::from_json(object.clone().into_bytes());
    let mut pod = row(1, "shop/cart", &["cart", "7"]);
    pod.extra = Some(Box::new(Extra { health: Some(health), object: whole, ..Extra::default() }));
    let table = table_with(vec![column("Name"), column("Restarts")], vec![pod]);
    let entry: &Entry = table.iter().next().expect("a row").1;
    let object: Value = serde_json::from_str(&object).expect("json");
    let mut form = Form::parse(form)?;
    form.bind(table.columns())?;
    Ok(form.of(entry, Some(&object), now))
}

#[test]
fn a_form_is_so_of_an_object_as_for_kubectl() {
    const READY: &str = "{'metadata': {'generation': 2}, 'status': {'observedGeneration': 2, 'conditions': [{'type': 'Other', 'status': 'False'}, {'type': 'Ready', 'status': 'True'}]}}";
    const OLD: &str = "{'metadata': {'generation': 2}, 'status': {'observedGeneration': 1, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}";
    const SEEN: &str = "{'metadata': {'generation': 2}, 'status': {'observedGeneration': 1, 'conditions': [{'type': 'Ready', 'status': 'True', 'observedGeneration': 2}]}}";
    const VALUES: &str = "{'status': {'phase': 'Running', 'n': 3, 'on': true, 'half': 0.5, 'big': 12345678, 'none': null, 'hidden': '••••••••', 'list': [{'name': 'a', 'v': '=b'}, {'name': 'b'}]}}";
    let more = Truth::Refused("given jsonpath expression matches more than one value");
    let nested = Truth::Refused("jsonpath leads to a nested object or list which is not supported");
    for (form, object, expected) in [
        ("condition=Ready", READY, Truth::So),
        ("condition=ready=TRUE", READY, Truth::So),
        ("condition=Ready=False", READY, Truth::NotSo),
        ("condition=Ready=", READY, Truth::NotSo),
        ("condition=Other=false", READY, Truth::So),
        ("condition=Nothing", READY, Truth::NotSo),
        ("condition=Ready", OLD, Truth::NotSo),
        ("condition=Ready", SEEN, Truth::So),
        ("condition=Ready", "{'status': {'conditions': 'none'}}", Truth::NotSo),
        ("condition=Ready", "{}", Truth::NotSo),
        ("jsonpath={.status.phase}=Running", VALUES, Truth::So),
        ("jsonpath={.status.phase}='Running'", VALUES, Truth::So),
        ("jsonpath=.status.phase= Running ", VALUES, Truth::So),
        ("jsonpath=status.phase=running", VALUES, Truth::NotSo),
        ("jsonpath={.status.n}=3", VALUES, Truth::So),
        ("jsonpath={.status.on}=true", VALUES, Truth::So),
        ("jsonpath={.status.half}=0.5", VALUES, Truth::So),
        ("jsonpath={.status.big}=12345678", VALUES, Truth::So),
        ("jsonpath={.status.none}=<nil>", VALUES, Truth::So),
        ("jsonpath={.status.n}", VALUES, Truth::So),
        ("jsonpath={.status.nothing}", VALUES, Truth::NotSo),
        ("jsonpath={.status.list}", VALUES, Truth::So),
        ("jsonpath={.status.list}=x", VALUES, nested),
        ("jsonpath={.status.list[*].name}", VALUES, more),
        ("jsonpath={.status.list[0].name}=a", VALUES, Truth::So),
        ("jsonpath={.status.list[9].name}=a", VALUES, Truth::NotSo),
        ("jsonpath={.status.list[?(@.name==\"b\")].name}=b", VALUES, Truth::So),
        ("jsonpath={.status.hidden}=x", VALUES, Truth::Masked),
        ("jsonpath={.status.hidden}", VALUES, Truth::So),
        ("create", "{}", Truth::So),
        ("Delete", "{}", Truth::NotSo),
        ("restarts>5", "{}", Truth::So),
        ("restarts>7", "{}", Truth::NotSo),
        ("restarts>5 restarts<7", "{}", Truth::NotSo),
        ("health=not-ready", "{}", Truth::So),
    ] {
        assert_eq!(of_object(form, object, 50), Ok(expected), "{form}");
    }
    assert_eq!(of_object("health=failing", "{}", 99), Ok(Truth::NotSo));
    assert_eq!(of_object("health=failing", "{}", 100), Ok(Truth::So), "by time alone");
}

#[test]
fn a_rollout_is_over_or_refused_as_kubectl_rollout_status_says() {
    const DONE: &str = "{'kind': 'Deployment', 'metadata': {'generation': 2}, 'spec': {'replicas': 1}, 'status': {'observedGeneration': 2, 'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1}}";
    let of = |object: &str| of_object("rollout", object, 0).expect("a form");
    assert_eq!(of(DONE), Truth::So);
    assert_eq!(of(&DONE.replace("'observedGeneration': 2", "'observedGeneration': 1")), Truth::NotSo);
    let late = DONE.replace(
        "'replicas': 1,",
        "'replicas': 2, 'conditions': [{'type': 'Progressing', 'reason': 'ProgressDeadlineExceeded'}],",
    );
    assert_eq!(of(&late), Truth::Refused("the deployment exceeded its progress deadline"));
    assert!(matches!(
        of("{'kind': 'DaemonSet', 'spec': {'updateStrategy': {'type': 'OnDelete'}}}"),
        Truth::Refused(_)
    ));
    assert!(matches!(of("{'kind': 'Pod'}"), Truth::Refused(_)));
}

#[test]
fn what_fails_again_and_again_goes_on_between() {
    for (form, now, expected) in [
        ("health=failing", 99, Truth::Between),
        ("health=failing,changing", 99, Truth::Between),
        ("health=failing restarts>5", 99, Truth::Between),
        ("health=failing restarts>7", 99, Truth::NotSo),
        ("health=not-ready", 99, Truth::So),
        ("health=changing", 99, Truth::NotSo),
        ("health!=not-ready", 99, Truth::NotSo),
        ("restarts>7", 99, Truth::NotSo),
        ("health=failing", 100, Truth::NotSo),
        ("health=fine", 100, Truth::So),
    ] {
        let later = vec![Later { class: HealthClass::Fine, at: 100 }];
        let health = Health {
            class: HealthClass::NotReady,
            reason: "".into(),
            since: Some(50),
            then: later,
            failed: Some(10),
        };
        assert_eq!(of_object_that(health, form, "{}", now), Ok(expected), "{form} at {now}");
    }
}

#[test]
fn a_form_that_cannot_be_read_says_why_in_kubectls_words() {
    for (form, words) in [
        ("Ready", "unrecognized condition: \"Ready\""),
        ("condition", "unrecognized condition: \"condition\""),
        ("", "unrecognized condition: \"\""),
        ("Condition=Ready", "no column \"condition\""),
        ("jsonpath=", "jsonpath expression cannot be empty"),
        ("jsonpath={}", "unexpected path string"),
        ("jsonpath={.a}{.b}", "unexpected path string"),
        ("jsonpath={.a}=", "has to have a value after equal sign"),
        ("jsonpath={.a}=b=c", "jsonpath wait format must be"),
        ("jsonpath={.a[}", "unterminated array"),
        ("restarts>5 cart", "unrecognized condition: \"restarts>5 cart\""),
        ("restart>5", "no column \"restart\""),
        ("health=ill", "health=ill"),
    ] {
        let why = of_object(form, "{}", 0).expect_err(form);
        assert!(why.contains(words), "{form}: {why}");
    }
}

/// Steps of a story: `a=10` is an object that is there, of which the first form is so and the second not; `-a` is gone;
/// `5` looks 5 s after the begin, `5~` while a proof comes soon, and `5?` while nothing is known. Returns what each
/// look said, and what was told.
fn story(forms: &[&str], join: Join, of: Of, hold_s: Option<u64>, named: &[&str], steps: &str) -> String {
    let forms = forms.iter().map(|text| Form::parse(text).expect("a form")).collect();
    let question = Question::new(forms, join, of, hold_s.map(Duration::from_secs));
    let mut asking = Asking::new(question, named.is_empty());
    let place = |key: &str| Place { target: 0, key: key.into() };
    named.iter().for_each(|name| asking.expect(place(name)));
    let (mut said, mut version) = (Vec::new(), 0);
    for step in steps.split(' ') {
        version += 1;
        let now = ResourceVersion::from(version.to_string().as_str());
        if let Some(gone) = step.strip_prefix('-') {
            asking.remove(&place(gone), &now);
        } else if let Some((name, truths)) = step.split_once('=') {
            let truth = |bit| match bit {
                '1' => Truth::So,
                'b' => Truth::Between,
                'x' => Truth::Refused("no"),
                'm' => Truth::Masked,
                _ => Truth::NotSo,
            };
            asking.put(place(name), truths.chars().map(truth).collect(), Seen { version: now, object: None });
        } else {
            let second: i64 = step.trim_end_matches(['~', '?']).parse().expect("a second");
            let proof = match step.chars().last() {
                Some('~') => Proof::Soon,
                Some('?') => Proof::Unknown,
                _ => Proof::Now,
            };
            let verdict = asking.look(proof, second * 1_000);
            let told = asking.tell(verdict == Verdict::So);
            said.extend(told.iter().map(|of| format!("{}.{}@{}", of.place.name(), of.form, of.at.version)));
            said.push(match verdict {
                Verdict::Open => "open".to_owned(),
                Verdict::So => "so".to_owned(),
                Verdict::Refused(why) => format!("refused:{why}"),
                Verdict::Masked(place, form) => format!("masked:{}.{form}", place.name()),
            });
        }
    }
    said.join(" ")
}

/// A question with one form about a selection.
fn one(of: Of, hold_s: Option<u64>, steps: &str) -> String {
    story(&["condition=R"], Join::All, of, hold_s, &[], steps)
}

#[test]
fn all_objects_have_to_be_so_and_each_counts_once_it_was() {
    for (steps, expected) in [
        ("0", "open"),
        ("a=1 0", "a.0@1 so"),
        ("a=0 0 a=1 1", "open a.0@3 so"),
        ("a=1 b=0 0 b=1 1", "a.0@1 open b.0@4 so"),
        // Told in their order: b waits for a.
        ("a=0 b=1 0 a=1 1", "open a.0@4 b.0@2 so"),
        // It was so once.
        ("a=1 b=0 0 a=0 b=1 1", "a.0@1 open b.0@5 so"),
        // An object that goes isn't waited for, and one that comes is.
        ("a=1 b=0 0 -b 1", "a.0@1 open so"),
        ("a=1 b=0 0 c=0 -b 1 c=1 2", "a.0@1 open open c.0@7 so"),
        ("a=0 0 -a 1", "open open"),
        // What was decided stays.
        ("a=1 0 a=0 1", "a.0@1 so so"),
        ("a=x 0", "refused:no"),
        ("a=m 0", "masked:a.0"),
    ] {
        assert_eq!(one(Of::All, None, steps), expected, "{steps}");
    }
}

#[test]
fn nothing_is_decided_while_the_rows_are_not_proven() {
    for (steps, expected) in [
        ("a=1 0? 1~ 2", "open open a.0@1 so"),
        // It was so between two proofs, which is not proven.
        ("a=0 0 a=1 1? a=0 2? 3", "open open open open"),
        ("a=x 0? 1", "open refused:no"),
    ] {
        assert_eq!(one(Of::All, None, steps), expected, "{steps}");
    }
    assert_eq!(one(Of::None, None, "a=0 0? 1"), "open so");
    assert_eq!(
        story(&["delete"], Join::All, Of::All, None, &["a"], "a=0 0 -a 1? 2~ 3"),
        "open open open a.0@3 so"
    );
}

#[test]
fn one_object_or_none_may_be_asked_for() {
    for (of, steps, expected) in [
        (Of::Any, "a=0 b=0 0 b=1 1", "open b.0@4 so"),
        (Of::Any, "a=1 b=1 0", "a.0@1 so"),
        (Of::Any, "0", "open"),
        (Of::None, "0", "so"),
        (Of::None, "a=0 0", "so"),
        (Of::None, "a=1 0 a=0 1", "open so"),
        (Of::None, "a=1 0 -a 1", "open so"),
    ] {
        assert_eq!(one(of, None, steps), expected, "{of:?} {steps}");
    }
}

#[test]
fn what_has_to_hold_begins_anew_when_it_ends_or_is_not_known() {
    for (of, steps, expected) in [
        (Of::All, "a=1 0 9 10", "open open a.0@1 so"),
        (Of::All, "a=1 0 a=0 a=1 5 10 15", "open open open a.0@4 so"),
        (Of::All, "a=1 0 a=0 5 a=1 6 15 16", "open open open open a.0@5 so"),
        // The watch goes on from where it was.
        (Of::All, "a=1 0 5~ 10", "open open a.0@1 so"),
        // It changed and changed back before the proof came.
        (Of::All, "a=1 0 a=0 5~ a=1 6~ 10 20", "open open open open a.0@5 so"),
        (Of::All, "a=1 0 5? 10 19 20", "open open open open a.0@1 so"),
        (Of::All, "a=1 b=0 0 b=1 5 10 15", "open open open a.0@1 b.0@4 so"),
        (Of::All, "a=1 0 b=0 10 b=1 11 20 21", "open open open open a.0@1 b.0@5 so"),
        (Of::All, "a=1 0 -a 5 10", "open open open"),
        (Of::Any, "a=0 b=1 0 10", "open b.0@2 so"),
        (Of::None, "a=0 0 9 10", "open open so"),
        (Of::None, "a=0 0 a=1 a=0 5 10 15", "open open open so"),
        (Of::None, "a=0 0 5? 10 20", "open open open so"),
        (Of::None, "0 5 10", "open open so"),
        // It fails again and again.
        (Of::All, "a=1 0 a=b 3 10 a=1 11", "open open open a.0@6 so"),
        (Of::All, "a=1 0 a=b 3 a=0 5 a=b 6 a=1 11 21", "open open open open open a.0@9 so"),
        (Of::All, "a=b 0 a=1 5 10 15", "open open open a.0@3 so"),
        (Of::Any, "a=1 b=0 0 a=b b=1 5 a=1 10", "open open a.0@7 so"),
        (Of::None, "a=1 0 a=b 1 11 a=0 12 22", "open open open open so"),
    ] {
        assert_eq!(one(of, Some(10), steps), expected, "{of:?} {steps}");
    }
    assert_eq!(one(Of::None, None, "a=b 0 a=0 1"), "open so", "what recovered isn't fine yet");
    assert_eq!(one(Of::All, None, "a=b 0 a=1 1"), "open a.0@3 so");
    assert_eq!(one(Of::All, Some(0), "a=1 b=0 0 a=0 b=1 1 a=1 2"), "open open a.0@7 b.0@5 so", "together");
}

#[test]
fn several_forms_are_met_in_their_order_or_together_or_one_of_them() {
    let named =
        |forms: &[&str], join, hold_s, steps: &str| story(forms, join, Of::All, hold_s, &["a"], steps);
    let both = ["condition=R", "condition=S"];
    for (forms, join, hold_s, steps, expected) in [
        (&both as &[&str], Join::All, None, "a=11 0", "a.0@1 a.1@1 so"),
        (&both, Join::All, None, "a=10 0 a=01 1", "a.0@1 open a.1@3 so"),
        // The second form counts after the first.
        (&both, Join::All, None, "a=01 0 a=10 1 a=00 2 a=01 3", "open a.0@3 open open a.1@7 so"),
        (&both, Join::All, Some(0), "a=10 0 a=01 1 a=11 2", "open open a.0@5 a.1@5 so"),
        (&both, Join::Any, None, "a=00 0 a=01 1", "open a.1@3 so"),
        (&both, Join::Any, None, "a=11 0", "a.0@1 so"),
        (&both, Join::Any, Some(5), "a=10 0 a=01 3 5", "open open a.1@3 so"),
        // The creation comes first.
        (&["condition=R", "create"], Join::All, None, "0 a=00 1 a=01 2", "open a.0@2 open a.1@4 so"),
        (&["create"], Join::All, None, "0 a=1 1", "open a.0@2 so"),
        (&["create"], Join::All, None, "0 a=1 -a 1", "open a.0@3 so"),
        (&["delete"], Join::All, None, "a=0 0 -a 1", "open a.0@3 so"),
        // As for kubectl, what isn't there is gone already.
        (&["delete"], Join::All, None, "0", "so"),
        (&["delete"], Join::All, Some(5), "0 5", "open a.0@ so"),
        (&["delete"], Join::All, Some(5), "a=0 0 -a 1 a=0 5 -a 6 11", "open open open open a.0@7 so"),
        (&["condition=R", "delete"], Join::All, None, "a=10 0 -a 1", "a.0@1 open a.1@3 so"),
        (&["condition=R", "delete"], Join::Any, None, "a=00 0 -a 1", "open a.1@3 so"),
    ] {
        assert_eq!(named(forms, join, hold_s, steps), expected, "{forms:?} {join:?} {hold_s:?} {steps}");
    }
}

#[test]
fn the_deletion_of_a_selection_is_that_of_what_was_there_at_first() {
    let of = |steps: &str| story(&["delete"], Join::All, Of::All, None, &[], steps);
    assert_eq!(of("a=0 b=0 0 c=0 -a 1 -b 2"), "open a.0@5 open b.0@7 so");
    assert_eq!(of("0"), "so", "nothing is there");
}

#[test]
fn what_was_created_is_told_when_all_are() {
    let of = |steps: &str| story(&["create"], Join::All, Of::All, None, &["a", "b"], steps);
    assert_eq!(of("a=1 0 b=1 1"), "open a.0@1 b.0@3 so");
}
