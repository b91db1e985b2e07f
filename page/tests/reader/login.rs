//! How a reader signs in, stays signed in, and signs out; and what is on the screen meanwhile.

use page::action::{Action, PaletteAction, PickerAction};
use page::messages;
use page::model::{BarKind, Login, PillState, WayIn};
use page::preferences::Preferences;
use page::testing::PageRig;
use page::{Elsewhere, Environment, Host, LastLogin, Renewed};
use replica::client::{Input, SignIn};
use shared::frame::server::{Auth, Goaway, LoginMode, ServerFrame, Viewer, ViewerRights, Wanted};
use shared::problem::{Problem, Reason};

fn unauthorized(message: &str) -> Problem {
    Problem::new(Reason::Unauthorized, message)
}

fn viewer(mode: LoginMode, expires_ms: Option<i64>) -> Viewer {
    let is_oidc = mode == LoginMode::Oidc;
    Viewer {
        user: "alice@example.org".into(),
        groups: vec!["payments-dev".into(), "system:authenticated".into()],
        mode,
        provider: is_oidc.then(|| "sso.example.org".into()),
        rights: ViewerRights::Viewer,
        signs_out: is_oidc,
        expires_ms,
    }
}

/// A page of a gateway that asks for this, before it connects.
fn before(wanted: Wanted, host: Host, last_login: LastLogin) -> PageRig {
    let environment = Environment { sign_in: SignIn::Key, last_login, ..Environment::default() };
    let mut page = PageRig::before("/v/pods@kind/shop?q=web", host, environment);
    page.gateway.wanted = Some(wanted);
    page
}

/// Signed in at a provider, until then.
fn signed_in(expires_in_ms: i64) -> PageRig {
    let mut page = before(Wanted::Login, Host::Dogwatch, LastLogin::None);
    page.gateway.welcome.viewer = viewer(LoginMode::Oidc, Some(page.now_ms + expires_in_ms));
    page.start();
    page.seconds(1);
    page.effects();
    page
}

/// Not let in at the start.
fn refused(wanted: Wanted, last_login: LastLogin) -> PageRig {
    let mut page = before(wanted, Host::Dogwatch, last_login);
    page.gateway.refuses = Some(unauthorized("no login came with this connection"));
    page.page.address_changed("/v/pods@kind/shop?q=web", page.now());
    page.page.handle(Input::Start, page.now());
    page.seconds(1);
    page
}

fn login(page: &PageRig) -> Login {
    page.page.model().login.clone().expect("the login page")
}

const LINK: &str = "sign in at /login?to=/v/pods@kind/shop%3Fq=web";

#[test]
fn the_first_page_of_a_tab_leads_to_the_provider_by_itself_and_none_after_it() {
    let by_itself = format!("{LINK} by itself");
    let mut first = refused(Wanted::Login, LastLogin::None);
    assert!(first.effects().contains(&by_itself), "nothing is on the screen yet");
    assert_eq!((login(&first).way_in, login(&first).title), (WayIn::Provider, messages::LOGIN_PROVIDER));
    first.page.handle(Input::SignIn(SignIn::Key), first.now());
    first.seconds(1);
    assert_eq!(first.page.model().login.as_ref().map(|login| login.way_in), Some(WayIn::Provider), "again");
    assert!(!first.effects().contains(&by_itself), "once for a document");
    for (last, text) in [
        (LastLogin::Led, "No login came with this connection."),
        (LastLogin::Left, messages::LOGIN_PROVIDER_WHY),
    ] {
        let mut page = refused(Wanted::Login, last);
        assert!(!page.effects().iter().any(|effect| effect.starts_with("sign in")), "{last:?}");
        assert_eq!((login(&page).way_in, login(&page).text.as_str()), (WayIn::Provider, text));
        page.act(Action::SignInAgain);
        assert_eq!(page.effects().last().map(String::as_str), Some(LINK), "the button");
    }
}

