//! How a program on a person's computer, such as `dogwatch credential` for kubectl, is let in where people sign in at a
//! provider: the page that asks them, and the routes by which the program gets its tokens. Pages are readable without a
//! script, and nothing is given without a click. No code and no token is ever logged.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use percent_encoding::percent_decode_str;
use serde_json::json;
use shared::problem::{Problem, Reason};

use super::answer;
use super::body;
use super::headers::HasForm;
use super::idle::IdleGuard;
use super::sign_in_answers::{client, escaped, leading_on, no_login, of_own_page, page, refused, see_other};
use super::state::AppState;
use crate::access::Peer;
use crate::access::oidc::ask::{ClientAsk, WayIn};
use crate::access::oidc::{CLIENT, ClientQuestion, ClientRequest, Failure, Given, NotRenewed, Oidc};
use crate::address::origin::RequestOrigin;
use crate::clock::wall_ms;
use crate::limits::{FORM_BYTES_MAX, JWT_BYTES_MAX, LOGIN_AGAIN_S};
use crate::metrics::{ByOutcome, ByRenewal, Outcome, Renewal};

type Shared = State<Arc<AppState>>;

/// `GET /login/client?port=…&challenge=…`: asks the person of this browser, who signs in first.
pub(super) async fn ask(State(state): Shared, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let Some(oidc) = state.authenticator.oidc() else { return answer::not_found() };
    let now_ms = wall_ms();
    let asked = ClientRequest::of_query(query.as_deref().unwrap_or_default());
    let asked =
        asked.and_then(|request| Ok((oidc.clients().ask_person(&request, &headers, now_ms)?, request)));
    match asked {
        Ok((Some(question), _)) => question_page(&state, &question),
        Ok((None, request)) => match oidc.begin(&request.path(), &headers, now_ms).await {
            Ok(redirect) => see_other(&state, redirect),
            Err(failure) => refused(&state, &failure),
        },
        Err(failure) => refused(&state, &failure),
    }
}

/// `POST /login/client`, of that page: the person said yes.
pub(super) async fn let_in(
    State(state): Shared,
    Extension(origin): Extension<RequestOrigin>,
    Extension(idle): Extension<Arc<IdleGuard>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(oidc) = of_own_page(&state, &origin) else { return no_login() };
    let body = match body::read(&idle, body, FORM_BYTES_MAX).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    if oidc.login(&headers, wall_ms()).is_none() {
        return no_login();
    }
    match oidc.clients().let_in(&ticket(&body), &headers, wall_ms()).await {
        Ok(redirect) => leading_on(&state, "Let in", "Asking the provider once more.", redirect),
        Err(failure) => refused(&state, &failure),
    }
}

/// Sealed texts are of characters that a form leaves as they are.
fn ticket(body: &Bytes) -> String {
    let text = String::from_utf8_lossy(body);
    let ticket = text.split('&').find_map(|pair| pair.strip_prefix("ticket="));
    percent_decode_str(ticket.unwrap_or_default()).decode_utf8_lossy().into_owned()
}

/// `GET /api/client-token`, in every mode: how people get in here.
pub(super) async fn way_in(State(state): Shared) -> Response {
    answer::json(StatusCode::OK, &WayIn { auth: state.authenticator.mode() })
}

/// `POST /api/client-token`, of a program and never of a page.
pub(super) async fn give(
    State(state): Shared,
    Extension(peer): Extension<Peer>,
    Extension(origin): Extension<RequestOrigin>,
    Extension(idle): Extension<Arc<IdleGuard>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(oidc) = state.authenticator.oidc() else { return answer::not_found() };
    if origin != RequestOrigin::Missing {
        return answer::forbidden("a page has its own login; this is for programs");
    }
    if !body::is_of_type(&headers, "application/json") {
        let problem = Problem::bad_request("the content type must be application/json");
        return answer::json(StatusCode::UNSUPPORTED_MEDIA_TYPE, &problem);
    }
    let body = match body::read(&idle, body, JWT_BYTES_MAX).await {
        Ok(body) => body,
        Err(answer) => return answer,
    };
    let Ok(ask) = serde_json::from_slice(&body) else {
        return answer::bad_request("a code with its verifier, or what a token is renewed with, is expected");
    };
    let given = match ask {
        ClientAsk::End { renewal } => {
            oidc.clients().end(&renewal, wall_ms());
            return answer::json(StatusCode::OK, &json!({}));
        }
        ClientAsk::Code { code, verifier } => {
            let client = client(peer, &headers);
            let redeemed = oidc.clients().redeem((&code, &verifier), &client, wall_ms()).await;
            let outcome = if redeemed.is_ok() { Outcome::accepted } else { Outcome::refused };
            state.metrics.logins.get_or_create(&ByOutcome { outcome }).inc();
            redeemed
        }
        ClientAsk::Renewal { renewal } => renewed(&state, oidc, &renewal).await,
    };
    let trail = state.audit.trail(peer);
    match given {
        Ok(given) => {
            trail.logged_in(
                &given.login,
                "a token of ten minutes for clients of the Kubernetes API was issued",
            );
            answer::json(StatusCode::OK, &given.tokens)
        }
        Err(failure) => {
            let problem = Problem::new(Reason::Unauthorized, failure.for_person());
            trail.refused(None, &problem);
            if let Some(left_out) = state.refused_codes.take() {
                tracing::info!(left_out, "a program got no token: {failure}");
            }
            no_token(&failure, &problem)
        }
    }
}

async fn renewed(state: &AppState, oidc: &Oidc, renewal: &str) -> Result<Given, Failure> {
    let count = |result| state.metrics.renewals.get_or_create(&ByRenewal { result }).inc();
    match oidc.clients().renew(renewal, wall_ms()).await {
        Ok(given) => {
            match given.is_confirmed {
                Some(true) => drop(count(Renewal::confirmed)),
                Some(false) => drop(count(Renewal::unconfirmed)),
                None => {}
            }
            Ok(given)
        }
        Err(NotRenewed::NoSession) => Err(Failure::EndedBefore),
        Err(NotRenewed::Ended(failure)) => {
            count(Renewal::ended);
            // The session is over, so asking again is of no use, however it came to that.
            Err(if failure.is_passing() { Failure::EndedBefore } else { failure })
        }
    }
}

fn no_token(failure: &Failure, problem: &Problem) -> Response {
    if !failure.is_passing() {
        return answer::unauthorized(problem);
    }
    let problem = Problem::new(Reason::ServiceUnavailable, problem.message.clone());
    let mut answer = answer::json(StatusCode::SERVICE_UNAVAILABLE, &problem);
    if *failure == Failure::Busy {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(LOGIN_AGAIN_S));
    }
    answer
}

fn question_page(state: &AppState, question: &ClientQuestion) -> Response {
    let ClientQuestion { user, shown_code, ticket } = question;
    let (user, base) = (escaped(user), state.base_path.as_str());
    let main = format!(
        "<h1>Let a program in?</h1>\
         <p>A program on this computer asks to read Kubernetes through Dogwatch as <strong>{user}</strong>, until you \
         sign out in this browser. It can change nothing there.</p>\
         <p>Its terminal shows <strong><code>{shown_code}</code></strong>. If yours doesn't, close this page.</p>\
         <form method=\"post\" action=\"{base}{CLIENT}\"><input type=\"hidden\" name=\"ticket\" value=\"{ticket}\">\
         <button>Let it in</button></form>"
    );
    let mut answer = page(StatusCode::OK, "Let a program in?", &main);
    answer.extensions_mut().insert(HasForm);
    answer
}
