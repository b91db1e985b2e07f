//! The file of the audit log, and the thread that writes it: a disk that stands still holds up no session. Never what
//! a record says.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;
use shared::problem::{Problem, Reason};
use tokio::sync::oneshot;

use crate::limits::{AUDIT_END_S, AUDIT_QUEUE_BYTES_MAX, REFUSALS_LOGGED_EVERY_S};
use crate::metrics::Metrics;

/// Where the records go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditTarget {
    File(PathBuf),
    Stdout,
}

/// The target, open. A file is appended to, and one that is made belongs to its user alone.
pub struct AuditFile {
    target: AuditTarget,
    out: Out,
    /// The name led to the file over a link when it was opened first, as the operator meant it. Where it didn't, a link
    /// in its place later is another's, who would have the gateway write to any of its files.
    may_be_link: bool,
}

enum Out {
    File(File),
    Stdout(io::Stdout),
}

impl AuditFile {
    /// # Errors
    /// One sentence with the file's name.
    pub fn open(target: &AuditTarget) -> Result<Self, Problem> {
        let (out, may_be_link) = match target {
            AuditTarget::Stdout => (Out::Stdout(io::stdout()), false),
            AuditTarget::File(path) => {
                let opened = match append(path, false) {
                    Err(error) if is_link(&error) => append(path, true).map(|file| (file, true)),
                    opened => opened.map(|file| (file, false)),
                };
                let (file, may_be_link) = opened.map_err(|error| {
                    let shown = path.display();
                    let message = format!(
                        "the audit log {shown} can't be opened: {error}; choose another with --audit-log"
                    );
                    Problem::new(Reason::Configuration, message)
                })?;
                (Out::File(file), may_be_link)
            }
        };
        Ok(Self { target: target.clone(), out, may_be_link })
    }

    fn reopen(&mut self) -> io::Result<()> {
        if let AuditTarget::File(path) = &self.target {
            let link = "there is a link in its place now; restart to follow it";
            let opened = append(path, self.may_be_link);
            self.out = Out::File(opened.map_err(|error| match is_link(&error) {
                true if !self.may_be_link => io::Error::new(error.kind(), link),
                _ => error,
            })?);
        }
        Ok(())
    }

    /// A line of a program that ends at once: it needs no thread.
    ///
    /// # Errors
    /// It can't be written.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        self.write(&format!("{line}\n"))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.out {
            Out::File(file) => file.write_all(text.as_bytes()),
            Out::Stdout(stdout) => {
                let mut stdout = stdout.lock();
                stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
            }
        }
    }
}

/// Whether a link stands where none was to be followed.
fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

fn append(path: &Path, follows: bool) -> io::Result<File> {
    let flags = if follows { OFlags::NONBLOCK } else { OFlags::NOFOLLOW | OFlags::NONBLOCK };
    let mut options = OpenOptions::new();
    let opened =
        options.append(true).create(true).mode(0o600).custom_flags(flags.bits().cast_signed()).open(path);
    let no_file = || io::Error::other("it is a pipe or a socket, whose reader could hold up the records");
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::NXIO.raw_os_error() => no_file(),
        _ => error,
    })?;
    let kind = file.metadata()?.file_type();
    if kind.is_fifo() || kind.is_socket() { Err(no_file()) } else { Ok(file) }
}

/// The thread, as others reach it.
pub(super) struct Writer {
    orders: Sender<Order>,
    state: Arc<WriterState>,
}

enum Order {
    Write(String),
    Reopen,
    /// Answered when all before it is done.
    End(oneshot::Sender<()>),
}

/// What both sides know.
struct WriterState {
    queued_bytes: AtomicUsize,
    lost: AtomicU64,
    is_failing: AtomicBool,
    /// When the gateway's own log last had a line about lost records.
    said_at: Mutex<Option<Instant>>,
    metrics: Metrics,
}

