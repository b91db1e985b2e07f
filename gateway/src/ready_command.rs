//! `dogwatch ready`: asks a gateway's `/readyz`, and again until it is ready or the time is over. It sends no credential.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use http::{StatusCode, Uri};
use shared::problem::{Problem, Reason};
use tokio::time::{Instant, sleep};

use crate::access::https::{Answer, Https};

#[derive(Args, Clone, Debug)]
pub struct ReadyArgs {
    /// Which gateway: http://127.0.0.1:8484, or https://dogwatch.example.org/base-path
    #[arg(long, value_name = "URL", value_parser = parse)]
    server: Server,
    /// Ask again for so long until it is ready; with 0 it is asked once
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(..=TIMEOUT_S_MAX))]
    timeout: u64,
    /// Fail also where a check fails that leaves it ready: a cluster can't be reached, or a right is missing
    #[arg(long)]
    all_checks: bool,
    /// The authorities that signed its certificate, in PEM [default: the system's]
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Take any certificate, as a kubelet's probe does
    #[arg(long, conflicts_with = "ca_file")]
    insecure_skip_tls_verify: bool,
}

/// As it was typed, and where it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Server {
    typed: String,
    readyz: Uri,
}

const TIMEOUT_S_MAX: u64 = 3_600;
/// The pause before it is asked again.
const AGAIN_MS: u64 = 500;

fn parse(typed: &str) -> Result<Server, String> {
    let unusable = || "http://HOST:PORT or https://HOST is expected".to_owned();
    let typed = typed.trim_end_matches('/').to_owned();
    let uri: Uri = typed.parse().map_err(|_| unusable())?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.query().is_some() {
        return Err(unusable());
    }
    let readyz = format!("{typed}/readyz?verbose").parse().map_err(|_| unusable())?;
    Ok(Server { typed, readyz })
}

/// The sentence of a gateway that is ready.
/// Fails with one that says what isn't, or why it can't be asked.
pub async fn execute(args: &ReadyArgs) -> Result<String, Problem> {
    let https = match args.insecure_skip_tls_verify {
        true => Https::unverified(),
        false => Https::new(args.ca_file.as_deref()),
    }?;
    let last = Instant::now() + Duration::from_secs(args.timeout);
    loop {
        let found = match https.get(&args.server.readyz).await {
            Ok(answer) => verdict(&args.server.typed, &answer, args.all_checks),
            Err(why) => Err(format!("{} can't be asked: {why}", args.server.typed)),
        };
        let pause = Duration::from_millis(AGAIN_MS);
        match found {
            Ok(sentence) => return Ok(sentence),
            Err(why) if Instant::now() + pause > last => {
                return Err(Problem::new(Reason::ServiceUnavailable, why));
            }
            Err(_) => sleep(pause).await,
        }
    }
}

