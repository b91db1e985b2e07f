//! A real identity provider for tests: `oidc-provider` on Node, over TLS under a certificate authority of its own, and
//! a browser without a screen that signs in there. The process ends with its owner.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use http::header::{COOKIE, HOST, LOCATION, SET_COOKIE};
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};

use crate::process::target;

/// What a test's provider is like.
pub struct ProviderOptions {
    /// The host of its issuer. It is heard on loopback, whatever this is.
    pub host: &'static str,
    /// Where it sends browsers back to that signed in. Those that signed out are sent to the root of that origin.
    pub redirect_uri: String,
    /// Where it tells of logouts.
    pub logout_uri: Option<String>,
    /// `None`: a public client.
    pub client_secret: Option<&'static str>,
    /// Whether it gives refresh tokens. It rotates them.
    pub offline: bool,
    /// The claims of the account that signs in, `sub` among them.
    pub account: Value,
}

pub struct Provider {
    child: Child,
    /// Held open, because Node ends when it writes to a pipe whose reader is gone.
    _stdout: BufReader<ChildStdout>,
    issuer: String,
    /// The origin at which browsers find it.
    heard_at: String,
    certificate: String,
}

pub const CLIENT_ID: &str = "dogwatch";

impl Provider {
    pub fn start(options: &ProviderOptions) -> Result<Self> {
        let folder = installed()?;
        let (authority, certificate, key) = certificates(options.host)?;
        let host = options.host;
        let after_logout = format!("{}/", origin(&options.redirect_uri));
        let mut client = json!({ "client_id": CLIENT_ID, "redirect_uris": [options.redirect_uri],
            "post_logout_redirect_uris": [after_logout],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"] });
        match options.client_secret {
            Some(secret) => client["client_secret"] = json!(secret),
            None => client["token_endpoint_auth_method"] = json!("none"),
        }
        if let Some(uri) = &options.logout_uri {
            client["backchannel_logout_uri"] = json!(uri);
            client["backchannel_logout_session_required"] = json!(true);
        }
        let options = json!({ "certificate": certificate, "key": key, "client": client,
            "host": host, "offline": options.offline, "account": options.account });
        let mut child = Command::new("node")
            .arg("server.mjs")
            .current_dir(folder)
            .env("OPTIONS", options.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("the provider needs Node 20; on Debian: apt-get install nodejs")?;
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().context("stdout is piped")?);
        stdout.read_line(&mut line)?;
        let port = line.trim();
        ensure!(!port.is_empty(), "the provider ended before it was ready");
        Ok(Self {
            child,
            _stdout: stdout,
            issuer: format!("https://{host}:{port}"),
            heard_at: format!("https://localhost:{port}"),
            certificate: authority,
        })
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Writes the certificate of its authority.
    pub fn write_certificate(&self, path: &Path) -> Result<()> {
        Ok(std::fs::write(path, &self.certificate)?)
    }

    /// Sets the account that signs in from now on. Its claims are in the next token.
    pub async fn set_account(&self, account: &Value) -> Result<()> {
        self.told("account", account).await.map(drop)
    }

    /// How long the ID tokens last that it gives from now on.
    pub async fn set_token_life(&self, seconds: u64) -> Result<()> {
        self.told("token-life", &json!(seconds)).await.map(drop)
    }

    /// It answers renewals of these accounts with 500 and an OAuth error from now on, as Dex does for people who were
    /// removed.
    pub async fn remove(&self, subjects: &[&str]) -> Result<()> {
        self.told("removed", &json!(subjects)).await.map(drop)
    }

    /// The client is told that this session at the provider, or all of this person, was ended.
    pub async fn log_out(&self, sub: &str, sid: Option<&str>) -> Result<()> {
        self.told("logout", &json!({ "sub": sub, "sid": sid })).await.map(drop)
    }

    /// Every access, refresh and ID token that it gave so far.
    pub async fn given(&self) -> Result<Vec<String>> {
        Ok(serde_json::from_str(&self.told("given", &Value::Null).await?)?)
    }

    async fn told(&self, what: &str, body: &Value) -> Result<String> {
        let url = format!("{}/test/{what}", self.issuer);
        let answer = self.browser()?.send(Method::POST, &url, &[], &body.to_string()).await?;
        ensure!(answer.status == 200, "the provider answers with {}: {}", answer.status, answer.body);
        Ok(answer.body)
    }

    /// A browser that trusts the provider, and has been nowhere yet.
    pub fn browser(&self) -> Result<Browser> {
        self.browser_trusting(&[])
    }

    /// One that trusts these authorities, in PEM, as well.
    pub fn browser_trusting(&self, authorities: &[&str]) -> Result<Browser> {
        let mut browser = Browser::new(&[&[self.certificate.as_str()], authorities].concat())?;
        browser.at.insert(self.issuer.clone(), self.heard_at.clone());
        Ok(browser)
    }

    /// As `kill -9` does.
    pub fn stop(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        // It may have been stopped; either way it must be gone.
        let _ = self.stop();
    }
}

/// PEM: the authority's certificate; the server's with its key.
fn certificates(host: &str) -> Result<(String, String, String)> {
    let mut parameters = CertificateParams::new(Vec::<String>::new())?;
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let authority = parameters.self_signed(&key)?;
    let issuer = Issuer::new(parameters, key);
    let own_key = KeyPair::generate()?;
    let own = CertificateParams::new(vec!["localhost".to_owned(), host.to_owned()])?
        .signed_by(&own_key, &issuer)?;
    Ok((authority.pem(), own.pem(), own_key.serialize_pem()))
}

/// The folder with the script and what it needs, below `target`.
fn installed() -> Result<PathBuf> {
    const FILES: [(&str, &str); 3] = [
        ("package.json", include_str!("../oidc/package.json")),
        ("package-lock.json", include_str!("../oidc/package-lock.json")),
        ("server.mjs", include_str!("../oidc/server.mjs")),
    ];
    let folder = target()?.join("oidc-provider");
    std::fs::create_dir_all(&folder)?;
    // Tests of one binary start providers at once, and each waits for the one that installs.
    let lock = std::fs::File::create(folder.join("lock"))?;
    lock.lock()?;
    let is_same = FILES.iter().all(|(name, text)| {
        std::fs::read_to_string(folder.join(name)).is_ok_and(|written| written == **text)
    });
    if is_same && folder.join("installed").is_file() {
        return Ok(folder);
    }
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text)?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder);
    let status = npm.status().context("the provider needs npm; on Debian: apt-get install npm")?;
    ensure!(status.success(), "npm couldn't install the provider ({status})");
    std::fs::write(folder.join("installed"), "")?;
    Ok(folder)
}

/// Follows redirects and keeps cookies, as a browser does. Not its page.
#[derive(Clone)]
pub struct Browser {
    client: Client<HttpsConnector<HttpConnector>, Full<hyper::body::Bytes>>,
    /// By origin and name.
    cookies: BTreeMap<(String, String), String>,
    /// The origin at which an origin really is: as a reverse proxy or a name server would lead there.
    at: BTreeMap<String, String>,
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    /// Where it came from, after redirects.
    pub url: String,
}

/// A login has eight.
const REDIRECTS_MAX: usize = 20;

impl Browser {
    fn new(authorities: &[&str]) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            roots.add(CertificateDer::from_pem_slice(authority.as_bytes())?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(config).https_or_http().enable_http1().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, cookies: BTreeMap::new(), at: BTreeMap::new() })
    }

    /// From now on this origin is at this address, without TLS.
    pub fn lead(&mut self, origin: &str, address: &str) {
        self.at.insert(origin.to_owned(), format!("http://{address}"));
    }

    /// The same with TLS.
    pub fn lead_over_tls(&mut self, origin: &str, address: &str) {
        self.at.insert(origin.to_owned(), format!("https://{address}"));
    }

    pub async fn open(&mut self, url: &str) -> Result<Answer> {
        let mut url = url.to_owned();
        for _ in 0..REDIRECTS_MAX {
            let answer = self.send(Method::GET, &url, &[], "").await?;
            match Self::next(&answer) {
                Some(next) => url = next,
                None => return Ok(answer),
            }
        }
        bail!("{url} redirects for ever")
    }

    /// The same up to where a redirect leads to a URL that begins like this, which isn't opened.
    pub async fn open_until(&mut self, url: &str, stop: &str) -> Result<String> {
        let mut url = url.to_owned();
        while !url.starts_with(stop) {
            let answer = self.send(Method::GET, &url, &[], "").await?;
            let next = Self::next(&answer);
            url = next.with_context(|| format!("{} ends with {}: {}", url, answer.status, answer.body))?;
        }
        Ok(url)
    }

    fn next(answer: &Answer) -> Option<String> {
        let to = answer.headers.get(LOCATION)?.to_str().ok()?;
        Some(if to.starts_with('/') { format!("{}{to}", origin(&answer.url)) } else { to.to_owned() })
    }

    /// One request, with the cookies of its origin.
    pub async fn send(
        &mut self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Answer> {
        let own = origin(url);
        let target = self.at.get(&own).map(|at| url.replacen(&own, at, 1));
        let uri: Uri = target.unwrap_or_else(|| url.to_owned()).parse()?;
        let host = own.split("://").nth(1).unwrap_or_default();
        let mut request = Request::builder().method(method).uri(uri).header(HOST, host);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let cookies = self.cookies_of(&own);
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies);
        }
        let answer = self.client.request(request.body(Full::from(body.to_owned()))?).await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        for set in headers.get_all(SET_COOKIE) {
            self.keep(&own, set.to_str()?);
        }
        let body = String::from_utf8_lossy(&answer.into_body().collect().await?.to_bytes()).into_owned();
        Ok(Answer { status, headers, body, url: url.to_owned() })
    }

    /// The header of a request to this origin.
    pub fn cookies_of(&self, origin: &str) -> String {
        let own = self.cookies.iter().filter(|((of, _), _)| of == origin);
        own.map(|((_, name), value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    fn keep(&mut self, origin: &str, set: &str) {
        let Some((name, value)) = set.split(';').next().and_then(|pair| pair.split_once('=')) else { return };
        let key = (origin.to_owned(), name.trim().to_owned());
        let is_ended = set.to_ascii_lowercase().contains("max-age=0") || set.contains("01 Jan 1970");
        if is_ended {
            self.cookies.remove(&key);
        } else {
            self.cookies.insert(key, value.to_owned());
        }
    }
}

fn origin(url: &str) -> String {
    url.split('/').take(3).collect::<Vec<_>>().join("/")
}
