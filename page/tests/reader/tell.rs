//! "Tell me when": what was asked is told once it is so, and never on a state that isn't proven.

use page::action::{Action, PaneAction, TellAction};
use page::effect::MayNotify;
use page::past::InPlaceOfRows;
use page::piece::Piece;
use page::preferences::Preferences;
use page::tell::{Draft, TellSheet, TellShown, Which};
use page::testing::{PageRig, brings};
use page::{Elsewhere, Environment, Host};

fn live(address: &str) -> PageRig {
    let mut page = PageRig::live(address);
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(1);
    page
}

#[test]
fn what_goes_right_after_the_question_was_there() {
    let mut page = live("/v/pods");
    page.act(TellAction::Open);
    page.act(TellAction::Write(form("deleted")));
    page.act(TellAction::Ask);
    page.delete("pods", "ledger/db-0");
    page.seconds(1);
    assert_eq!(told(&page).len(), 1);
}

/// Asks this of a subject of the sheet.
fn ask(page: &mut PageRig, subject: usize, draft: Draft) {
    page.act(TellAction::Open);
    page.act(TellAction::Write(Draft { subject, ..draft }));
    page.act(TellAction::Ask);
    page.seconds(1);
}

fn form(form: &str) -> Draft {
    Draft { form: form.into(), ..Draft::default() }
}

fn sheet(page: &PageRig) -> TellSheet {
    page.page.model().tell.as_ref().and_then(TellShown::sheet).expect("it is open").clone()
}

fn told(page: &PageRig) -> Vec<String> {
    sheet(page).told.into_iter().map(|line| line.text).collect()
}

#[test]
fn a_view_tells_what_becomes_so_with_its_proof_and_a_notification() {
    let mut page = live("/v/pods");
    page.page.may_notify(MayNotify::Yes);
    page.keys(&["!"]);
    page.seconds(1);
    assert_eq!(sheet(&page).subjects, ["pods all namespaces"]);
    ask(&mut page, 0, form("health=failing"));
    page.seconds(2);
    assert_eq!(told(&page), Vec::<String>::new(), "web-1 failed before");
    assert_eq!(sheet(&page).questions[0].text, "any of pods all namespaces: health=failing");
    page.effects();
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    let line = sheet(&page).told[0].clone();
    assert!(line.text.starts_with("cart-1 in shop, of pods all namespaces: health=failing"), "{}", line.text);
    assert!(line.proof.starts_with("resourceVersion ") && line.proof.contains("confirmed"), "{}", line.proof);
    let effects = page.effects();
    assert!(effects.iter().any(|effect| effect.contains("Notify")), "{effects:?}");
    assert!(sheet(&page).questions.is_empty(), "it is told once");
    assert_eq!(page.gateway.subscriptions(), ["pods"], "the pane's view is still open");
}

#[test]
fn what_is_not_proven_is_not_told_until_it_is() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, form("health=failing"));
    page.gateway.is_silent = true;
    page.seconds(20);
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    assert_eq!(told(&page), Vec::<String>::new());
    assert!(sheet(&page).questions[0].state.starts_with("unknown since"), "{:?}", sheet(&page).questions);
    page.gateway.is_silent = false;
    page.seconds(6);
    assert_eq!(told(&page).len(), 1);
}

#[test]
fn each_object_is_told_as_often_as_it_was_asked_and_a_question_can_be_taken_back() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, Draft { repeats: true, ..form("created") });
    ask(&mut page, 0, form("deleted"));
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    page.put("pods", "shop/new-2 1/1 Running 0");
    page.delete("pods", "ledger/db-0");
    page.seconds(1);
    let told = told(&page);
    assert_eq!(told.len(), 3, "{told:?}");
    for object in ["new-1 in shop", "new-2 in shop", "db-0 in ledger"] {
        assert!(told.iter().any(|text| text.starts_with(object)), "{object}: {told:?}");
    }
    let number = sheet(&page).questions[0].number;
    page.act(TellAction::Remove(number));
    page.seconds(1);
    assert!(sheet(&page).questions.is_empty());
}

