//! Two gateways behind one nginx, which leads each request to the next of them: no step of a login, no page and no
//! logout depends on which one it meets.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use http::header::LOCATION;
use http::{HeaderMap, Method};
use rustix::process::Signal;
use testkit::provider::{Browser, Provider};
use testkit::replicas::Replicas;
use testkit::teams::{self, Subject};

use testkit::gateways::{Entrance, PUBLIC, Socket, closed_within, expect_alive, next_frame, options};

/// nginx says here which gateway answered.
const ANSWERED_BY: &str = "x-gateway";
/// A close that hasn't come by then never will. How soon it comes is a test of [`crate::replicas`].
const PATIENCE: Duration = Duration::from_secs(60);

struct Scene {
    replicas: Replicas,
    entrance: Entrance,
    provider: Provider,
}

impl Scene {
    async fn open() -> Self {
        let playground = teams::playground(&[], &["team-a", "team-b"]).await.expect("it starts");
        teams::allow(&playground, "team-a", Subject::Group("dev")).expect("a binding");
        let provider = Provider::start(&options()).expect("it starts");
        // In turn, and each again at once when it is back.
        let answered_by = format!("add_header {ANSWERED_BY} $upstream_addr always;");
        let replicas = Replicas::of(playground, 2, &answered_by).expect("nginx starts");
        let mut scene = Self { entrance: replicas.entrance(), replicas, provider };
        (0..2).for_each(|at| scene.start(at));
        scene
    }

    fn start(&mut self, at: usize) {
        self.replicas.start_with_login(at, &self.provider, &[]).expect("it starts");
    }

    fn both(&self) -> BTreeSet<String> {
        self.replicas.addresses().map(str::to_owned).collect()
    }

    /// Pages of this browser, by the gateway that each met. Each is let in.
    async fn pages(&self, browser: &Browser, count: usize) -> BTreeMap<String, Vec<Socket>> {
        let mut pages: BTreeMap<String, Vec<Socket>> = BTreeMap::new();
        for _ in 0..count {
            let (socket, answer, headers) = self.entrance.opened_with_headers(browser).await;
            let viewer = answer.expect("let in")["welcome"]["viewer"]["user"].clone();
            assert_eq!(viewer, "alice@example.org");
            pages.entry(answered_by(&headers)).or_default().push(socket);
        }
        pages
    }

    /// A page of this browser sees what alice may see, and nothing else.
    async fn shows_rows(&self, browser: &Browser) {
        let mut page = self.entrance.page_of(browser);
        page.until_names(&["team-a"], &["team-a/of-team-a"]).await.expect("her rows");
    }
}

/// The one that answered in the end: nginx asks the next one where the first isn't there.
fn answered_by(headers: &HeaderMap) -> String {
    let tried = headers.get(ANSWERED_BY).expect("nginx answered").to_str().expect("text");
    tried.rsplit(", ").next().unwrap_or_default().to_owned()
}

/// Against: nginx
#[tokio::test(flavor = "multi_thread")]
async fn a_login_begins_at_one_gateway_lands_at_the_other_and_survives_the_restart_of_each() {
    let mut scene = Scene::open().await;
    let mut browser = scene.entrance.browser(&scene.provider);
    let login = format!("{PUBLIC}/login?to=/healthz");
    let begun = browser.send(Method::GET, &login, &[], "").await.expect("answered");
    let to = begun.headers.get(LOCATION).expect("it leads to the provider").to_str().expect("text");
    let callback = format!("{PUBLIC}/login/callback");
    let back = browser.open_until(to, &callback).await.expect("it leads back");
    let landed = browser.send(Method::GET, &back, &[], "").await.expect("answered");
    assert_eq!((begun.status, landed.status), (303, 303), "{}", landed.body);
    let ends = [answered_by(&begun.headers), answered_by(&landed.headers)];
    assert_eq!(ends.iter().cloned().collect::<BTreeSet<_>>(), scene.both(), "one and then the other");

    let mut pages = scene.pages(&browser, 4).await;
    assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), scene.both());
    scene.shows_rows(&browser).await;
    for at in 0..2 {
        let address = scene.replicas.addresses().nth(at).expect("one of two").to_owned();
        let own = pages.remove(&address).expect("it has pages");
        let former = scene.replicas.gateway(at).expect("it was started");
        former.signal(Signal::TERM).expect("it runs");
        let codes = closed_within(own, PATIENCE).await;
        assert!(codes.iter().all(|code| *code == 1012), "they may come back: {codes:?}");
        former.wait().expect("it ends");

        // Meanwhile the other one stands in, whose pages notice nothing.
        for socket in pages.values_mut().flatten() {
            expect_alive(socket).await;
        }
        let others = scene.pages(&browser, 2).await;
        assert!(!others.contains_key(&address), "it is away");
        scene.shows_rows(&browser).await;

        scene.start(at);
        for (by, sockets) in scene.pages(&browser, 4).await {
            pages.entry(by).or_default().extend(sockets);
        }
        assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), scene.both(), "without another login");
        scene.shows_rows(&browser).await;
    }
}

/// Against: nginx
#[tokio::test(flavor = "multi_thread")]
async fn r_authn_11_a_logout_through_nginx_closes_the_pages_at_both_gateways_and_no_other_sessions() {
    let scene = Scene::open().await;
    let browser = scene.entrance.signed_in(&scene.provider).await;
    let bystander = scene.entrance.signed_in(&scene.provider).await;
    let (pages, kept) = (scene.pages(&browser, 4).await, scene.pages(&bystander, 2).await);
    for pages in [&pages, &kept] {
        assert_eq!(pages.keys().cloned().collect::<BTreeSet<_>>(), scene.both());
    }
    let own = [("origin", PUBLIC)];
    let out = browser.clone().send(Method::POST, &format!("{PUBLIC}/logout"), &own, "").await;
    assert_eq!(out.expect("answered").status, 200);
    let sockets = pages.into_values().flatten().collect();
    assert_eq!(closed_within(sockets, PATIENCE).await, vec![4401; 4]);

    // A copy of the cookie opens neither gateway any more.
    let mut asked = BTreeSet::new();
    for _ in 0..2 {
        let (mut socket, refused, headers) = scene.entrance.opened_with_headers(&browser).await;
        asked.insert(answered_by(&headers));
        assert_eq!(refused.expect("said why")["problem"]["reason"], "Unauthorized");
        assert_eq!(next_frame(&mut socket).await, Err(4401));
    }
    assert_eq!(asked, scene.both());
    for mut socket in kept.into_values().flatten() {
        expect_alive(&mut socket).await;
    }
    scene.shows_rows(&bystander).await;
}
