//! A token in a file that another program writes anew. The file is read again each minute, as client-go does. A file that can't be
//! read leaves the token that was known.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::HeaderValue;
use shared::problem::{Problem, Reason};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::bearer;
use crate::plain_file;

pub(in crate::cluster) struct TokenFile {
    path: PathBuf,
    /// The header, and when the file is read again.
    known: Mutex<(HeaderValue, Instant)>,
}

impl TokenFile {
    /// `else_token` is taken if the file can't be read.
    pub(super) async fn open(path: PathBuf, else_token: Option<String>) -> Result<Self, Problem> {
        let token = match (read(&path).await, else_token) {
            (Ok(token), _) | (Err(_), Some(token)) => token,
            (Err(problem), None) => return Err(problem),
        };
        let header = bearer(&token)?;
        Ok(Self { path, known: Mutex::new((header, Instant::now() + AGAIN)) })
    }

    pub(super) async fn header(&self) -> Result<HeaderValue, Problem> {
        let mut known = self.known.lock().await;
        if Instant::now() >= known.1 {
            if let Ok(header) = read(&self.path).await.and_then(|token| bearer(&token)) {
                known.0 = header;
            }
            known.1 = Instant::now() + AGAIN;
        }
        Ok(known.0.clone())
    }
}

async fn read(path: &Path) -> Result<String, Problem> {
    let shown = path.display();
    let wrong = |why: String| Problem::new(Reason::Configuration, format!("the token file {shown} {why}"));
    let read = plain_file::read_async(path).await.and_then(|read| {
        String::from_utf8(read)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
    });
    let text = read.map_err(|error| wrong(format!("can't be read: {error}")))?;
    match text.trim() {
        "" => Err(wrong("is empty".to_owned())),
        token => Ok(token.to_owned()),
    }
}

/// The kubelet writes a token anew long before the former one ends. client-go: a minute, less 10 s.
const AGAIN: Duration = Duration::from_secs(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_file_is_read_again_and_its_blanks_are_not_part_of_the_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        let write = |text: &str| std::fs::write(&path, text).expect("written");
        write("first\r\n");
        let file = TokenFile::open(path.clone(), Some("inline".to_owned())).await.expect("opened");
        write(" second\n\n");
        assert_eq!(file.header().await.expect("known"), "Bearer first");
        tokio::time::advance(AGAIN).await;
        assert_eq!(file.header().await.expect("read"), "Bearer second");
        for gone in ["\n", ""] {
            write(gone);
            tokio::time::advance(AGAIN).await;
            assert_eq!(file.header().await.expect("kept"), "Bearer second");
        }
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_is_replaced_by_the_token_beside_it() {
        let path = PathBuf::from("/nowhere/token");
        let file = TokenFile::open(path.clone(), Some("inline".to_owned())).await.expect("opened");
        assert_eq!(file.header().await.expect("known"), "Bearer inline");
        let problem = TokenFile::open(path, None).await.err().expect("refused");
        assert!(problem.message.contains("the token file /nowhere/token can't be read"), "{problem}");
    }
}