#[test]
fn one_object_is_asked_of_by_its_name_and_all_of_a_view_together() {
    let mut page = live("/v/pods?o=shop/web-1");
    page.act(TellAction::Open);
    page.seconds(1);
    assert_eq!(sheet(&page).subjects, ["Pod web-1 in shop", "pods all namespaces"]);
    ask(&mut page, 0, form("status=Running"));
    ask(&mut page, 1, Draft { which: Which::None, ..form("health=failing") });
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.seconds(2);
    let mut told = told(&page);
    told.sort();
    assert_eq!(told, ["Pod web-1 in shop: status=Running", "none of pods all namespaces: health=failing"]);
}

#[test]
fn what_cannot_be_asked_says_why_and_asks_nothing() {
    let mut page = live("/v/pods");
    for draft in [form(""), form("condition="), Draft { hold: "soon".into(), ..form("created") }] {
        ask(&mut page, 0, draft.clone());
        assert!(!sheet(&page).why.is_empty() && sheet(&page).questions.is_empty(), "{draft:?}");
    }
    let mut page = live("/wrong");
    for form in [form("created"), form("restarts>5"), form("health=fine"), form("condition=Ready")] {
        ask(&mut page, 0, form.clone());
        assert_eq!(sheet(&page).why, page::tell::words::NOT_OF_WRONG, "{form:?}");
        assert!(sheet(&page).questions.is_empty());
    }
}

#[test]
fn the_bell_counts_what_was_not_seen_and_all_of_it_ends_with_the_login() {
    let mut page = live("/v/pods");
    assert_eq!(page.page.model().bell, None);
    ask(&mut page, 0, form("created"));
    page.act(TellAction::Close);
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    assert_eq!(page.page.model().bell, Some(1));
    page.act(TellAction::Open);
    page.seconds(1);
    assert_eq!(page.page.model().bell, Some(0));
    page.act(TellAction::Close);
    page.act(PaneAction::Filter("web".into()));
    page.act(Action::SignOut);
    let now = page.now();
    page.effects();
    page.page.signed_out(Ok(None), now);
    page.seconds(1);
    assert!(page.effects().contains(&"close notifications".to_owned()));
    assert_eq!(page.page.model().bell, None);
    assert!(page.page.model().tell.is_none());
}

#[test]
fn a_line_of_what_is_wrong_is_asked_of_by_itself_and_told_when_it_is_fine() {
    let mut page = live("/wrong");
    let shown = page.model().empty_state.as_ref().and_then(|state| state.replaced.0.clone());
    let Some(InPlaceOfRows::Wrong(list)) = shown.as_deref() else { panic!("what is wrong") };
    let pod = list.stories[0].root.clone();
    assert_eq!((&*pod.kind, &*pod.name), ("Pod", "web-1"));
    page.act(TellAction::About(pod.about.expect("its kind is known")));
    page.seconds(1);
    assert_eq!(sheet(&page).subjects, ["Pod web-1 in shop", "all kinds all namespaces"]);
    assert_eq!(sheet(&page).draft.form, "health=fine");
    page.act(TellAction::Ask);
    page.seconds(2);
    assert_eq!(told(&page), Vec::<String>::new(), "it still fails");
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.seconds(1);
    assert_eq!(told(&page), ["Pod web-1 in shop: health=fine"]);
    let href = sheet(&page).told[0].href.clone();
    assert_eq!(href.as_deref(), Some("/wrong/@kind/*?o=pods/shop/web-1"));
}

/// A page that a link with a question opens. It asks for the piece by itself.
fn linked(address: &str) -> PageRig {
    let mut page = PageRig::live(address);
    page.seconds(1);
    page
}