fn verdict(server: &str, answer: &Answer, all_checks: bool) -> Result<String, String> {
    let text = String::from_utf8_lossy(&answer.body);
    let Some(verdict) = text.lines().last().and_then(|line| line.strip_prefix("readyz: ")) else {
        return Err(format!(
            "what answers at {server} is no gateway, or has another path (status {}); name it as it is reached from here",
            answer.status.as_u16()
        ));
    };
    let failed = text.lines().filter_map(|line| line.strip_prefix("[-]"));
    // The verdict says that one.
    let failed: Vec<&str> = failed.filter(|check| !check.starts_with("serving ")).collect();
    // A listener for strangers withholds the reasons.
    let why = match failed.iter().any(|check| check.ends_with("reason withheld")) {
        true => "; its log says why",
        false => "",
    };
    let failed = failed.iter().map(|check| check.trim_end_matches(": reason withheld")).collect::<Vec<_>>();
    let failed = failed.join(", ");
    match (answer.status, failed.is_empty()) {
        (StatusCode::OK, true) => Ok(format!("{server} is ready.")),
        (StatusCode::OK, false) if all_checks => Err(format!("{server} is ready, but {failed}{why}")),
        (StatusCode::OK, false) => Ok(format!("{server} is ready, but {failed}{why}.")),
        (_, true) => Err(format!("{server} is {verdict}")),
        (_, false) => Err(format!("{server} is {verdict}: {failed}{why}")),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const READY: &str = "[+]serving ok\nreadyz: ok\n";
    const WITHOUT_RIGHT: &str = "[+]serving ok\n[-]own-rights failed: reason withheld\nreadyz: ok\n";
    const BLOCKED: &str = "[+]serving ok\n[-]identity-provider failed: reason withheld\nreadyz: not ready\n";
    const LEAVING: &str = "[-]serving failed: shutting down\nreadyz: shutting down\n";

    fn says(status: u16, body: &'static str, all_checks: bool) -> Result<String, String> {
        let status = StatusCode::from_u16(status).expect("a status");
        verdict("http://x", &Answer { status, body: body.into() }, all_checks)
    }

    #[test]
    fn what_a_gateway_answers_is_one_sentence() {
        let ok = |text: &str| Ok(text.to_owned());
        let err = |text: &str| Err(text.to_owned());
        let missing = "http://x is ready, but own-rights failed; its log says why";
        for (status, body, all_checks, expected) in [
            (200, READY, true, ok("http://x is ready.")),
            (200, WITHOUT_RIGHT, false, ok(&format!("{missing}."))),
            (200, WITHOUT_RIGHT, true, err(missing)),
            (503, BLOCKED, false, err("http://x is not ready: identity-provider failed; its log says why")),
            (503, LEAVING, false, err("http://x is shutting down")),
        ] {
            assert_eq!(says(status, body, all_checks), expected, "{status} {body}");
        }
        for (status, body) in [(200, "ok"), (200, "<html>"), (404, ""), (308, "")] {
            let why = says(status, body, false).expect_err("no gateway");
            assert!(why.contains("is no gateway") && why.contains(&status.to_string()), "{why}");
        }
    }

    #[test]
    fn an_address_is_taken_with_the_path_below_which_the_gateway_serves() {
        let readyz = |typed: &str| parse(typed).map(|server| server.readyz.to_string());
        assert_eq!(readyz("http://[::1]:8484"), Ok("http://[::1]:8484/readyz?verbose".to_owned()));
        assert_eq!(readyz("https://h/base/"), Ok("https://h/base/readyz?verbose".to_owned()));
        for other in ["h:8484", "8484", "ftp://h", "http://", "http://h?x=1", ""] {
            assert!(readyz(other).is_err(), "{other}");
        }
    }

    /// Answers each connection with the next of these; the last one stays.
    async fn answering(answers: &[(&'static str, &'static str)]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let mut answers = answers.to_vec();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (status, body) = if answers.len() > 1 { answers.remove(0) } else { answers[0] };
                let _ = stream.read(&mut [0; 1_024]).await;
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        parse(&url).expect("a URL")
    }

    fn args(server: Server, timeout: u64) -> ReadyArgs {
        ReadyArgs { server, timeout, all_checks: true, ca_file: None, insecure_skip_tls_verify: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_gateway_that_begins_is_asked_again_until_it_is_ready_and_no_longer_than_was_said() {
        let not_yet = ("503 Service Unavailable", BLOCKED);
        let later = async || answering(&[not_yet, not_yet, ("200 OK", READY)]).await;
        let ready = execute(&args(later().await, 10)).await.expect("ready");
        assert!(ready.ends_with(" is ready."), "{ready}");
        let begun = Instant::now();
        let once = execute(&args(later().await, 0)).await.expect_err("not at once");
        assert!(once.message.contains("identity-provider failed") && begun.elapsed().is_zero(), "{once}");
        let never = execute(&args(answering(&[not_yet]).await, 7)).await.expect_err("never");
        assert!(never.message.contains("is not ready") && begun.elapsed().as_secs() <= 7, "{never}");
    }

    #[tokio::test]
    async fn a_port_where_nothing_listens_is_said() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        drop(listener);
        let why = execute(&args(parse(&url).expect("a URL"), 0)).await.expect_err("nothing there").message;
        assert!(why.starts_with(&format!("{url} can't be asked: ")) && why.contains("refused"), "{why}");
    }
}
