//! What mode `local` says where no page is signed in, and the answer to a service worker that another program left behind.
//! Nothing here depends on what was asked.

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

use super::answer;

/// At `127.0.0.1`, which leads nowhere: another program may have had this address before, and its worker may read along.
pub(super) fn plain_address() -> Response {
    page(StatusCode::OK, "Dogwatch runs here, and opens by a printed link alone")
}

/// At the name of a session that has ended, or that never was.
pub(super) fn ended() -> Response {
    page(StatusCode::FORBIDDEN, "This link has ended")
}

/// A worker that takes the place of the one that asks, removes itself, and loads its pages again without it.
pub(super) fn leaving_worker() -> Response {
    answer::typed(StatusCode::OK, "text/javascript; charset=utf-8", WORKER)
}

pub(super) fn is_page(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    media_type.is_some_and(|media_type| media_type.starts_with(b"text/html"))
}

fn page(status: StatusCode, sentence: &str) -> Response {
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Dogwatch</title><main>\
         <h1>{sentence}</h1><p>Run <code>dogwatch url</code> on this machine, and open the address that it prints.</main>"
    );
    answer::typed(status, "text/html; charset=utf-8", text)
}

const WORKER: &str = "\
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil((async () => {
  await registration.unregister();
  for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url);
})()));
";