#[test]
fn the_question_of_a_link_waits_for_a_click_and_asks_for_nothing() {
    let mut page = linked("/v/pods?o=shop/web-1&tell=health=fine;for=10s");
    let shown = sheet(&page);
    assert!(shown.is_linked && shown.questions.is_empty() && shown.is_single, "{shown:?}");
    assert_eq!((&*shown.draft.form, &*shown.draft.hold), ("health=fine", "10s"));
    let effects = page.effects();
    assert!(
        !effects.iter().any(|effect| effect.contains("notify") || effect.contains("keep")),
        "{effects:?}"
    );
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/web-1&tell=health=fine;for=10s", "a reload keeps it");
    page.act(TellAction::Ask);
    page.seconds(1);
    let shown = sheet(&page);
    assert!(!shown.is_linked);
    assert_eq!(shown.questions[0].text, "Pod web-1 in shop: health=fine for 10s");
    assert_eq!(shown.questions[0].link, "/v/pods@kind/*?o=shop/web-1&tell=health=fine;for=10s");
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/web-1", "it was asked");
}

#[test]
fn a_link_may_ask_of_a_view_and_what_it_cannot_say_is_one_sentence_over_the_view() {
    let asked = "/v/pods@kind/*?tell=restarts%3E5;of=none;each=1;sound=1";
    let page = linked(asked);
    let shown = sheet(&page);
    assert_eq!((shown.draft.which, shown.draft.repeats), (Which::None, true));
    assert!(!shown.draft.has_sound, "no stranger's link makes a noise");
    for (question, why) in [
        ("condition=", "condition=Ready"),
        ("", "What has to be so?"),
        ("deleted;when=now", "when=now is no part of a question"),
        ("deleted;for=ever", "ever"),
        (&"x".repeat(3_000), "it is too long"),
    ] {
        let page = linked(&format!("/v/pods@kind/*?tell={question}"));
        assert!(page.page.model().tell.is_none(), "{question}");
        assert_eq!(page.address, "/v/pods@kind/*", "{question}");
        let said = page.page.model().bar.as_ref().map(|bar| bar.text.clone()).unwrap_or_default();
        assert!(said.contains(why), "{question}: {said}");
        assert!(page.model().rows.rows.len() > 1, "{question}: the view is there");
    }
}

#[test]
fn a_tone_sounds_when_it_is_chosen_and_when_it_is_told_and_else_never() {
    let mut page = live("/v/pods");
    let sounds = |page: &mut PageRig| page.effects().iter().filter(|effect| *effect == "sound").count();
    ask(&mut page, 0, form("created"));
    page.act(TellAction::Remove(1));
    assert_eq!(sounds(&mut page), 0);
    page.act(TellAction::Open);
    let loud = Draft { has_sound: true, repeats: true, ..form("created") };
    page.act(TellAction::Write(loud.clone()));
    page.act(TellAction::Write(loud));
    assert_eq!(sounds(&mut page), 1, "it is heard what is chosen");
    page.act(TellAction::Ask);
    page.seconds(1);
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.put("pods", "shop/new-2 1/1 Running 0");
    page.seconds(1);
    assert_eq!((sounds(&mut page), told(&page).len()), (1, 2), "two at once are one tone, and two lines");
}

/// A page that opens with these preferences.
fn with_preferences(preferences: Preferences, user: &str) -> PageRig {
    let environment = Environment { preferences, ..Environment::default() };
    let mut page = PageRig::before("/v/nodes", Host::Dogwatch, environment);
    page.gateway.welcome.viewer.user = user.into();
    page.start();
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(2);
    page
}

fn kept_by(page: &mut PageRig) -> Preferences {
    let mut kept = Preferences::default();
    page.take_changes().iter().for_each(|change| change.apply(&mut kept));
    kept
}

