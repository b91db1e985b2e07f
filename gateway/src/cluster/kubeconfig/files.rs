//! Which kubeconfigs are read, and their merge: those of `KUBECONFIG` that exist, and the first one that sets a value wins.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use shared::problem::Problem;

use super::shape::{Kubeconfig, read_text};
use super::wrong;
use crate::plain_file;

/// One that was named, or those of `KUBECONFIG`, else `~/.kube/config`.
pub(in crate::cluster) fn paths_of(path: Option<PathBuf>) -> Vec<PathBuf> {
    match path {
        Some(path) => vec![path],
        None => {
            let listed = std::env::var_os("KUBECONFIG");
            default_paths(listed.as_deref(), std::env::home_dir().as_deref())
        }
    }
}

fn default_paths(listed: Option<&OsStr>, home: Option<&Path>) -> Vec<PathBuf> {
    match listed.filter(|text| !text.is_empty()) {
        Some(listed) => std::env::split_paths(listed).filter(|path| !path.as_os_str().is_empty()).collect(),
        None => home.map(|home| home.join(".kube").join("config")).into_iter().collect(),
    }
}

/// The merged kubeconfig, and the paths for messages.
pub(in crate::cluster) fn read_all(paths: &[PathBuf]) -> Result<(Kubeconfig, String), Problem> {
    let place = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let is_only_one = paths.len() == 1;
    let mut merged: Option<Kubeconfig> = None;
    for path in paths {
        let next = match read_one(path)? {
            Found::Kubeconfig(next) => *next,
            Found::Nothing if is_only_one => {
                return Err(wrong(format!(
                    "the kubeconfig {place} doesn't exist; write it, name another with --kubeconfig, KUBECONFIG or in `clusters`, or start with --demo"
                )));
            }
            Found::Empty if is_only_one => {
                return Err(wrong(format!(
                    "the kubeconfig {place} is empty; write one, or name another with --kubeconfig"
                )));
            }
            Found::Nothing | Found::Empty => continue,
        };
        merged = Some(match merged {
            None => next,
            Some(before) => before.merge(next),
        });
    }
    match merged {
        Some(kubeconfig) => Ok((kubeconfig, place)),
        None => Err(wrong(format!(
            "there is no kubeconfig at {place}; name one with --kubeconfig or KUBECONFIG, or start with --demo"
        ))),
    }
}

/// What is at a path.
enum Found {
    Nothing,
    Empty,
    Kubeconfig(Box<Kubeconfig>),
}

fn read_one(path: &Path) -> Result<Found, Problem> {
    let shown = path.display();
    let bytes = match plain_file::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(wrong(format!("the kubeconfig {shown} can't be read: {error}"))),
    };
    let text =
        text_of(&bytes).ok_or_else(|| wrong(format!("the kubeconfig {shown} is not text in UTF-8")))?;
    if text.trim().is_empty() {
        return Ok(Found::Empty);
    }
    let mut kubeconfig = read_text(&text)
        .map_err(|Problem { message, .. }| wrong(format!("the kubeconfig {shown} {message}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    // A relative folder means one of the working directory, which a plugin may not have.
    kubeconfig.resolve_paths(&std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()));
    Ok(Found::Kubeconfig(Box::new(kubeconfig)))
}

/// Windows' programs write UTF-16 with a byte order mark.
fn text_of(bytes: &[u8]) -> Option<String> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.as_chunks().0.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16(&units).ok()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        _ => String::from_utf8(bytes.to_vec()).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_merged_and_the_first_one_wins() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let first = write("first", "current-context: a\nusers: [{name: u, user: {tokenFile: t}}]\n");
        let empty = write("empty", "");
        let second = write(
            "second",
            "current-context: b\nusers: [{name: u, user: {token: x}}]\ncontexts: [{name: b}, {name: c}]\n",
        );
        let missing = folder.path().join("missing");
        let listed = std::env::join_paths([&first, &empty, &missing, &second]).expect("paths");
        let paths = default_paths(Some(&listed), None);
        let (merged, _) = read_all(&paths).expect("merged");
        assert_eq!(merged.current_context, "a");
        assert_eq!(merged.contexts.len(), 2);
        let [(_, user)] = merged.users.as_slice() else { panic!("one user") };
        assert_eq!(
            (user.token.as_str(), Path::new(&user.token_file)),
            ("", folder.path().join("t").as_path())
        );
        assert_eq!(
            default_paths(None, Some(Path::new("/home/me"))),
            [PathBuf::from("/home/me/.kube/config")]
        );
        assert!(read_all(&[]).is_err());
    }

    #[test]
    fn a_byte_order_mark_says_which_text_it_is() {
        for bytes in [&b"\xEF\xBB\xBFa: b"[..], b"\xFF\xFEa\0:\0 \0b\0", b"\xFE\xFF\0a\0:\0 \0b", b"a: b"] {
            assert_eq!(text_of(bytes).as_deref(), Some("a: b"));
        }
        assert_eq!(text_of(b"\xC3\x28"), None);
    }
}
