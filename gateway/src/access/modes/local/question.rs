//! A question to the gateway behind a Unix socket, with its answer in JSON. Never a credential: the kernel says who asks.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use shared::problem::{Problem, Reason};
use tower::BoxError;

use crate::limits::{API_ANSWER_BYTES_MAX, LOCAL_ANSWER_S};
use crate::same_user;

pub(super) struct Question {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// What the gateway didn't do if it can't answer: `gave no code`.
    pub(super) refused: &'static str,
}

impl Question {
    /// Fails with one sentence if the answer isn't a gateway's.
    pub(super) async fn ask<T: DeserializeOwned>(self, socket: &Path) -> Result<T, Problem> {
        let refused = self.refused;
        let answer = tokio::time::timeout(Duration::from_secs(LOCAL_ANSWER_S), self.answer(socket));
        let why = match answer.await {
            Ok(Ok((StatusCode::OK, body))) => match serde_json::from_slice(&body) {
                Ok(answer) => return Ok(answer),
                Err(_) => "it isn't a gateway of this version".to_owned(),
            },
            Ok(Ok((status, body))) => match serde_json::from_slice::<Problem>(&body) {
                // A path that it doesn't know is one of another version.
                Ok(problem) if status != StatusCode::NOT_FOUND => problem.message,
                _ => format!("it answered {status}"),
            },
            Ok(Err(error)) => error.to_string(),
            Err(_) => {
                format!(
                    "it didn't answer within {LOCAL_ANSWER_S} s; if it was stopped, let it go on or end it"
                )
            }
        };
        let shown = socket.display();
        Err(Problem::new(Reason::ServiceUnavailable, format!("the gateway behind {shown} {refused}: {why}")))
    }

    async fn answer(self, socket: &Path) -> Result<(StatusCode, Bytes), BoxError> {
        let stream = TokioIo::new(same_user::connect(socket).await?);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
        let request = Request::builder().method(self.method).uri(self.path).header(header::HOST, "localhost");
        let request = request.body(Empty::<Bytes>::new())?;
        let exchange = async move {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = Limited::new(response.into_body(), API_ANSWER_BYTES_MAX);
            let body = body.collect().await?.to_bytes();
            Ok((status, body))
        };
        // The connection ends when the sender is dropped; the answer holds its errors.
        let (answer, _) = tokio::join!(exchange, connection);
        answer
    }
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
        let question = Question { method: Method::POST, path: "/api/code", refused: "gave no code" };
        let problem = question.ask::<String>(&socket).await.expect_err("no answer");
        assert_eq!(started.elapsed().as_secs(), LOCAL_ANSWER_S);
        assert_eq!(problem.reason, Reason::ServiceUnavailable);
        for words in ["8484.sock", "within 5 s", "end it"] {
            assert!(problem.message.contains(words), "{problem}");
        }
    }
}