impl Writer {
    pub(super) fn start(file: AuditFile, metrics: Metrics) -> Result<Self, Problem> {
        let state = Arc::new(WriterState {
            queued_bytes: AtomicUsize::default(),
            lost: AtomicU64::default(),
            is_failing: AtomicBool::default(),
            said_at: Mutex::default(),
            metrics,
        });
        let (orders, received) = mpsc::channel();
        let pen = Pen { file, state: Arc::clone(&state), is_torn: false };
        let spawned = thread::Builder::new().name("audit log".to_owned()).spawn(move || pen.run(&received));
        spawned.map_err(|error| {
            let message = format!("no thread can be started for the audit log: {error}");
            Problem::new(Reason::InternalError, message)
        })?;
        Ok(Self { orders, state })
    }

    /// Never waits: a record for which the queue has no room is lost.
    pub(super) fn write(&self, line: String) {
        let bytes = line.len();
        let queued = self.state.queued_bytes.fetch_add(bytes, Ordering::AcqRel);
        if queued.saturating_add(bytes) > AUDIT_QUEUE_BYTES_MAX
            || self.orders.send(Order::Write(line)).is_err()
        {
            self.state.queued_bytes.fetch_sub(bytes, Ordering::AcqRel);
            self.state.lose(&"it is written more slowly than viewers come");
        }
    }

    pub(super) fn reopen(&self) {
        let _ = self.orders.send(Order::Reopen);
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let lost = self.state.lost.load(Ordering::Acquire);
        let is_failing = self.state.is_failing.load(Ordering::Acquire);
        if is_failing { Err(format!("it can't be written, and {lost} records were lost")) } else { Ok(()) }
    }

    pub(super) async fn end(&self) {
        let (done, ended) = oneshot::channel();
        if self.orders.send(Order::End(done)).is_ok() {
            drop(tokio::time::timeout(Duration::from_secs(AUDIT_END_S), ended).await);
        }
    }
}

impl WriterState {
    /// Counts one more, and says it now and then.
    fn lose(&self, why: &dyn Display) {
        let lost = self.lost.fetch_add(1, Ordering::AcqRel) + 1;
        self.is_failing.store(true, Ordering::Release);
        self.metrics.audit_lost.inc();
        let pause = Duration::from_secs(REFUSALS_LOGGED_EVERY_S);
        let mut said_at = self.said_at.lock().unwrap_or_else(PoisonError::into_inner);
        if said_at.is_none_or(|at| at.elapsed() >= pause) {
            *said_at = Some(Instant::now());
            tracing::error!(%why, lost, "the audit log can't be written; viewers go on without it");
        }
    }
}

/// What the thread owns.
struct Pen {
    file: AuditFile,
    state: Arc<WriterState>,
    /// The last write failed, perhaps in the middle of a line.
    is_torn: bool,
}