#[test]
fn questions_are_asked_again_when_the_page_opens_and_what_was_told_is_not_kept() {
    let mut page = live("/v/pods?q=web&sort=age&o=shop/web-1");
    ask(&mut page, 0, form("health=fine"));
    ask(&mut page, 1, Draft { which: Which::All, hold: "5s".into(), repeats: true, ..form("health=fine") });
    ask(&mut page, 1, form("created"));
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    assert_eq!(told(&page).len(), 1);
    let kept = kept_by(&mut page);
    let expected = [
        "/v/pods@kind/*?o=shop/web-1&tell=health=fine",
        "/v/pods@kind/*?tell=health=fine;of=all;for=5s;each=1",
    ];
    assert_eq!(
        kept.questions.iter().skip(1).map(|text| &**text).collect::<Vec<_>>(),
        expected,
        "the third was told"
    );
    assert!(!kept.text().contains("new-1"), "{}", kept.text());

    let mut page = with_preferences(Preferences::parse(&kept.text()), "m");
    page.act(TellAction::Open);
    page.seconds(1);
    let texts: Vec<_> = sheet(&page).questions.into_iter().map(|line| line.text).collect();
    let expected =
        ["Pod web-1 in shop: health=fine", "all of pods all namespaces: health=fine for 5s, each time"];
    assert_eq!(texts, expected);
    assert!(sheet(&page).told.is_empty());
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.seconds(1);
    assert_eq!(told(&page), ["Pod web-1 in shop: health=fine"]);
    assert_eq!(kept_by(&mut page).questions.len(), 1, "told once, it isn't kept any longer");
}

#[test]
fn a_question_that_is_too_long_to_be_kept_says_that_it_ends_with_its_tab() {
    let labels =
        (0..120).map(|number| format!("label-number-{number}%3Dvalue")).collect::<Vec<_>>().join(",");
    let mut page = live(&format!("/v/pods?l={labels}"));
    ask(&mut page, 0, form("created"));
    assert!(sheet(&page).questions[0].text.ends_with(", until this tab is closed"));
    assert!(kept_by(&mut page).questions.is_empty());
    ask(&mut page, 0, form(&"x".repeat(501)));
    assert_eq!(sheet(&page).why, "A question has 500 bytes at most.");
}

#[test]
fn another_reader_of_the_same_browser_has_none_of_them() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, form("created"));
    let kept = kept_by(&mut page);
    assert_eq!(kept.questions.len(), 2);
    let mut page = with_preferences(kept.clone(), "john");
    assert_eq!(page.page.model().bell, None);
    let mut held = kept;
    page.take_changes().iter().for_each(|change| change.apply(&mut held));
    assert_eq!(held.questions.len(), 1, "the names of a former reader's objects don't stay");
    assert_eq!(page.gateway.subscriptions(), ["nodes"]);
}

#[test]
fn a_question_that_another_tab_takes_back_or_asks_is_followed() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, Draft { repeats: true, ..form("created") });
    let mut kept = kept_by(&mut page);
    let of = kept.questions[0].clone();
    kept.questions = vec![of, "/v/nodes@kind/-?tell=health=failing".into()];
    let now = page.now();
    let elsewhere = Elsewhere { preferences: kept, is_signed_in: true, ..Elsewhere::default() };
    page.page.kept_elsewhere(elsewhere, now);
    page.seconds(1);
    let texts: Vec<_> = sheet(&page).questions.into_iter().map(|line| line.text).collect();
    assert_eq!(texts, ["any of nodes: health=failing"]);
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    assert_eq!(told(&page).len(), 1, "the other tab saw it, and so does this one");
    page.seconds(6);
    page.put("pods", "shop/new-2 1/1 Running 0");
    page.seconds(1);
    assert_eq!(told(&page).len(), 1, "then it is over");
    assert_eq!(page.gateway.subscriptions(), ["pods", "nodes"]);
}