#[test]
fn who_comes_back_from_the_provider_sees_rows_and_the_other_tabs_hear_of_it() {
    let mut page = before(Wanted::Login, Host::Dogwatch, LastLogin::Led);
    page.gateway.welcome.viewer = viewer(LoginMode::Oidc, None);
    page.page.address_changed("/v/pods", page.now());
    page.page.handle(Input::Start, page.now());
    page.seconds(1);
    assert!(page.effects().contains(&"signed in".to_owned()));
    assert_eq!(page.rows().len(), 3);
    assert_eq!(page.page.model().user, "alice@example.org");
    page.disconnect();
    page.reconnect();
    assert!(!page.effects().contains(&"signed in".to_owned()), "once for a document");
}

#[test]
fn a_login_that_ended_leaves_the_rows_as_they_were_with_a_button_and_leads_nowhere() {
    let mut page = signed_in(3_600_000);
    page.gateway.refuses = Some(unauthorized("the login has ended; log in again"));
    page.refuse();
    page.seconds(1);
    assert_eq!(page.page.model().login, None, "the views stay");
    assert_eq!((page.rows().len(), page.model().head.state), (1, PillState::Stale), "at once");
    assert_eq!(
        page.bar(),
        "Your login ended 10:00:01. Rows as of then. The gateway said: the login has ended; log in again."
    );
    assert!(page.notice().contains(messages::ROWS_UNTIL_SIGNED_IN), "{}", page.notice());
    assert!(!page.effects().iter().any(|effect| effect.starts_with("sign in")));
    page.act(Action::SignInAgain);
    assert_eq!(page.effects().last().map(String::as_str), Some(LINK));
}

#[test]
fn another_tab_that_signs_in_lets_this_one_go_on() {
    let mut page = signed_in(3_600_000);
    page.gateway.refuses = Some(unauthorized("the login has ended; log in again"));
    page.refuse();
    page.gateway.refuses = None;
    let told = Elsewhere { told: "in 1".into(), ..Elsewhere::default() };
    page.page.kept_elsewhere(told.clone(), page.now());
    page.seconds(1);
    assert_eq!((page.model().head.state, page.bar().as_str()), (PillState::Live, ""));
    let mut waiting = refused(Wanted::Login, LastLogin::Led);
    waiting.effects();
    waiting.page.kept_elsewhere(told.clone(), waiting.now());
    waiting.seconds(1);
    assert!(waiting.effects().contains(&"reload".to_owned()));
    page.page.kept_elsewhere(told, page.now());
    page.seconds(1);
    assert_eq!(page.effects().iter().filter(|effect| *effect == "reload").count(), 0, "it is in already");
}

#[test]
fn a_login_is_renewed_before_its_end_on_a_new_connection_and_every_row_stays() {
    let mut page = signed_in(400_000);
    page.seconds(278);
    assert_eq!(is_renewed(&mut page), 0, "not yet");
    page.seconds(3);
    assert_eq!(is_renewed(&mut page), 1, "once");
    page.page.renewed(Renewed::Unanswered, page.now());
    page.seconds(11);
    assert_eq!(is_renewed(&mut page), 1, "again after a pause");
    let renewed_until = Some(page.now_ms + 3_600_000);
    page.gateway.welcome.viewer.expires_ms = renewed_until;
    page.gateway.take_asked();
    page.page.renewed(Renewed::Done, page.now());
    page.seconds(9);
    assert_eq!(page.gateway.take_asked(), Vec::<String>::new(), "the gateway may say it on this connection");
    page.seconds(100);
    assert_eq!(page.gateway.take_asked(), ["pods in shop"], "another connection has the new login");
    assert_eq!((is_renewed(&mut page), page.bar().as_str()), (0, ""));
    assert_eq!((page.rows().len(), page.model().head.state), (1, PillState::Live));

    // The gateway's word may come before its answer.
    for is_told_first in [false, true] {
        let mut told = signed_in(120_000);
        told.seconds(80);
        assert_eq!(is_renewed(&mut told), 1);
        told.gateway.take_asked();
        if is_told_first {
            ends(&mut told, renewed_until);
            told.page.renewed(Renewed::Done, told.now());
        } else {
            told.page.renewed(Renewed::Done, told.now());
            ends(&mut told, renewed_until);
        }
        told.seconds(100);
        let asked = (told.gateway.take_asked().len(), is_renewed(&mut told));
        assert_eq!(asked, (0, 0), "the same connection goes on");
    }
}

