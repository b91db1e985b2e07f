//! Asks the gateway behind a Unix socket for a fresh code: what `dogwatch url` does.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use shared::problem::{Problem, Reason};
use tower::BoxError;

use crate::limits::{HTTP_BODY_BYTES_MAX, LOCAL_ANSWER_S};
use crate::same_user;

/// The answer to `POST /api/code`. `Debug` hides the code.
#[derive(Serialize, Deserialize)]
pub struct FreshCode {
    pub code: String,
    /// Where the link leads, without the code.
    pub url: String,
}

impl fmt::Debug for FreshCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FreshCode").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Fails with one sentence if the answer isn't a gateway's.
pub async fn fresh_code(socket: &Path) -> Result<FreshCode, Problem> {
    let answer = tokio::time::timeout(Duration::from_secs(LOCAL_ANSWER_S), post(socket));
    let why = match answer.await {
        Ok(Ok((StatusCode::OK, body))) => match serde_json::from_slice(&body) {
            Ok(fresh) => return Ok(fresh),
            Err(_) => "it isn't a gateway of this version".to_owned(),
        },
        Ok(Ok((status, _))) => format!("it answered {status}"),
        Ok(Err(error)) => error.to_string(),
        Err(_) => {
            format!("it didn't answer within {LOCAL_ANSWER_S} s; if it was stopped, let it go on or end it")
        }
    };
    let shown = socket.display();
    Err(Problem::new(Reason::ServiceUnavailable, format!("the gateway behind {shown} gave no code: {why}")))
}

async fn post(socket: &Path) -> Result<(StatusCode, Bytes), BoxError> {
    let stream = TokioIo::new(same_user::connect(socket).await?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
    let request = Request::post("/api/code").header(header::HOST, "localhost").body(Empty::<Bytes>::new())?;
    let exchange = async move {
        let response = sender.send_request(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), HTTP_BODY_BYTES_MAX);
        let body = body.collect().await?.to_bytes();
        Ok((status, body))
    };
    // The connection ends when the sender is dropped; the answer holds its errors.
    let (answer, _) = tokio::join!(exchange, connection);
    answer
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_gateway_that_does_not_answer_is_given_up_and_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("8484.sock");
        // The kernel accepts the connection; the gateway is stopped.
        let _stopped = UnixListener::bind(&socket).expect("bound");
        let started = Instant::now();
        let problem = fresh_code(&socket).await.expect_err("no answer");
        assert_eq!(started.elapsed().as_secs(), LOCAL_ANSWER_S);
        assert_eq!(problem.reason, Reason::ServiceUnavailable);
        for words in ["8484.sock", "within 5 s", "end it"] {
            assert!(problem.message.contains(words), "{problem}");
        }
    }
}