impl Pen {
    /// Runs until no sender of orders is left.
    fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            match order {
                Order::Write(line) => self.write(&line),
                Order::Reopen => {
                    if let Err(error) = self.file.reopen() {
                        tracing::error!(%error, "the audit log can't be opened again, so the former file is written on");
                    }
                }
                Order::End(done) => drop(done.send(())),
            }
        }
    }

    /// After a failure the file is opened anew, and begins with a line of its own.
    fn write(&mut self, line: &str) {
        let written = if self.is_torn {
            self.file.reopen().and_then(|()| self.file.write(&format!("\n{line}\n")))
        } else {
            self.file.write(&format!("{line}\n"))
        };
        self.state.queued_bytes.fetch_sub(line.len(), Ordering::AcqRel);
        match written {
            Ok(()) => {
                self.is_torn = false;
                if self.state.is_failing.swap(false, Ordering::AcqRel) {
                    let lost = self.state.lost.load(Ordering::Acquire);
                    tracing::warn!(lost, "the audit log is written again");
                }
            }
            Err(error) => {
                self.is_torn = true;
                self.state.lose(&error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn writer(path: &Path) -> (Writer, Metrics) {
        let metrics = Metrics::new();
        let file = AuditFile::open(&AuditTarget::File(path.to_owned())).expect("opened");
        (Writer::start(file, metrics.clone()).expect("a thread"), metrics)
    }

    #[tokio::test]
    async fn r_aud_1_a_file_of_its_users_alone_is_appended_to_and_opened_anew_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, moved) = (folder.path().join("a.log"), folder.path().join("a.log.1"));
        std::fs::write(folder.path().join("b.log"), "before\n").expect("written");
        let (other, _) = writer(&folder.path().join("b.log"));
        other.write("after".to_owned());
        other.end().await;
        assert_eq!(std::fs::read_to_string(folder.path().join("b.log")).expect("read"), "before\nafter\n");

        let (writer, _) = writer(&path);
        writer.write("1".to_owned());
        writer.end().await;
        std::fs::rename(&path, &moved).expect("moved");
        writer.write("2".to_owned());
        writer.reopen();
        writer.write("3".to_owned());
        writer.end().await;
        let read = |path: &Path| std::fs::read_to_string(path).expect("read");
        assert_eq!((read(&moved), read(&path)), ("1\n2\n".to_owned(), "3\n".to_owned()));
        let mode = std::fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn r_rel_11_a_pipe_is_no_audit_log_whether_it_is_read_or_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.expect("there is mkfifo").success());
        let opened = || AuditFile::open(&AuditTarget::File(fifo.clone())).map(drop);
        assert!(opened().expect_err("nobody reads it").message.contains("it is a pipe"));
        let nonblock = OFlags::NONBLOCK.bits().cast_signed();
        let _reader = OpenOptions::new().read(true).custom_flags(nonblock).open(&fifo).expect("opened");
        assert!(opened().expect_err("somebody reads it").message.contains("it is a pipe"));
    }

    #[tokio::test]
    async fn r_aud_1_a_link_in_the_place_of_the_file_is_not_followed_and_the_former_file_is_written_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let read = |name: &str| std::fs::read_to_string(place(name)).expect("read");
        std::fs::write(place("other"), "").expect("written");
        let (writer, _) = writer(&place("a.log"));
        writer.write("1".to_owned());
        writer.end().await;
        std::fs::rename(place("a.log"), place("a.log.1")).expect("moved");
        symlink(place("other"), place("a.log")).expect("linked");
        writer.reopen();
        writer.write("2".to_owned());
        writer.end().await;
        assert_eq!((read("a.log.1"), read("other")), ("1\n2\n".to_owned(), String::new()));
        // One that was a link from the beginning is the operator's.
        let (linked, _) = self::writer(&place("a.log"));
        linked.reopen();
        linked.write("3".to_owned());
        linked.end().await;
        assert_eq!(read("other"), "3\n");
    }

    #[tokio::test]
    async fn a_full_disk_loses_records_and_says_so_until_there_is_room_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.log");
        symlink("/dev/full", &path).expect("linked");
        let (writer, metrics) = writer(&path);
        for _ in 0..3 {
            writer.write("lost".to_owned());
        }
        writer.end().await;
        assert_eq!(metrics.audit_lost.get(), 3);
        assert_eq!(writer.check(), Err("it can't be written, and 3 records were lost".to_owned()));
        std::fs::remove_file(&path).expect("removed");
        writer.write("kept".to_owned());
        writer.end().await;
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "\nkept\n", "a line of its own");
        assert_eq!(writer.check(), Ok(()));
    }

    #[tokio::test]
    async fn a_disk_that_stands_still_holds_up_nobody_and_its_queue_has_a_bound() {
        let (mut reader, pipe) = std::io::pipe().expect("a pipe");
        let out = Out::File(File::from(OwnedFd::from(pipe)));
        let file = AuditFile { target: AuditTarget::Stdout, out, may_be_link: false };
        let metrics = Metrics::new();
        let writer = Writer::start(file, metrics.clone()).expect("a thread");
        let record = "x".repeat(1024);
        let room = AUDIT_QUEUE_BYTES_MAX / record.len();
        // The pipe isn't read: it takes some records, and the queue the rest.
        for _ in 0..2 * room {
            writer.write(record.clone());
        }
        let lost = usize::try_from(metrics.audit_lost.get()).expect("few");
        assert!((room / 2..=room).contains(&lost), "{lost} of {}", 2 * room);
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).map(|_| text)
        });
        drop(writer);
        let text = reading.join().expect("it ends").expect("read");
        assert_eq!(text.lines().filter(|line| **line == record).count(), 2 * room - lost);
    }
}