fn is_renewed(page: &mut PageRig) -> usize {
    page.effects().iter().filter(|effect| *effect == "renew").count()
}

/// The gateway says when the login ends.
fn ends(page: &mut PageRig, expires_ms: Option<i64>) {
    page.receive(vec![ServerFrame::Auth(Auth { user: "alice@example.org".into(), expires_ms })]);
}

/// What happens in so many seconds where each renewal works, and lets the login hold for so long: the renewals, the
/// seconds in which the page speaks of the end, and the views that another connection asks for.
fn renewed_for(seconds: usize, mut until: impl FnMut(i64) -> i64) -> (usize, usize, usize) {
    let mut page = signed_in(120_000);
    page.gateway.take_asked();
    let (mut renewals, mut spoken) = (0, 0);
    for _ in 0..seconds {
        page.seconds(1);
        spoken += usize::from(!page.bar().is_empty());
        if is_renewed(&mut page) > 0 {
            renewals += 1;
            let expires_ms = until(page.now_ms);
            page.page.renewed(Renewed::Done, page.now());
            ends(&mut page, Some(expires_ms));
        }
    }
    (renewals, spoken, page.gateway.take_asked().len())
}

#[test]
fn a_login_of_two_minutes_is_renewed_when_a_third_of_it_is_left_and_on_the_same_connection() {
    assert_eq!(renewed_for(1_200, |now_ms| now_ms + 120_000), (15, 0, 0));
}

#[test]
fn a_login_that_can_not_last_longer_is_asked_for_at_a_third_of_what_is_left() {
    let mut end_ms = None;
    let (renewals, _, asked) = renewed_for(117, |now_ms| *end_ms.get_or_insert(now_ms + 40_000));
    assert_eq!((renewals, asked), (3, 0));
}

#[test]
fn a_login_that_is_not_renewed_counts_down_with_what_to_do() {
    let mut page = signed_in(400_000);
    page.seconds(280);
    assert!(page.effects().contains(&"renew".to_owned()));
    page.seconds(65);
    let bar = page.page.model().bar.clone().expect("a bar");
    assert_eq!((bar.strong.as_str(), bar.kind), ("Your login ends in 54 s.", BarKind::Busy));
    assert_eq!((bar.text.as_str(), bar.action), (messages::LOGIN_IS_RENEWED, None));
    assert_eq!(page.page.model().announced, "Your login ends in 1 min.", "said once");
    page.page.renewed(Renewed::Refused, page.now());
    page.seconds(1);
    let action = page.page.model().bar.clone().and_then(|bar| bar.action);
    assert_eq!(action, Some((messages::SIGN_IN_AGAIN, Action::SignInAgain)));
    page.seconds(12);
    assert!(!page.effects().contains(&"renew".to_owned()), "it was refused");
}

#[test]
fn r_data_5_who_signs_out_leaves_no_row_and_no_step_back_brings_one() {
    let mut page = signed_in(3_600_000);
    page.act(Action::Who(true));
    assert!(page.page.model().who.clone().expect("a popover").signs_out);
    page.act(Action::SignOut);
    assert_eq!(page.effects(), ["sign out"]);
    page.page.signed_out(Err(()), page.now());
    page.seconds(1);
    assert_eq!(page.page.model().hint, messages::SIGN_OUT_FAILED);
    assert_eq!(page.rows().len(), 1, "still signed in");
    let more = page.gateway.clusters_change(&["kind", "us"], page.now_ms);
    page.receive(more);
    page.act(Action::Clusters(PickerAction::Open));
    page.act(Action::Palette(PaletteAction::Open));
    page.page.render(page.now_ms);
    assert!(page.page.model().clusters.picker.is_some() && page.page.model().palette.is_some());
    page.page.signed_out(Ok(Some("https://sso.example.org/end".to_owned())), page.now());
    page.page.render(page.now_ms);
    let left = page.page.model();
    assert!(left.clusters.picker.is_none() && left.palette.is_none(), "nothing stays open");
    assert_eq!((login(&page).title, left.user.as_str(), page.page.panes().count()), ("Signed out", "", 0));
    assert_eq!(left.navigation.groups.len() + left.cluster.len(), 0, "nothing of the cluster");
    page.go("/v/pods@kind/shop");
    page.page.handle(Input::Visible, page.now());
    page.seconds(1);
    assert_eq!(page.page.panes().count(), 0, "a step back");
    let effects = page.effects();
    assert!(effects.contains(&"leave https://sso.example.org/end".to_owned()), "{effects:?}");
    assert!(effects.contains(&"tell other tabs".to_owned()), "{effects:?}");
}

