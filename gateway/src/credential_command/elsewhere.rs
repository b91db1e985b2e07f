//! A token of a team's gateway. It is kept and given again while it counts; the next one is asked for with what came along.
//! Only where that isn't taken any more does a person sign in again.

use std::os::unix::process::parent_id;

use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::browser;
use super::kept::{Kept, KeptFile, is_fresh};
use crate::access::local::folders::Folders;
use crate::access::oidc::ask::{ClientAsk, ClientTokens};
use crate::clock::wall_ms;
use crate::tail::to_stderr;
use crate::team_gateway::{NoToken, TeamGateway};

/// What is to be done for a token.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// The one that is kept counts.
    Give(ClientTokens),
    Renew {
        kept: ClientTokens,
        was_refused: bool,
    },
    SignIn,
    /// The same process asks once more, although it was told that the login has ended.
    RunAgain,
}

impl Step {
    /// `asks`: the process that wants the token.
    fn of(kept: Option<Kept>, asks: u32, now_ms: UnixMillis) -> Self {
        let Some(kept) = kept else { return Self::SignIn };
        let is_same = kept.was_asked_by(asks);
        match kept.tokens {
            None if is_same => Self::RunAgain,
            None => Self::SignIn,
            Some(tokens) if is_fresh(&tokens, now_ms) && !is_same => Self::Give(tokens),
            Some(tokens) => Self::Renew { was_refused: is_fresh(&tokens, now_ms), kept: tokens },
        }
    }
}

/// Fails with one sentence.
pub(super) async fn tokens(gateway: &TeamGateway) -> Result<ClientTokens, Problem> {
    let file = take(gateway).await?;
    let asks = parent_id();
    let keep = |tokens: Option<ClientTokens>| file.write(&Kept::new(gateway.url(), tokens, asks));
    let tokens = match Step::of(file.read(), asks, wall_ms()) {
        Step::Give(tokens) => tokens,
        Step::SignIn => browser::sign_in(gateway).await?,
        Step::RunAgain => return Err(run_again(gateway)),
        Step::Renew { kept, was_refused } => {
            let ask = ClientAsk::Renewal { renewal: kept.renewal.clone() };
            match gateway.tokens(&ask).await {
                Ok(tokens) => tokens,
                // The client's request has failed already, so it doesn't wait for a browser.
                Err(NoToken::Refused(_)) if was_refused => {
                    keep(None)?;
                    return Err(run_again(gateway));
                }
                Err(NoToken::Refused(_)) => browser::sign_in(gateway).await?,
                Err(NoToken::Unknown(_)) if kept.expires_ms > wall_ms() && !was_refused => kept,
                Err(NoToken::Unknown(problem)) => return Err(problem),
            }
        }
    };
    keep(Some(tokens.clone()))?;
    Ok(tokens)
}

fn run_again(gateway: &TeamGateway) -> Problem {
    let message =
        format!("the login of {} has ended; run the command again to sign in with a browser", gateway.url());
    Problem::new(Reason::Unauthorized, message)
}

/// The sentence that says what was done.
pub(super) async fn forget(gateway: &TeamGateway) -> Result<String, Problem> {
    let file = take(gateway).await?;
    let kept = file.read();
    file.forget()?;
    let Some(tokens) = kept.and_then(|kept| kept.tokens) else {
        return Ok(format!("There was no login of {}.", gateway.url()));
    };
    if let Err(problem) = gateway.end(tokens.renewal).await {
        to_stderr(&format!("the login is forgotten here, and the gateway couldn't be told: {problem}"));
    }
    Ok(format!("The login of {} is forgotten.", gateway.url()))
}

/// Another process that signs in at this moment has the file, and it is waited for.
async fn take(gateway: &TeamGateway) -> Result<KeptFile, Problem> {
    let (state, url) = (Folders::of_environment()?.state, gateway.url().clone());
    let taken = tokio::task::spawn_blocking(move || KeptFile::take(&state, &url)).await;
    taken.map_err(|_| Problem::new(Reason::InternalError, "waiting for the login was interrupted"))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team_gateway::TeamUrl;

    const NOW_MS: UnixMillis = 1_795_000_000_000;

    #[test]
    fn a_token_is_asked_for_when_it_ends_or_when_its_client_was_refused_with_it() {
        let tokens =
            ClientTokens { token: "a".to_owned(), expires_ms: NOW_MS + 600_000, renewal: "b".to_owned() };
        let url = TeamUrl::parse("https://dogwatch.example").expect("a URL");
        let step = |asks, now_ms| Step::of(Some(Kept::new(&url, Some(tokens.clone()), 7)), asks, now_ms);
        let renew = |was_refused| Step::Renew { kept: tokens.clone(), was_refused };
        assert_eq!(Step::of(None, 7, NOW_MS), Step::SignIn);
        assert_eq!(step(8, NOW_MS), Step::Give(tokens.clone()));
        assert_eq!(step(8, NOW_MS + 570_000), renew(false));
        assert_eq!(step(7, NOW_MS), renew(true), "a client keeps its token in memory");
        assert_eq!(step(7, NOW_MS + 570_000), renew(false), "it ran until the token's end");
        let ended = |asks| Step::of(Some(Kept::new(&url, None, 7)), asks, NOW_MS);
        assert_eq!(
            (ended(7), ended(8)),
            (Step::RunAgain, Step::SignIn),
            "kubectl asks for each of its requests"
        );
    }
}
