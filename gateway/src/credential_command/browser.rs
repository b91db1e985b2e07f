//! A person signs in with their browser, which brings a code to a port of loopback (RFC 8252). Never a token.

use std::future::pending;
use std::io::{self, IsTerminal, stderr};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use shared::problem::{Problem, Reason};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::access::oidc::ask::{ClientAsk, ClientTokens};
use crate::access::oidc::{Brought, ClientRequest, challenge_of, fresh_verifier};
use crate::limits::CLIENT_LOGIN_WAIT_S;
use crate::tail::to_stderr;
use crate::team_gateway::TeamGateway;

/// The program that opens a URL in the browser which its user has chosen.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// What a browser brought, and how it is told what came of it.
type Came = (Brought, oneshot::Sender<String>);

/// Fails with one sentence: there is no browser, its person didn't sign in, or the gateway refuses the code.
pub(super) async fn sign_in(gateway: &TeamGateway) -> Result<ClientTokens, Problem> {
    let failed = |error: io::Error| {
        Problem::new(Reason::InternalError, format!("no port of loopback can be had: {error}"))
    };
    gateway.signs_in_with_browser().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let verifier = fresh_verifier()?;
    let request = ClientRequest { port, challenge: challenge_of(&verifier).into() };
    let url = gateway.page(&request);
    to_stderr(&format!("Sign in with a browser on this computer; it shows {}: {url}", request.shown_code()));
    let (brought, codes) = mpsc::channel(1);
    let waiting = Waiting { host: format!("127.0.0.1:{port}"), request, brought };
    let over = CancellationToken::new();
    let until_over = over.clone().cancelled_owned();
    let served = axum::serve(listener, router(waiting)).with_graceful_shutdown(until_over);
    let served = tokio::spawn(served.into_future());
    let tokens = tokio::select! {
        tokens = redeemed(gateway, codes, verifier) => tokens,
        problem = no_browser(&url) => Err(problem),
        () = sleep(Duration::from_secs(CLIENT_LOGIN_WAIT_S)) => Err(none_came(gateway)),
    };
    over.cancel();
    // The browser has its answer, unless it has gone.
    drop(timeout(Duration::from_secs(GOODBYE_S), served).await);
    tokens
}

const GOODBYE_S: u64 = 2;

async fn redeemed(
    gateway: &TeamGateway,
    mut codes: mpsc::Receiver<Came>,
    verifier: String,
) -> Result<ClientTokens, Problem> {
    let Some((brought, told)) = codes.recv().await else { return Err(none_came(gateway)) };
    let tokens = match brought {
        Brought::Code(code) => {
            gateway.tokens(&ClientAsk::Code { code, verifier }).await.map_err(Problem::from)
        }
        Brought::Refusal(error) => Err(refused(gateway, &error)),
    };
    let sentence = match &tokens {
        Ok(_) => "The program is let in. This page can be closed.".to_owned(),
        Err(problem) => format!("The program isn't let in: {}", problem.message),
    };
    // The browser may have gone.
    let _ = told.send(sentence);
    tokens
}

/// Returns if the URL can't be opened and there is no terminal whose user could do it.
async fn no_browser(url: &str) -> Problem {
    // A signal to the client's process group isn't one to the browser.
    let mut opener = Command::new(OPENER);
    opener.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let is_opened = match opener.spawn() {
        Ok(mut child) => child.wait().await.is_ok_and(|status| status.success()),
        Err(_) => false,
    };
    if is_opened || stderr().is_terminal() {
        pending::<()>().await;
    }
    let message = format!(
        "there is no browser ({OPENER}) and no terminal here to sign in with: run `dogwatch credential` with the same flags \
         in a terminal of a computer that has one"
    );
    Problem::new(Reason::Unauthorized, message)
}

fn none_came(gateway: &TeamGateway) -> Problem {
    let message = format!("no browser came back from {} in time; run the command again", gateway.url());
    Problem::new(Reason::Timeout, message)
}

fn refused(gateway: &TeamGateway, error: &str) -> Problem {
    let message =
        format!("the provider of {} refused the login ({error}); run the command again", gateway.url());
    Problem::new(Reason::Unauthorized, message)
}

/// What waits at the port. Another page of the browser may ask there as well.
struct Waiting {
    host: String,
    request: ClientRequest,
    brought: mpsc::Sender<Came>,
}

fn router(waiting: Waiting) -> Router {
    Router::new().route("/", get(brought)).with_state(Arc::new(waiting))
}

async fn brought(
    State(waiting): State<Arc<Waiting>>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let is_own = headers.get(header::HOST).is_some_and(|host| host.as_bytes() == waiting.host.as_bytes());
    let brought = query.and_then(|query| waiting.request.brought(&query)).filter(|_| is_own);
    let Some(brought) = brought else {
        return page(StatusCode::BAD_REQUEST, "This isn't what the program waits for.");
    };
    let (told, hears) = oneshot::channel();
    let sent = waiting.brought.try_send((brought, told)).is_ok();
    let sentence = if sent { hears.await.ok() } else { None };
    let sentence = sentence.unwrap_or_else(|| "The program doesn't wait any more.".to_owned());
    page(StatusCode::OK, &sentence)
}

fn page(status: StatusCode, sentence: &str) -> Response {
    let mut response = Response::new(format!("{sentence}\n").into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use http::Request;
    use tower::ServiceExt;

    use super::*;

    async fn asked(router: &Router, host: &str, query: &str) -> u16 {
        let request = Request::get(format!("/{query}")).header(header::HOST, host);
        let request = request.body(axum::body::Body::empty()).expect("a request");
        router.clone().oneshot(request).await.expect("answered").status().as_u16()
    }

    #[tokio::test]
    async fn r_authn_17_a_code_is_taken_once_of_who_knows_the_challenge_and_by_the_ports_own_name() {
        let (brought, mut codes) = mpsc::channel(1);
        let host = "127.0.0.1:49152";
        let waiting = Waiting {
            host: host.to_owned(),
            request: ClientRequest { port: 49_152, challenge: "abc".into() },
            brought,
        };
        let router = router(waiting);
        for (host, query) in [
            (host, ""),
            (host, "?code=x"),
            (host, "?code=x&state=ab"),
            (host, "?state=abc"),
            (host, "?error=access_denied"),
            (host, "?error=access_denied&state=ab"),
            ("rebound.example", "?code=x&state=abc"),
            ("localhost:49152", "?code=x&state=abc"),
        ] {
            assert_eq!(asked(&router, host, query).await, 400, "{host} {query}");
        }
        let hears = async {
            let (brought, told) = codes.recv().await.expect("a refusal");
            told.send("refused".to_owned()).expect("it waits");
            brought
        };
        let (status, brought) = tokio::join!(asked(&router, host, "?error=access_denied&state=abc"), hears);
        assert_eq!((status, brought), (200, Brought::Refusal("access_denied".to_owned())));
        let told = async {
            let (code, told) = codes.recv().await.expect("a code");
            told.send("let in".to_owned()).expect("it waits");
            code
        };
        let (status, code) = tokio::join!(asked(&router, host, "?code=x&state=abc"), told);
        assert_eq!((status, code), (200, Brought::Code("x".to_owned())));
        drop(codes);
        assert_eq!(
            asked(&router, host, "?code=y&state=abc").await,
            200,
            "the browser is told that it is too late"
        );
    }
}
