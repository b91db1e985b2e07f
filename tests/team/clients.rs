//! kubectl at a team's gateway whose people sign in with a browser: the plugin that the kubeconfig names opens one, gets a
//! token of its own, and has none any more when the person has signed out.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use cluster::Binaries;
use http::Method;
use playground::Playground;
use rustix::process::Signal;
use serde_json::Value;
use testkit::dogwatch::Home;
use testkit::gateways::{Gateway, OLD_KEY, options, start_with};
use testkit::identities::Authority;
use testkit::ports::free_address;
use testkit::provider::{Answer, Browser, Provider, ProviderOptions};
use testkit::teams::{self, Subject};

/// Two gateways with one key. The public URL leads to the first.
struct Team {
    provider: Provider,
    _playground: Playground,
    one: Gateway,
    other: Gateway,
    /// Where people and programs reach it.
    url: String,
    /// Their own folders and files, not the gateways'.
    home: Home,
    authority: Authority,
    ca: String,
    audit: PathBuf,
}

/// A program that waits for its person, and what it says.
struct Waiting {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
}

/// Opens nothing: the test reads the address on stderr, as a person could.
const OPENER: &str = "#!/bin/sh\nexit 0\n";

impl Team {
    async fn start() -> Self {
        let address = free_address().to_string();
        let port = address.rsplit(':').next().expect("a port").to_owned();
        let url = format!("https://localhost:{port}");
        let redirect_uri = format!("{url}/login/callback");
        let provider = Provider::start(&ProviderOptions { redirect_uri, ..options() }).expect("it starts");
        // Shorter than a token of a program, so that the provider is asked for each.
        provider.set_token_life(300).await.expect("set");
        let home = Home::new().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = home.path().join(name);
            std::fs::write(&path, text).expect("written");
            path.to_string_lossy().into_owned()
        };
        let authority = Authority::new().expect("made");
        let own = authority.sign(&["localhost", "127.0.0.1"]).expect("signed");
        let (certificate, key) = (file("tls.crt", &own.certificate), file("tls.key", &own.key));
        let ca = file("gateway.pem", &authority.pem);
        let audit = home.path().join("audit.log");
        let second = free_address().to_string();
        let playground = teams::playground(&[], &[]).await.expect("it starts");
        teams::allow(&playground, "", Subject::User("alice@example.org")).expect("granted");
        let cluster = home.kubeconfig_of(&playground).expect("written");
        let cluster = cluster.to_string_lossy();
        let tls = ["--tls-cert", &certificate, "--tls-key", &key];
        let tls = [&tls[..], &["--public-url", &url, "--kubeconfig", &cluster]].concat();
        let secret = options().client_secret;
        let loud = [("DOGWATCH_LOG", "debug")];
        let other = start_with(&provider, secret, (&second, &[OLD_KEY]), &tls, &loud);
        let written = audit.to_string_lossy();
        let own = ["--audit-log", &*written, "--peers", &second, "--peers-ca-file", &ca];
        let one = start_with(&provider, secret, (&address, &[OLD_KEY]), &[&tls[..], &own].concat(), &loud);
        std::fs::create_dir(home.path().join("bin")).expect("made");
        for name in ["xdg-open", "open"] {
            let opener = file(&format!("bin/{name}"), OPENER);
            std::fs::set_permissions(&opener, PermissionsExt::from_mode(0o755)).expect("set");
        }
        Self { provider, _playground: playground, one, other, url, home, authority, ca, audit }
    }

    fn browser(&self) -> Browser {
        self.provider.browser_trusting(&[&self.authority.pem]).expect("made")
    }

    fn dogwatch(&self, arguments: &[&str]) -> Output {
        self.command(self.home.command()).args(arguments).output().expect("started")
    }

    fn credential(&self, more: &[&str]) -> Command {
        let mut command = self.command(self.home.command());
        command.args(["credential", "--server", &self.url, "--certificate-authority", &self.ca]).args(more);
        command
    }

    fn kubectl(&self, kubeconfig: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(Command::new(Binaries::kubectl().expect("kubectl")));
        command.args(arguments).arg("--kubeconfig").arg(kubeconfig).env("HOME", self.home.path());
        // The kubeconfig says where the plugin's folder is.
        command.env_remove("XDG_STATE_HOME").env("KUBECACHEDIR", self.home.path().join("kubectl"));
        command
    }

    fn command(&self, mut command: Command) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.home.path().join("bin").display()));
        command.stdin(Stdio::null());
        command
    }

    fn kubeconfig(&self) -> PathBuf {
        let file = self.home.path().join("team.kubeconfig");
        let output = self.dogwatch(&[
            "kubeconfig",
            "--server",
            &self.url,
            "--cluster",
            "dogwatch",
            "--certificate-authority",
            &self.ca,
            "--output",
            &file.to_string_lossy(),
        ]);
        assert!(output.status.success(), "{}", said(&output));
        file
    }

    /// The person goes to where the program says, and lets it in: where the browser is to bring the code.
    async fn let_in(&self, browser: &mut Browser, (shown, url): (String, String)) -> String {
        let page = browser.open(&url).await.expect("answered");
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.contains(&shown) && page.body.contains("alice@example.org"), "{}", page.body);
        let ticket = between(&page.body, "name=\"ticket\" value=\"", "\"");
        let form = [("origin", self.url.as_str()), ("content-type", "application/x-www-form-urlencoded")];
        let path = format!("{}/login/client", self.url);
        let clicked = browser.send(Method::POST, &path, &form, &format!("ticket={ticket}")).await;
        let back = browser.open(refreshed(&clicked.expect("answered"))).await.expect("answered");
        let to = refreshed(&back);
        assert!(to.starts_with("http://127.0.0.1:"), "{to}");
        to.to_owned()
    }

    /// At the other gateway, as where no proxy keeps a person at one.
    async fn sign_out(&self, browser: &mut Browser) {
        browser.lead_over_tls(&self.url, &self.other.address);
        let own = [("origin", self.url.as_str())];
        let out = browser.send(Method::POST, &format!("{}/logout", self.url), &own, "").await;
        assert_eq!(out.expect("answered").status, 200);
    }

    /// What the plugin keeps.
    fn kept(&self) -> Option<(PathBuf, Value)> {
        let folder = std::fs::read_dir(self.home.path().join("state/dogwatch/clients")).ok()?;
        let files = folder.flatten().map(|entry| entry.path());
        let file = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "json"))?;
        let text = std::fs::read_to_string(&file).expect("readable");
        Some((file, serde_json::from_str(&text).expect("JSON")))
    }
}

