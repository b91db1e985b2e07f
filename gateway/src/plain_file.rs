//! Reads a file of the operator's: the configuration, keys, certificates. Only a regular file, or a link to one: a FIFO in
//! its place would never end. A file that doesn't answer, such as one on a network mount that hangs, is given up. The
//! thread that reads it then stays behind alone; the process can end without it.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::OFlags;

use crate::limits::{FILE_ANSWER_S, FILE_BYTES_MAX};

/// Waits for [`FILE_ANSWER_S`] at the longest.
///
/// # Errors
/// It can't be opened or read, isn't a regular file, is too large, or doesn't answer in time.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (done, read) = mpsc::channel();
    let path = path.to_owned();
    // A receiver that has given up needs no answer.
    std::thread::Builder::new().name("file".to_owned()).spawn(move || drop(done.send(contents(&path))))?;
    read.recv_timeout(Duration::from_secs(FILE_ANSWER_S)).unwrap_or_else(|_| {
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("it didn't answer within {FILE_ANSWER_S} s")))
    })
}

/// As [`read`]. What isn't UTF-8 is an error.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn contents(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a FIFO would wait for a writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it isn't a regular file"));
    }
    let mut contents = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut contents)?;
    if u64::try_from(contents.len()).is_ok_and(|length| length > FILE_BYTES_MAX) {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(contents)
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
        assert_eq!(read(&place("none")).expect_err("absent").kind(), io::ErrorKind::NotFound);
    }
}