#[test]
fn what_is_wrong_is_asked_as_a_whole_whatever_its_kind() {
    let mut page = live("/wrong");
    page.act(TellAction::Open);
    page.seconds(1);
    let shown = sheet(&page);
    assert_eq!(shown.subjects, ["all kinds all namespaces"]);
    let [fails, fine] = shown.picks else { panic!("two: {:?}", shown.picks) };
    let of = |pick: &page::tell::Pick| {
        let mut draft = Draft { repeats: true, ..Draft::default() };
        pick.choose(&mut draft);
        draft
    };
    ask(&mut page, 0, of(fails));
    ask(&mut page, 0, of(fine));
    let asked: Vec<_> = sheet(&page).questions.into_iter().map(|line| line.text).collect();
    let expected = [
        "any of all kinds all namespaces: health=failing, each time",
        "none of all kinds all namespaces: health=failing,not-ready, each time",
    ];
    assert_eq!(asked, expected);
    page.go("/v/nodes");
    page.seconds(2);
    assert_eq!(told(&page), Vec::<String>::new(), "two failed before");
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    let line = sheet(&page).told[0].clone();
    let text = "Pod cart-1 in shop, of all kinds all namespaces: health=failing (CrashLoopBackOff)";
    assert_eq!((&*line.text, line.href.as_deref()), (text, Some("/wrong/@kind/*?o=pods/shop/cart-1")));
    for gone in ["shop/cart-1", "shop/web-1"] {
        page.delete("pods", gone);
        page.seconds(1);
    }
    assert_eq!(told(&page).len(), 1, "a deployment still fails");
    page.delete("deployments.apps", "shop/web");
    page.seconds(1);
    assert_eq!(told(&page)[0], "none of all kinds all namespaces: health=failing,not-ready");

    page.gateway.is_silent = true;
    page.seconds(20);
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    assert_eq!(told(&page).len(), 2, "nothing is told of what isn't proven");
    assert!(sheet(&page).questions.iter().all(|line| line.state.starts_with("unknown since")));
    page.gateway.is_silent = false;
    page.seconds(6);
    assert_eq!(told(&page).len(), 3);

    let kept = kept_by(&mut page);
    let mut page = with_preferences(Preferences::parse(&kept.text()), "m");
    page.act(TellAction::Open);
    page.seconds(1);
    let again: Vec<_> = sheet(&page).questions.into_iter().map(|line| line.text).collect();
    assert_eq!(again, expected, "as every question they are asked again");
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    assert_eq!(told(&page).len(), 1);
    for number in 1..=2 {
        page.act(TellAction::Remove(number));
    }
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions(), ["nodes"], "its views are closed");
}

#[test]
fn a_link_may_ask_about_what_is_wrong() {
    let page = linked("/wrong/@kind/shop?tell=health=failing;for=1m");
    assert_eq!(sheet(&page).subjects, ["all kinds shop"]);
    let page = linked("/wrong?tell=created");
    let said = page.page.model().bar.as_ref().map(|bar| bar.text.clone()).unwrap_or_default();
    assert!(said.contains("Of all kinds words"), "{said}");
    let page = linked("/wrong?o=pods/shop/web-1&tell=health=fine");
    assert_eq!(sheet(&page).subjects[0], "Pod web-1 in shop");
}

#[test]
fn what_was_kept_by_another_version_is_let_go_and_a_cluster_that_is_not_there_is_waited_for() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, form("created"));
    let mut kept = kept_by(&mut page);
    let of = kept.questions[0].clone();
    kept.questions =
        vec![of, "/v/pods@kind/*?tell=condition=".into(), "/v/pods@gone/*?tell=created".into(), "%".into()];
    let mut page = with_preferences(kept, "m");
    page.act(TellAction::Open);
    page.seconds(1);
    let lines = sheet(&page).questions;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].state, page::tell::words::NOT_YET);
    page.act(TellAction::Remove(lines[0].number));
    page.seconds(1);
    assert!(sheet(&page).questions.is_empty());
}

