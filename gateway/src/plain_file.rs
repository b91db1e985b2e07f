//! Reads a file of the operator's: the configuration, keys, certificates, kubeconfigs, tokens. Only a regular file, or a
//! link to one: a FIFO in its place would never end. A file that doesn't answer, such as one on a network mount that
//! hangs, is given up. The thread that reads it then stays behind alone; the process can end without it. When too many
//! stayed behind, no further file is read until one of them ends.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;

use rustix::fs::OFlags;
use tokio::sync::Semaphore;

use crate::limits::{FILE_ANSWER_S, FILE_BYTES_MAX, FILE_READERS_MAX};

/// Waits for [`FILE_ANSWER_S`] at the longest, so an async thread asks [`read_async`].
///
/// # Errors
/// It can't be opened or read, isn't a regular file, is too large, or doesn't answer in time.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    static READERS: Readers = Readers::new();
    let path = path.to_owned();
    READERS.run(Duration::from_secs(FILE_ANSWER_S), move || contents(&path))
}

/// As [`read`]. What isn't UTF-8 is an error.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// As [`read`], for an async thread.
pub(crate) async fn read_async(path: &Path) -> io::Result<Vec<u8>> {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || read(&path)).await.map_err(io::Error::other)?
}

/// The threads that read.
struct Readers(LazyLock<Arc<Semaphore>>);

impl Readers {
    const fn new() -> Self {
        Self(LazyLock::new(|| Arc::new(Semaphore::new(FILE_READERS_MAX))))
    }

    fn run<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let unanswered = |why: String| Err(io::Error::new(io::ErrorKind::TimedOut, why));
        let Ok(permit) = Arc::clone(&self.0).try_acquire_owned() else {
            return unanswered(format!("{FILE_READERS_MAX} other files are read already and don't answer"));
        };
        let (done, answered) = mpsc::channel();
        std::thread::Builder::new().name("file".to_owned()).spawn(move || {
            // A receiver that has given up needs no answer.
            drop(done.send(work()));
            drop(permit);
        })?;
        answered
            .recv_timeout(patience)
            .unwrap_or_else(|_| unanswered(format!("it didn't answer within {} s", patience.as_secs())))
    }
}

fn contents(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a FIFO would wait for a writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if is_null(&metadata) {
        return Ok(Vec::new());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it isn't a regular file"));
    }
    let mut contents = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut contents)?;
    if u64::try_from(contents.len()).is_ok_and(|length| length > FILE_BYTES_MAX) {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(contents)
}

/// `/dev/null`, which people name where they mean an empty file.
fn is_null(metadata: &Metadata) -> bool {
    let null = || std::fs::metadata("/dev/null");
    metadata.file_type().is_char_device() && null().is_ok_and(|null| null.rdev() == metadata.rdev())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_rel_11_a_regular_file_is_read_through_a_link_and_nothing_else_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("file"), "key: value").expect("written");
        std::os::unix::fs::symlink(place("file"), place("link")).expect("linked");
        for name in ["file", "link"] {
            assert_eq!(read_to_string(&place(name)).expect("read"), "key: value");
        }
        let made = std::process::Command::new("mkfifo").arg(place("fifo")).status();
        assert!(made.expect("started").success());
        for path in [place("fifo"), folder.path().to_owned(), "/dev/zero".into()] {
            let error = read(&path).expect_err("no regular file");
            assert!(error.to_string().contains("regular file"), "{}: {error}", path.display());
        }
        assert_eq!(read(Path::new("/dev/null")).expect("empty"), b"");
        assert_eq!(read(&place("none")).expect_err("absent").kind(), io::ErrorKind::NotFound);
    }
    #[test]
    fn r_rel_11_files_that_do_not_answer_are_given_up_and_only_so_many_are_waited_for() {
        let readers = Readers::new();
        let (release, hangs) = mpsc::channel::<()>();
        let hangs = Arc::new(std::sync::Mutex::new(hangs));
        for _ in 0..FILE_READERS_MAX {
            let hangs = Arc::clone(&hangs);
            let hang = move || {
                drop(hangs.lock().map(|hangs| hangs.recv()));
                Ok(())
            };
            let error = readers.run(Duration::ZERO, hang).expect_err("given up");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
        }
        let error = readers.run(Duration::from_secs(60), || Ok(())).expect_err("not even begun");
        assert!(error.to_string().contains("other files"), "{error}");
        drop(release);
        while readers.0.available_permits() < FILE_READERS_MAX {
            std::thread::yield_now();
        }
        assert_eq!(readers.run(Duration::from_secs(60), || Ok(7)).expect("read"), 7);
    }
}
