//! When a question is answered, and how its words are read.

use shared::health::Standing;
use shared::row::RowId;

use super::draft::{Draft, Form, Which};
use super::watcher::{Seen, Watcher};

/// The objects by number: those of which it holds.
fn look(watcher: &mut Watcher, holds: &[bool], which: Which, hold_ms: i64, now_ms: i64) -> Vec<Option<u64>> {
    look_at(watcher, holds, (which, hold_ms, false), now_ms)
}

fn look_at(
    watcher: &mut Watcher,
    holds: &[bool],
    asked: (Which, i64, bool),
    now_ms: i64,
) -> Vec<Option<u64>> {
    let standing = |holds: &bool| if *holds { Standing::So } else { Standing::Not };
    look_at_standing(watcher, &holds.iter().map(standing).collect::<Vec<_>>(), asked, now_ms)
}

fn look_at_standing(
    watcher: &mut Watcher,
    standing: &[Standing],
    asked: (Which, i64, bool),
    now_ms: i64,
) -> Vec<Option<u64>> {
    let id = |at: usize| RowId::from_hash((at as u64 + 1) << 20);
    let seen: Vec<Seen> =
        standing.iter().enumerate().map(|(at, standing)| Seen { id: id(at), standing: *standing }).collect();
    let place = |told: RowId| (0..standing.len()).find(|at| id(*at) == told).map(|at| at as u64);
    watcher.look(&seen, asked, now_ms).into_iter().map(|told| told.and_then(place)).collect()
}

#[test]
fn of_a_view_only_what_becomes_so_is_told_and_each_object_once_until_it_is_otherwise() {
    let mut watcher = Watcher::default();
    let mut any = |holds: &[bool], now_ms| look(&mut watcher, holds, Which::Any, 0, now_ms);
    assert_eq!(any(&[true, false], 0), [], "it was so before");
    assert_eq!(any(&[true, true], 1), [Some(1)]);
    assert_eq!(any(&[true, true], 2), []);
    assert_eq!(any(&[false, true], 3), []);
    assert_eq!(any(&[true, true], 4), [Some(0)]);
}

#[test]
fn of_one_object_what_is_so_already_is_told() {
    let mut watcher = Watcher::default();
    assert_eq!(look_at(&mut watcher, &[true], (Which::Any, 0, true), 0), [Some(0)]);
    assert_eq!(look_at(&mut watcher, &[true], (Which::Any, 0, true), 1), []);
}

#[test]
fn what_has_to_hold_for_a_while_begins_anew_when_it_was_otherwise() {
    let mut watcher = Watcher::default();
    let mut any = |holds: bool, now_ms| look(&mut watcher, &[holds], Which::Any, 1_000, now_ms);
    assert_eq!(any(false, 0), []);
    assert_eq!(any(true, 100), []);
    assert_eq!(any(false, 1_000), []);
    assert_eq!(any(true, 1_100), []);
    assert_eq!(any(true, 2_099), []);
    assert_eq!(any(true, 2_100), [Some(0)]);
}

#[test]
fn all_and_none_are_of_the_view_together() {
    for (which, not_yet, so) in
        [(Which::All, [true, false], [true, true]), (Which::None, [true, false], [false, false])]
    {
        let mut watcher = Watcher::default();
        let mut of = |holds: &[bool], now_ms| look(&mut watcher, holds, which, 500, now_ms);
        assert_eq!(of(&not_yet, 0), []);
        assert_eq!(of(&so, 1_000), []);
        assert_eq!(of(&so, 1_500), [None]);
        assert_eq!(of(&so, 1_600), [], "it is told once");
        assert_eq!(of(&not_yet, 1_700), []);
        assert_eq!(of(&so, 1_800), []);
        assert_eq!(of(&so, 2_300), [None]);
    }
    assert_eq!(look(&mut Watcher::default(), &[], Which::All, 0, 0), [], "there is none of which it holds");
}