#[test]
fn a_tab_leaves_when_another_one_signs_out_and_only_where_the_login_is_shared() {
    let told = Elsewhere { told: "out 7".into(), ..Elsewhere::default() };
    let mut page = signed_in(3_600_000);
    page.page.kept_elsewhere(told.clone(), page.now());
    assert_eq!((login(&page).title, page.page.panes().count()), ("Signed out", 0));
    page.page.kept_elsewhere(told.clone(), page.now());
    page.seconds(1);
    let effects = page.effects();
    assert_eq!(effects.iter().filter(|effect| *effect == "leave").count(), 1, "{effects:?}");
    assert!(!effects.contains(&"tell other tabs".to_owned()), "or tabs would tell each other for ever");
    let mut local = PageRig::live("/v/pods");
    local.page.kept_elsewhere(told, local.now());
    assert_eq!(local.rows().len(), 3);
}

#[test]
fn behind_a_proxy_nothing_is_asked_for_and_a_refusal_says_who_sends_the_login() {
    let page = refused(Wanted::Proxy, LastLogin::None);
    let said = login(&page);
    assert_eq!(said.way_in, WayIn::Proxy);
    assert!(said.text.contains("A proxy before this gateway"), "{said:?}");
    assert_eq!(said.refusal.as_deref(), Some("No login came with this connection."));
    let mut page = before(Wanted::Proxy, Host::Dogwatch, LastLogin::None);
    page.gateway.welcome.viewer = viewer(LoginMode::Proxy, None);
    page.start();
    page.gateway.refuses = Some(unauthorized("the proxy named nobody"));
    page.refuse();
    page.seconds(1);
    let bar = page.page.model().bar.clone().expect("a bar");
    assert_eq!(bar.action, Some((messages::TRY_AGAIN, Action::Reload)));
    assert_eq!(page.page.model().login, None);
}

#[test]
fn the_page_of_a_reader_without_a_login_stays_until_another_tab_signs_in() {
    let mut unsigned = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    unsigned.act(Action::ShowLogin(Login::needed()));
    let mut refused = PageRig::live("/v/pods");
    let problem = unauthorized("the code was used");
    refused.receive(vec![ServerFrame::Goaway(Goaway { problem, spread_ms: 0 })]);
    refused.page.handle(Input::Closed { code: Some(4401) }, refused.now());
    refused.seconds(1);
    assert!(refused.effects().contains(&"forget the session".to_owned()));
    for (mut page, refusal) in [(unsigned, None), (refused, Some("The code was used."))] {
        let shown = login(&page);
        let command = shown.way_in.command("9000", "/v/pods");
        let expected = (refusal, Some("dogwatch url --port 9000 /v/pods"));
        assert_eq!((shown.refusal.as_deref(), command.as_deref()), expected);
        let elsewhere =
            Elsewhere { preferences: Preferences::default(), is_signed_in: true, ..Elsewhere::default() };
        page.page.kept_elsewhere(elsewhere, page.now());
        page.seconds(1);
        assert!(page.effects().contains(&"reload".to_owned()));
    }
}