impl Waiting {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, stderr }
    }

    /// The code that its terminal shows, and the address at which it is to be let in.
    fn asks(&mut self) -> (String, String) {
        let mut line = String::new();
        self.stderr.read_line(&mut line).expect("it says something");
        let (_, rest) = line.split_once("it shows ").unwrap_or_else(|| panic!("it asks nothing: {line}"));
        let (code, url) = rest.split_once(": ").expect("an address");
        (code.to_owned(), url.trim().to_owned())
    }

    fn ends(mut self) -> Output {
        let mut more = String::new();
        self.stderr.read_to_string(&mut more).expect("text");
        let output = self.child.wait_with_output().expect("it ends");
        Output { stderr: more.into_bytes(), ..output }
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split(after).next().unwrap_or_default()
}

/// Where a page leads on by itself.
fn refreshed(answer: &Answer) -> &str {
    let refresh = answer.headers.get("refresh").and_then(|value| value.to_str().ok());
    let refresh = refresh.unwrap_or_else(|| panic!("it leads nowhere: {}", answer.body));
    refresh.strip_prefix("0;url=").expect("at once")
}

#[tokio::test(flavor = "multi_thread")]
async fn r_authn_17_kubectl_reads_as_the_person_whose_browser_let_it_in_until_they_sign_out() {
    let team = Team::start().await;
    let kubeconfig = team.kubeconfig();
    let text = std::fs::read_to_string(&kubeconfig).expect("there");
    assert!(text.contains("interactiveMode: \"IfAvailable\"") && !text.contains("token"), "{text}");
    let mut browser = team.browser();

    // Two programs at once: one asks, and the other waits for it.
    let mut first = Waiting::start(team.kubectl(&kubeconfig, &["get", "pods", "-A"]));
    let asked = first.asks();
    let second = Waiting::start(team.credential(&[]));
    let to = team.let_in(&mut browser, asked).await;
    let done = browser.open(&to).await.expect("the program answers");
    assert!(done.body.contains("is let in"), "{}", done.body);
    let pods = first.ends();
    assert!(printed(&pods).lines().count() > 5, "{}", printed(&pods));
    let second = second.ends();
    assert!(!said(&second).contains("Sign in"), "{}", said(&second));
    let credential: Value = serde_json::from_str(&printed(&second)).expect("JSON");
    let token = credential["status"]["token"].as_str().expect("a token").to_owned();

    let (file, kept) = team.kept().expect("kept");
    assert_eq!(kept["tokens"]["token"], token.as_str(), "both have the same");
    assert_eq!(file.metadata().expect("there").permissions().mode() & 0o777, 0o600);
    let given = team.provider.given().await.expect("told");
    let renewal = kept["tokens"]["renewal"].as_str().expect("text").to_owned();
    assert!(given.iter().all(|secret| !kept.to_string().contains(secret)), "no secret of the provider's");
    let whoami = team.kubectl(&kubeconfig, &["auth", "can-i", "list", "pods"]).output().expect("started");
    assert_eq!((printed(&whoami).trim(), said(&whoami).contains("Sign in")), ("yes", false), "it is kept");

    // The renewal of a page and that of the program don't end each other.
    let own = [("origin", team.url.as_str())];
    let before = team.provider.given().await.expect("told").len();
    for _ in 0..2 {
        let renewed = browser.send(Method::POST, &format!("{}/login/renew", team.url), &own, "").await;
        assert_eq!(renewed.expect("answered").status, 200);
        let mut spent = kept.clone();
        let now = team.kept().expect("kept").1;
        spent["tokens"] = now["tokens"].clone();
        spent["tokens"]["expires_ms"] = 0.into();
        std::fs::write(&file, spent.to_string()).expect("written");
        printed(&team.credential(&[]).output().expect("started"));
    }
    let given = team.provider.given().await.expect("told").len() - before;
    assert!(given >= 12, "three tokens for each of four renewals: {given}");
    let next = team.kept().expect("kept").1;
    assert_ne!(next["tokens"]["token"], token.as_str(), "another one");

    // A watch ends with the login, which ends at another gateway.
    let mut watch = team.kubectl(&kubeconfig, &["get", "pods", "-A", "-w"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
    let mut lines = BufReader::new(watch.stdout.take().expect("piped"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    assert!(line.starts_with("NAMESPACE"), "{line}");
    team.sign_out(&mut browser).await;
    let ended = tokio::task::spawn_blocking(move || lines.read_to_string(&mut String::new()));
    let ended = tokio::time::timeout(Duration::from_secs(60), ended).await;
    watch.kill().expect("it runs, or has ended");
    watch.wait().expect("it ends");
    ended.expect("it ends by itself").expect("read").expect("text");
    let refused = team.kubectl(&kubeconfig, &["get", "pods"]).output().expect("started");
    assert!(!refused.status.success(), "{}", String::from_utf8_lossy(&refused.stdout));
    assert!(said(&refused).contains("must be logged in"), "{}", said(&refused));
    assert!(said(&refused).contains("run the command again to sign in"), "{}", said(&refused));
    assert!(team.kept().expect("a file").1["tokens"].is_null(), "it is forgotten");

    // The next one asks anew.
    let mut again = Waiting::start(team.kubectl(&kubeconfig, &["get", "deployments", "-A"]));
    let to = team.let_in(&mut browser, again.asks()).await;
    assert!(browser.open(&to).await.expect("the program answers").body.contains("is let in"));
    assert!(printed(&again.ends()).contains("AVAILABLE"));
    let last = team.kept().expect("kept").1;
    let out = team.credential(&["--logout"]).output().expect("started");
    assert!(printed(&out).contains("is forgotten") && team.kept().is_none(), "{}", said(&out));
    let spent = team.home.path().join("state/dogwatch/clients").join(file.file_name().expect("a name"));
    std::fs::write(&spent, last.to_string()).expect("written");
    let refused = team.kubectl(&kubeconfig, &["get", "pods"]).output().expect("started");
    assert!(
        !refused.status.success() && said(&refused).contains("must be logged in"),
        "a copy of it is of no use"
    );

    for mut gateway in [team.one, team.other] {
        gateway.dogwatch.signal(Signal::TERM).expect("it runs");
        let log = gateway.dogwatch.wait().expect("it ends").1;
        let audited = std::fs::read_to_string(&team.audit).expect("read");
        assert!(
            audited.contains("a token of ten minutes") && audited.contains("alice@example.org"),
            "{audited}"
        );
        for secret in [&token, &renewal] {
            let part = &secret[..20];
            assert!(!log.contains(part) && !audited.contains(part), "{part}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_a_program_out_is_said_in_one_sentence() {
    let team = Team::start().await;
    let other = team.dogwatch(&["credential", "--server", &team.url]);
    assert!(said(&other).contains("can't be reached"), "its certificate is unknown: {}", said(&other));
    assert_eq!((other.status.code(), said(&other).lines().count()), (Some(1), 1), "{}", said(&other));

    // Without a browser and without a terminal it doesn't wait.
    let mut alone = team.credential(&[]);
    let output = alone.env("PATH", "/nowhere").output().expect("started");
    assert!(!output.status.success() && said(&output).contains("there is no browser"), "{}", said(&output));

    // The code of another program comes to this one's port.
    let mut browser = team.browser();
    let mut waiting = Waiting::start(team.credential(&[]));
    let to = team.let_in(&mut browser, waiting.asks()).await;
    let done = browser.open(&to.replacen("code=", "code=A", 1)).await.expect("the program answers");
    assert!(done.body.contains("isn't let in"), "{}", done.body);
    let output = waiting.ends();
    assert!(!output.status.success() && said(&output).contains("isn't this gateway's"), "{}", said(&output));

    // A gateway whose people have tokens of the cluster.
    let bearer = free_address().to_string();
    let port = bearer.rsplit(':').next().expect("a port").to_owned();
    let (certificate, key) = (team.home.path().join("tls.crt"), team.home.path().join("tls.key"));
    let tls = ["--tls-cert", &*certificate.to_string_lossy(), "--tls-key", &*key.to_string_lossy()]
        .map(str::to_owned);
    let tls = tls.each_ref().map(String::as_str);
    let url = format!("https://localhost:{port}");
    let flags = ["--demo", "--auth", "bearer", "--listen", &bearer, "--public-url", &url];
    let gateway = Home::new().expect("a folder").serve(&[&flags[..], &tls].concat()).expect("it starts");
    let of_bearer = |command: &str, more: &[&str]| {
        let server = ["--server", &url, "--certificate-authority", &team.ca];
        team.dogwatch(&[&[command], &server[..], more].concat())
    };
    let output = of_bearer("credential", &[]);
    assert!(!output.status.success() && said(&output).contains("users[].user.token"), "{}", said(&output));
    let text = printed(&of_bearer("kubeconfig", &["--cluster", "playground"]));
    assert!(text.contains("`token: …`") && !text.contains("exec"), "{text}");
    gateway.kill().expect("it ran");
    for (command, more) in [("credential", &[][..]), ("kubeconfig", &["--cluster", "playground"])] {
        let output = of_bearer(command, more);
        assert!(!output.status.success() && said(&output).contains("can't be reached"), "{}", said(&output));
        assert_eq!(said(&output).lines().count(), 1, "{}", said(&output));
    }
    let offline = printed(&of_bearer("kubeconfig", &["--cluster", "playground", "--auth", "oidc"]));
    assert!(offline.contains("exec") && offline.contains("certificate-authority-data"), "{offline}");
}
