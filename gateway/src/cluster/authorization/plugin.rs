//! An exec plugin: called once at a time, and its answer is shared by all requests until it expires. The exchange with it is
//! client.authentication.k8s.io/v1, as client-go has it. A task of its own waits for the program, so a request that is given
//! up doesn't end it.

mod call;

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use http::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use shared::problem::{Problem, Reason};

use crate::cluster::kubeconfig::Exec;

/// One program with its arguments and environment.
pub(in crate::cluster) struct Plugin {
    exec: Exec,
    /// The kubeconfig's user, for messages.
    user: String,
    /// The call that is under way, or the last one's result.
    call: Mutex<Option<Call>>,
}

type Given = Result<Arc<Answer>, Problem>;
type Call = Shared<BoxFuture<'static, (Given, Timestamp)>>;

/// What a plugin printed.
pub(in crate::cluster) struct Answer {
    /// `None`: it gave a certificate alone.
    pub(super) header: Option<HeaderValue>,
    pub(super) certificate: Option<Certificate>,
    expires: Option<Timestamp>,
}

/// In PEM.
pub(in crate::cluster) struct Certificate {
    pub(super) chain: String,
    pub(super) key: String,
}

impl Plugin {
    pub(super) fn new(exec: Exec, user: String) -> Self {
        Self { exec, user, call: Mutex::new(None) }
    }

    pub(super) fn is_called(&self, exec: &Exec) -> bool {
        self.exec == *exec
    }

    /// The answer that still counts, or that of another call.
    pub(super) async fn answer(&self) -> Given {
        let call = self.current(Timestamp::now());
        call.await.0
    }

    /// The answer that is there was refused.
    pub(super) fn forget(&self) {
        let mut call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        if call.as_ref().is_some_and(|call| call.peek().is_some_and(|(given, _)| given.is_ok())) {
            *call = None;
        }
    }

    fn current(&self, now: Timestamp) -> Call {
        let mut call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = call.as_ref().filter(|call| counts(call, now)) {
            return known.clone();
        }
        let (exec, user) = (self.exec.clone(), self.user.clone());
        let task = tokio::spawn(async move { call::call(&exec, &user).await.map(Arc::new) });
        let waited = async move {
            let given = task.await.unwrap_or_else(|_| {
                Err(Problem::new(Reason::InternalError, "the call of the exec plugin was interrupted"))
            });
            (given, Timestamp::now())
        };
        call.insert(waited.boxed().shared()).clone()
    }
}

/// Whether a call is under way, its answer hasn't expired, or it has just been made.
fn counts(call: &Call, now: Timestamp) -> bool {
    let Some((given, ended)) = call.peek() else { return true };
    let is_recent = now.duration_since(*ended) < HELD;
    match given {
        Ok(answer) => is_recent || answer.expires.is_none_or(|expires| now <= expires),
        Err(_) => is_recent,
    }
}

/// The shortest time between two calls, whatever the answer was: many requests that meet a plugin that fails at once, or
/// whose credential is over already, are one call.
const HELD: SignedDuration = SignedDuration::from_secs(3);

#[cfg(test)]
mod tests;
