//! What opens a login, or stands for one, is in nothing that a gateway writes or answers: no log, no record, no metric,
//! no frame and no body. A cookie's own header is the one exception.

use http::Method;
use rustix::process::Signal;
use testkit::metrics::Metrics;
use testkit::provider::{Answer, Browser, Provider, ProviderOptions};

use testkit::gateways::{Gateway, NEW_KEY, OLD_KEY, PUBLIC, closed_within, options, start_with};
use testkit::ports::free_address;

const OWN: [(&str, &str); 1] = [("origin", PUBLIC)];
/// So much of a credential is looked for: a log may cut what it writes.
const PART: usize = 20;
const BOUND: std::time::Duration = std::time::Duration::from_secs(60);

/// A browser, what it was given that opens something, and what it read.
struct Witness {
    browser: Browser,
    credentials: Vec<String>,
    read: Vec<String>,
}

impl Witness {
    async fn ask(&mut self, method: Method, url: &str) -> Answer {
        self.keep_cookies();
        let answer = self.browser.send(method, url, &OWN, "").await.expect("answered");
        self.keep_cookies();
        self.read.push(answer.body.clone());
        answer
    }

    fn keep_cookies(&mut self) {
        let cookies = self.browser.cookies_of(PUBLIC);
        let values = cookies.split("; ").filter_map(|pair| pair.split_once('='));
        // A session's first part begins with how many there are.
        let values = values.map(|(_, value)| value.split_once('.').map_or(value, |(_, rest)| rest));
        self.credentials.extend(values.map(str::to_owned));
    }

    /// What the callback's query brings.
    fn keep_query(&mut self, callback: &str) {
        let pairs = callback.split(['?', '&']).skip(1).filter_map(|pair| pair.split_once('='));
        let secret = pairs.filter(|(name, _)| ["code", "state"].contains(name));
        self.credentials.extend(secret.map(|(_, value)| value.to_owned()));
    }

    /// Goes to the provider and comes as far as the callback, which isn't opened.
    async fn led_back(&mut self) -> String {
        let begun = self.ask(Method::GET, &format!("{PUBLIC}/login")).await;
        let to = begun.headers.get(http::header::LOCATION).expect("to the provider").to_str().expect("text");
        let callback = format!("{PUBLIC}/login/callback");
        let back = self.browser.open_until(to, &callback).await.expect("it leads back");
        self.keep_query(&back);
        back
    }

    /// The frames of a page, up to the answer to its `hello`.
    async fn page(&mut self, gateway: &Gateway) -> Option<testkit::gateways::Socket> {
        let (socket, answer) = gateway.opened(&self.browser).await;
        let answer = answer.expect("said why, if it was refused");
        self.read.push(answer.to_string());
        answer.get("welcome").map(|_| socket)
    }
}

#[tokio::test]
async fn r_data_4_nothing_that_a_gateway_writes_or_answers_holds_what_opens_a_login() {
    let address = free_address().to_string();
    let logout_uri = Some(format!("http://{address}/logout/backchannel"));
    let provider = Provider::start(&ProviderOptions { logout_uri, ..options() }).expect("it starts");
    let secret = options().client_secret.expect("a secret");
    let (metrics, folder) = (Metrics::at_free_port(), tempfile::tempdir().expect("a folder"));
    let (counted, audit) = (metrics.address(), folder.path().join("audit.log"));
    let more = ["--metrics-listen", &counted, "--audit-log", audit.to_str().expect("text")];
    let loud = [("DOGWATCH_LOG", "trace")];
    let keys = [NEW_KEY, OLD_KEY];
    let mut gateway = start_with(&provider, Some(secret), (&address, &keys), &more, &loud);
    let mut witness =
        Witness { browser: gateway.browser(&provider), credentials: Vec::new(), read: Vec::new() };

    // A login that goes well, one whose code was used, one whose state is of another browser, and one that the provider
    // refuses.
    let back = witness.led_back().await;
    assert_eq!(witness.ask(Method::GET, &back).await.status, 303);
    assert!(witness.ask(Method::GET, &back).await.status >= 400, "a code that was used");
    let mut stranger = Witness { browser: gateway.browser(&provider), ..witness };
    let back = stranger.led_back().await;
    let own = stranger.browser.clone();
    stranger.browser = gateway.browser(&provider);
    assert_eq!(stranger.ask(Method::GET, &back).await.status, 400, "of another browser");
    stranger.browser = own;
    let refused = back.replace("code=", "error_description=no&error=access_denied&code=");
    assert!(stranger.ask(Method::GET, &refused).await.status >= 400, "refused");
    let back = stranger.led_back().await;
    assert_eq!(stranger.ask(Method::GET, &back).await.status, 303);

    // What a session is for, from its page to its end, and what is left of it then.
    let mut witness = stranger;
    let socket = witness.page(&gateway).await.expect("let in");
    assert_eq!(witness.ask(Method::POST, &format!("{PUBLIC}/login/renew")).await.status, 200);
    let copy = witness.browser.clone();
    assert_eq!(witness.ask(Method::POST, &format!("{PUBLIC}/logout")).await.status, 200);
    assert_eq!(closed_within(vec![socket], BOUND).await, [4401]);
    witness.browser = copy;
    assert!(witness.page(&gateway).await.is_none(), "signed out");
    assert_eq!(witness.ask(Method::POST, &format!("{PUBLIC}/login/renew")).await.status, 401);
    provider.log_out("1", None).await.expect("told");
    for path in ["/", "/login/revoked", "/readyz?verbose"] {
        witness.ask(Method::GET, &format!("{PUBLIC}{path}")).await;
    }

    let given = provider.given().await.expect("told");
    assert!(given.len() >= 9, "three tokens for each of two logins and a renewal: {}", given.len());
    let counted = metrics.text().expect("answered");
    gateway.dogwatch.signal(Signal::TERM).expect("it runs");
    let (_, log) = gateway.dogwatch.wait().expect("it ends");
    let records = std::fs::read_to_string(&audit).expect("read");
    assert!(log.contains("/login/callback") && log.contains("TRACE"), "it was loud");
    assert!(log.contains("signed in") && log.contains("alice@example.org"), "who came in is said");
    for event in ["\"login\"", "\"login-refused\"", "alice@example.org"] {
        assert!(records.contains(event), "{event}: {records}");
    }
    assert!(counted.contains("dogwatch_"), "{counted}");

    let Witness { mut credentials, read, .. } = witness;
    assert!(credentials.len() > 6, "cookies, codes and states: {credentials:?}");
    credentials.extend(given);
    // The beginning of every token that says something, the log's own words for the others, and the keys.
    credentials.extend(["eyJ", "refresh_token", "id_token=", OLD_KEY, NEW_KEY, secret].map(str::to_owned));
    let written = [("the log", log), ("the audit log", records), ("the metrics", counted)];
    for (what, text) in written.into_iter().chain(read.into_iter().map(|text| ("an answer", text))) {
        for credential in &credentials {
            let part = credential.get(..PART).unwrap_or(credential);
            let line = text.lines().find(|line| line.contains(part));
            assert!(line.is_none(), "{what} holds {part}: {line:?}");
        }
    }
}
