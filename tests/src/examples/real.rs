//! An example before a gateway of a real API server, which knows the portal's readers by their tokens of an OpenID
//! Connect provider. The reader may see two namespaces and nothing else.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cluster::{ControlPlane, Options};
use http::Method;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};
use tokio::time::{Duration, Instant};
use url::Url;

use super::Example;
use super::rig::{Cluster, NAMESPACES, PortalRig, ends_s, now_s, tokens_of};
use crate::dogwatch::Home;
use crate::provider::{CLIENT_ID, Provider, ProviderOptions};
use crate::teams::{Subject, binding_document};

/// With the provider, whose keys the API server asks for again.
pub struct RealCluster {
    plane: ControlPlane,
    _provider: Provider,
}

impl Cluster for RealCluster {
    fn create(&self, pod: Value) -> Result<()> {
        self.plane.apply(&pod.to_string()).map(drop)
    }
}

pub async fn of_real_cluster(example: &Example) -> Result<PortalRig<RealCluster>> {
    let account = json!({ "sub": "alice", "email": USER, "email_verified": true });
    let provider = Provider::start(&ProviderOptions {
        host: "localhost",
        redirect_uri: PORTAL.to_owned(),
        logout_uri: None,
        client_secret: None,
        offline: false,
        account,
    })?;
    let home = Home::new()?;
    let plane = start_plane(&provider, &home)?;
    let start_s = now_s()?;
    let mut tokens = Vec::new();
    for number in 1..=TOKENS {
        provider.set_token_life(number * TOKENS_APART_S).await?;
        let token = sign_in(&provider).await?;
        tokens.push((ends_s(&token)?, token));
    }
    let (ends, last) = tokens.last().context("a token")?;
    ensure!(*ends >= start_s + TOKENS * TOKENS_APART_S, "the provider gives short tokens: {ends}");
    until_known(&plane, last)?;
    let kubeconfig = plane.kubeconfig();
    let flags = ["--auth", "bearer", "--kubeconfig", &kubeconfig.to_string_lossy()];
    let tokens = tokens_of(example, tokens);
    let cluster = RealCluster { plane, _provider: provider };
    PortalRig::new(example, cluster, (home, &flags), &NAMESPACES, tokens).await
}

fn start_plane(provider: &Provider, home: &Home) -> Result<ControlPlane> {
    let authority = home.path().join("provider.pem");
    provider.write_certificate(&authority)?;
    let apiserver_flags = vec![
        format!("--oidc-issuer-url={}", provider.issuer()),
        format!("--oidc-client-id={CLIENT_ID}"),
        format!("--oidc-ca-file={}", authority.display()),
        "--oidc-username-claim=email".to_owned(),
        "--oidc-username-prefix=-".to_owned(),
    ];
    let plane = ControlPlane::start(Options { apiserver_flags, ..Options::default() })?;
    let mut objects = String::new();
    for namespace in NAMESPACES {
        objects += &format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}}}\n---\n");
        objects += &binding_document(namespace, "viewers", Subject::User(USER), ROLE);
    }
    plane.apply(&objects)?;
    Ok(plane)
}

/// The API server asks the provider for its keys some time after its start.
fn until_known(plane: &ControlPlane, token: &str) -> Result<()> {
    let give_up = Instant::now() + KNOWN_MAX;
    loop {
        match plane.kubectl_output(&["--token", token, "auth", "whoami", "--output", "json"]) {
            Ok(who) if who.contains(USER) => return Ok(()),
            Ok(who) => anyhow::bail!("the API server takes the token for another user's: {who}"),
            Err(error) => ensure!(Instant::now() < give_up, "the API server refuses the token: {error:#}"),
        }
    }
}

/// The ID token of a login at the provider.
async fn sign_in(provider: &Provider) -> Result<String> {
    let mut browser = provider.browser()?;
    let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()));
    let question = [
        ("response_type", "code"),
        ("client_id", CLIENT_ID),
        ("redirect_uri", PORTAL),
        ("scope", "openid email"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let login = Url::parse_with_params(&format!("{}/auth", provider.issuer()), question)?;
    let back: Url = browser.open_until(login.as_str(), PORTAL).await?.parse()?;
    let code = back.query_pairs().find(|(name, _)| name == "code").context("a code")?.1.into_owned();
    let mut form = Url::parse("https://form")?;
    form.query_pairs_mut().extend_pairs([
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", PORTAL),
        ("client_id", CLIENT_ID),
        ("code_verifier", VERIFIER),
    ]);
    let form = form.query().context("a form")?.to_owned();
    let kind = [("content-type", "application/x-www-form-urlencoded")];
    let answer = browser.send(Method::POST, &format!("{}/token", provider.issuer()), &kind, &form).await?;
    let given: Value = serde_json::from_str(&answer.body)?;
    Ok(given["id_token"].as_str().with_context(|| format!("an ID token: {}", answer.body))?.to_owned())
}

/// What `view` is made of by a controller that doesn't run here.
const ROLE: &str = "system:aggregate-to-view";
const USER: &str = "alice@example.org";
/// Where the provider sends browsers back to. Nothing listens there.
const PORTAL: &str = "https://portal.test/callback";
const VERIFIER: &str = "a-word-of-forty-three-characters-or-more-for-pkce";
/// Ten minutes of them.
const TOKENS: u64 = 60;
const TOKENS_APART_S: u64 = 10;
/// It asks every 10 s.
const KNOWN_MAX: Duration = Duration::from_secs(60);