#[test]
fn a_crash_loop_holds_on_between_its_crashes_and_is_told_once() {
    use Standing::{Between, Not, So};
    let asked = (Which::Any, 60_000, false);
    let mut watcher = Watcher::default();
    let mut look = |standing, now_s: i64| look_at_standing(&mut watcher, &[standing], asked, now_s * 1_000);
    assert_eq!(look(Not, 0), []);
    for at_s in (0..60).step_by(20) {
        assert_eq!(look(So, at_s), []);
        assert_eq!(look(Between, at_s + 10), []);
    }
    assert_eq!(look(Between, 61), [], "it recovered, and may be fine soon");
    assert_eq!(look(So, 70), [Some(0)]);
    for at_s in (80..200).step_by(20) {
        assert_eq!(look(Between, at_s), []);
        assert_eq!(look(So, at_s + 10), []);
    }
    assert_eq!(look(Not, 200), []);
    assert_eq!(look(Between, 210), [], "nobody saw it fail");
    assert_eq!(look(So, 220), []);
    assert_eq!(look(So, 280), [Some(0)]);

    let mut watcher = Watcher::default();
    let mut look = |standing, now_s: i64| {
        look_at_standing(&mut watcher, &[standing], (Which::Any, 0, false), now_s * 1_000)
    };
    assert_eq!(look(Between, 0), []);
    assert_eq!(look(So, 1), [], "it failed before it was asked");

    let mut watcher = Watcher::default();
    let mut none = |standing: &[Standing], now_s: i64| {
        look_at_standing(&mut watcher, standing, (Which::None, 0, false), now_s * 1_000)
    };
    assert_eq!(none(&[So, Not], 0), []);
    assert_eq!(none(&[Between, Not], 1), [], "it isn't fine yet");
    assert_eq!(none(&[Not, Not], 2), [None]);

    let mut watcher = Watcher::default();
    let mut all = |standing: &[Standing], now_s: i64| {
        look_at_standing(&mut watcher, standing, (Which::All, 10_000, false), now_s * 1_000)
    };
    assert_eq!(all(&[So, Between], 0), []);
    assert_eq!(all(&[Between, Between], 5), []);
    assert_eq!(all(&[Between, So], 10), [None]);
}

#[test]
fn the_words_of_a_question_are_read_as_kubectl_reads_them_or_it_is_said_why_not() {
    let read =
        |form: &str, hold: &str| Draft { form: form.into(), hold: hold.into(), ..Draft::default() }.read();
    for (form, path, value) in [
        ("condition=Ready", ".status.conditions[?(@.type==\"Ready\")].status", Some("True")),
        ("condition=Ready=False", ".status.conditions[?(@.type==\"Ready\")].status", Some("False")),
        ("jsonpath={.status.phase}=Running", ".status.phase", Some("Running")),
        ("jsonpath='{.status.phase}'=Running", ".status.phase", Some("Running")),
        ("jsonpath={.spec.nodeName}", ".spec.nodeName", None),
    ] {
        let Ok(meaning) = read(form, "") else { panic!("{form} is read") };
        let Form::Cell { column, value: wanted } = meaning.form else { panic!("{form} reads a cell") };
        let column: Vec<_> = column.iter().map(|column| column.path().to_owned()).collect();
        assert_eq!((column, wanted.as_deref()), (vec![path.to_owned()], value), "{form}");
    }
    assert_eq!(read("health=failing", "10m").map(|meaning| meaning.hold_ms), Ok(600_000));
    assert_eq!(read(" created ", "").map(|meaning| meaning.form), Ok(Form::Created));
    for (form, hold) in [
        ("", ""),
        ("condition=", ""),
        ("jsonpath={.a", ""),
        ("/(/", ""),
        ("deleted", "soon"),
        ("deleted", "2d"),
    ] {
        assert!(read(form, hold).is_err(), "{form:?} for {hold:?}");
    }
}