#[test]
fn a_login_with_a_token_says_when_it_ends_and_another_token_follows_on_the_same_views() {
    let mut page = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    page.gateway.welcome.viewer = viewer(LoginMode::Bearer, Some(page.now_ms + 400_000));
    page.start();
    page.act(Action::SignIn(" token\n".to_owned()));
    let told = |page: &mut PageRig, left_ms: i64| {
        let expires_ms = Some(page.now_ms + left_ms);
        page.receive(vec![ServerFrame::Auth(Auth { user: "alice".into(), expires_ms })]);
        page.seconds(1);
    };
    page.seconds(342);
    assert_eq!(page.bar(), "Your login ends in 58 s. Signing in again keeps every view where it is.");
    page.act(Action::SignInAgain);
    page.seconds(1);
    assert_eq!((login(&page).way_in, login(&page).can_return), (WayIn::Token, true));
    page.act(Action::ReturnToViews);
    assert_eq!(page.page.model().login, None);
    page.act(Action::SignInAgain);
    told(&mut page, 3_600_000);
    assert_eq!((page.bar(), page.page.model().login.clone()), (String::new(), None));
    assert_eq!(page.rows().len(), 3);
    page.page.handle(Input::Closed { code: Some(4401) }, page.now());
    page.seconds(1);
    assert_eq!((page.page.model().login.clone(), page.rows().len()), (None, 3), "the rows stay");
    page.act(Action::SignInAgain);
    page.gateway.refuses = Some(unauthorized("the cluster knows no such token"));
    page.act(Action::SignIn("wrong".to_owned()));
    page.seconds(1);
    let shown = login(&page);
    assert_eq!(
        (shown.way_in, shown.refusal.as_deref()),
        (WayIn::Token, Some("The cluster knows no such token."))
    );
    assert!(!page.effects().contains(&"forget the session".to_owned()), "there is none");
}

#[test]
fn an_element_whose_page_is_not_signed_in_waits_for_it_and_leads_nowhere() {
    for wanted in [Wanted::Login, Wanted::Bearer] {
        let mut page = before(wanted, Host::Portal, LastLogin::None);
        page.gateway.refuses = Some(unauthorized("no login"));
        page.page.embed("/v/pods", page.now());
        page.page.handle(Input::Start, page.now());
        page.seconds(1);
        let said = page.pane(0).empty_state.clone().expect("a sentence");
        assert_eq!((said.title.as_str(), said.action), ("Not signed in", None));
        assert_eq!(said.text, messages::ELEMENT_SIGNED_OUT_WHY);
        assert!(!page.effects().iter().any(|effect| effect.starts_with("sign in")), "{wanted:?}");
    }
}

#[test]
fn who_am_i_says_by_which_login_by_whose_rights_and_until_when() {
    let mut page = signed_in(7_200_000);
    assert_eq!(page.page.model().who, None);
    page.act(Action::Who(true));
    page.seconds(1);
    let who = page.page.model().who.clone().expect("a popover");
    assert_eq!((who.user.as_str(), who.signed_in_by), ("alice@example.org", "Signed in with single sign-on"));
    assert_eq!(
        (who.groups.join(" "), who.more_groups.as_str()),
        ("payments-dev system:authenticated".into(), "")
    );
    assert_eq!(who.provider.as_deref(), Some("sso.example.org"));
    assert_eq!(who.rights, "Kubernetes' RBAC for you, reviewed by the API server");
    assert_eq!(who.ends.as_deref(), Some("12:00:00, in 119 min"));
    page.gateway.welcome.viewer = Viewer {
        groups: (0..24).map(|number| format!("group-{number}").into()).collect(),
        rights: ViewerRights::Gateway,
        ..viewer(LoginMode::Local, None)
    };
    page.disconnect();
    page.reconnect();
    page.seconds(1);
    let who = page.page.model().who.clone().expect("it stays open");
    assert_eq!((who.groups.len(), who.more_groups.as_str(), who.ends), (12, "+12 more", None));
    assert_eq!(who.rights, "The kubeconfig of the person who started this gateway");
    assert!(who.note.is_some_and(|note| note.contains("dogwatch sessions")) && !who.signs_out);
    page.act(Action::Who(false));
    page.seconds(1);
    assert_eq!(page.page.model().who, None);
}
