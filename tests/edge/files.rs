//! A gateway that may open no more files: no connection is lost, and the log says so.

use std::time::{Duration, Instant};

use gateway::limits::ACCEPT_PAUSE_MS;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, prlimit};
use testkit::dogwatch::Dogwatch;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::{expect_alive, neighbour, served};
use testkit::ports::free_address;

/// An open connection to `/metrics`, because a new one couldn't be accepted.
struct MetricsConnection(TcpStream);

impl MetricsConnection {
    async fn failed_accepts(&mut self) -> u64 {
        const NAME: &str = "dogwatch_accepts_failed_total ";
        let host = self.0.peer_addr().expect("it is open");
        let question = format!("GET /metrics HTTP/1.1\r\nhost: {host}\r\n\r\n");
        self.0.write_all(question.as_bytes()).await.expect("written");
        let mut answer = String::new();
        // `# EOF` ends the text of the metrics.
        while !answer.ends_with("# EOF\n") {
            let mut piece = [0; 16 * 1024];
            let read = self.0.read(&mut piece).await.expect("read");
            assert!(read > 0, "closed after {answer}");
            answer.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
        let line = answer.lines().find_map(|line| line.strip_prefix(NAME));
        line.unwrap_or_else(|| panic!("{NAME}isn't in {answer}")).parse().expect("a number")
    }
}

/// Sets how many files the gateway may have open, and returns the limit before.
fn allow_open_files(gateway: &Dogwatch, most: u64) -> u64 {
    let pid = Pid::from_raw(gateway.pid().cast_signed());
    let maximum = getrlimit(Resource::Nofile).maximum;
    let now = Rlimit { current: Some(most), maximum };
    prlimit(pid, Resource::Nofile, now).expect("it runs").current.expect("a number")
}

#[tokio::test]
async fn without_file_descriptors_a_gateway_pauses_between_its_tries_logs_once_and_then_accepts_what_waited()
{
    const FAILURES: u64 = 4;
    let metrics = free_address().to_string();
    let (mut gateway, page) = served(&["--metrics-listen", &metrics]).await;
    let mut other = neighbour(&gateway, &page).await;
    let mut numbers = MetricsConnection(TcpStream::connect(&metrics).await.expect("connected"));
    assert_eq!(numbers.failed_accepts().await, 0);

    let began = Instant::now();
    let allowed = allow_open_files(&gateway, 0);
    let mut waiting = TcpStream::connect(gateway.address()).await.expect("the kernel takes it");
    let question =
        format!("GET /healthz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", gateway.address());
    waiting.write_all(question.as_bytes()).await.expect("written");
    let mut failed = 0;
    while failed < FAILURES {
        failed = numbers.failed_accepts().await;
    }
    let pauses = Duration::from_millis(ACCEPT_PAUSE_MS) * u32::try_from(failed - 1).expect("few");
    assert!(began.elapsed() >= pauses, "{failed} tries in {:?}", began.elapsed());
    expect_alive(&mut other).await;

    allow_open_files(&gateway, allowed);
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).await.expect("read");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop((other, numbers));
    gateway.signal(Signal::TERM).expect("it runs");
    let (_, log) = gateway.wait().expect("it ends");
    let said: Vec<&str> = log.lines().filter(|line| line.contains("could not be accepted")).collect();
    assert!(
        matches!(said[..], [once] if once.contains("ulimit -n")),
        "once for as long as it lasts: {said:?}"
    );
}