#[test]
fn what_is_told_of_several_clusters_names_each_and_leads_to_its_object() {
    let mut page = PageRig::before("/v/pods@*/shop", Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(&["eu", "us"]);
    page.start();
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(1);
    ask(&mut page, 0, form("health=failing"));
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    let lines: Vec<_> = sheet(&page).told.into_iter().map(|line| (line.text, line.href)).collect();
    let of = |cluster: &str| {
        let text =
            format!("cart-1 in shop, {cluster}, of pods shop, 2 clusters: health=failing (CrashLoopBackOff)");
        (text, Some(format!("/v/pods@*/shop?o=@{cluster}/shop/cart-1")))
    };
    assert_eq!(lines, [of("us"), of("eu")]);
    page.go("/v/pods@us/shop?o=shop/web-1");
    page.seconds(1);
    ask(&mut page, 0, form("deleted"));
    ask(&mut page, 1, form("deleted"));
    page.delete("pods", "shop/web-1");
    page.seconds(1);
    let lines: Vec<_> = sheet(&page).told.into_iter().map(|line| (line.text, line.href)).take(2).collect();
    let link = Some("/v/pods@us/shop?o=shop/web-1".to_owned());
    assert_eq!(
        lines,
        [
            ("web-1 in shop, of pods shop, us: deleted (CrashLoopBackOff)".to_owned(), link.clone()),
            ("Pod web-1 in shop, us: deleted (CrashLoopBackOff)".to_owned(), link),
        ]
    );
}

#[test]
fn a_rollout_is_asked_of_what_has_one_and_told_when_it_ends() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, form("rollout"));
    assert_eq!(sheet(&page).why, page::tell::words::NO_ROLLOUTS);
    assert!(sheet(&page).picks.iter().all(|pick| pick.form != "rollout"));
    let mut page = live("/v/deployments.apps?o=shop/web");
    page.act(TellAction::Open);
    page.seconds(1);
    let pick = *sheet(&page).picks.iter().find(|pick| pick.form == "rollout").expect("it has one");
    assert_eq!(pick.said, "ends its rollout");
    ask(&mut page, 0, form("rollout"));
    assert_eq!(sheet(&page).questions[0].text, "Deployment web in shop: rollout");
    for (field, value) in [
        (".metadata.generation", 2),
        (".status.observedGeneration", 2),
        (".spec.replicas", 1),
        (".status.replicas", 1),
        (".status.updatedReplicas", 1),
        (".status.availableReplicas", 0),
    ] {
        page.gateway.fields.insert((field.into(), "shop/web".into()), value.to_string());
    }
    page.put("deployments.apps", "shop/web 0/1");
    page.seconds(2);
    assert_eq!(told(&page), Vec::<String>::new(), "a pod isn't available yet");
    page.gateway.fields.insert((".status.availableReplicas".into(), "shop/web".into()), "1".into());
    page.put("deployments.apps", "shop/web 1/1");
    page.seconds(1);
    assert_eq!(told(&page), ["Deployment web in shop: rollout (complete)"]);
}

#[test]
fn a_pod_that_crashes_and_comes_back_ends_no_rollout() {
    let mut page = live("/v/deployments.apps");
    page.put("deployments.apps", "shop/web 1/1");
    let revision = ".metadata.annotations['deployment.kubernetes.io/revision']";
    let set = |page: &mut PageRig, field: &str, value: &str| {
        page.gateway.fields.insert((field.into(), "shop/web".into()), value.into());
    };
    for field in [".metadata.generation", ".status.observedGeneration", ".spec.replicas", ".status.replicas"]
    {
        set(&mut page, field, "1");
    }
    for (field, value) in
        [(".status.updatedReplicas", "1"), (".status.availableReplicas", "1"), (revision, "7")]
    {
        set(&mut page, field, value);
    }
    page.act(TellAction::Open);
    let subject = sheet(&page).subjects.len() - 1;
    ask(&mut page, subject, Draft { form: "rollout".into(), repeats: true, ..form("rollout") });
    page.seconds(2);
    let before = told(&page).len();
    for available in ["0", "1", "0", "1"] {
        set(&mut page, ".status.availableReplicas", available);
        page.put("deployments.apps", &format!("shop/web {available}/1"));
        page.seconds(2);
    }
    assert_eq!(told(&page).len(), before, "{:?}", told(&page));
    set(&mut page, revision, "8");
    for available in ["0", "1"] {
        set(&mut page, ".status.availableReplicas", available);
        page.put("deployments.apps", &format!("shop/web {available}/1"));
        page.seconds(2);
    }
    assert_eq!(told(&page).len(), before + 1, "{:?}", told(&page));
}
