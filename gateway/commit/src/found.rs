//! The commit of a folder of sources: what the environment says, or else git, or else nothing. The build script runs this.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable of the environment that names the commit where there is no git: in a release's copy of the sources, or in
/// an archive of them.
pub const GIVEN: &str = "DOGWATCH_COMMIT";
/// What the program is made of, from the root.
pub const SOURCES: [&str; 14] = [
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "element",
    "frontend",
    "gateway",
    "index.html",
    "page",
    "playground",
    "replica",
    "rust-toolchain.toml",
    "shared",
    "xtask/page",
    "xtask/src/build.rs",
];
/// As many digits as git shows of a commit in a repository of any size.
const DIGITS: usize = 12;

/// `git`: the program. `root`: the folder of the workspace.
pub fn commit(git: &str, root: &Path, given: Option<&str>) -> Result<String, String> {
    if let Some(given) = given.filter(|given| !given.is_empty()) {
        return shortened(given).ok_or_else(|| {
            format!("{GIVEN} is {given:?}; set it to the {DIGITS} to 64 hexadecimal digits of a commit, or unset it")
        });
    }
    Ok(of_git(git, root).unwrap_or_else(|| "unknown".to_owned()))
}

fn shortened(commit: &str) -> Option<String> {
    let is_commit =
        (DIGITS..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some(commit.get(..DIGITS).filter(|_| is_commit)?.to_lowercase())
}

/// `None` where the sources are in no repository, or below the folder of another one.
fn of_git(git: &str, root: &Path) -> Option<String> {
    let top = said(git, root, &["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let commit = shortened(&said(git, root, &["rev-parse", "--verify", "HEAD"])?)?;
    let changed = said(git, root, &[&["status", "--porcelain", "--"][..], &SOURCES].concat())?;
    Some(if changed.is_empty() { commit } else { commit + " and changes" })
}

/// The files that git writes at each commit and each checkout.
pub fn written_by_git(root: &Path) -> Vec<PathBuf> {
    let file = |name: &str| Some(root.join(said("git", root, &["rev-parse", "--git-path", name])?));
    ["HEAD", "logs/HEAD"].into_iter().filter_map(file).collect()
}

fn said(git: &str, root: &Path, arguments: &[&str]) -> Option<String> {
    // Without its lock: a build is no reason to refuse a command that runs beside it.
    let output =
        Command::new(git).arg("--no-optional-locks").arg("-C").arg(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789ABcdef0123456789abcdef01234567";

    fn git(root: &Path, arguments: &[&str]) {
        let settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let status = Command::new("git").arg("-C").arg(root).args(settings).args(arguments).output();
        assert!(status.expect("git").status.success(), "git {arguments:?}");
    }

    #[test]
    fn the_commit_is_the_given_one_or_gits_and_unknown_where_neither_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let found = |root: &Path| commit("git", root, None).expect("no given one");
        assert_eq!(found(root), "unknown");
        assert_eq!(commit("git", root, Some(COMMIT)).expect("given"), "0123456789ab");

        git(root, &["init", "--quiet"]);
        assert_eq!(found(root), "unknown", "nothing is committed");
        std::fs::write(root.join("Cargo.toml"), "a").expect("written");
        git(root, &["add", "."]);
        git(root, &["commit", "--quiet", "--message", "a"]);
        let first = found(root);
        assert!(first.len() == 12 && first.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
        assert!(!written_by_git(root).is_empty(), "git writes its own files");
        assert_eq!(commit("git", root, Some("")).expect("an empty one is none"), first);
        assert_eq!(commit("a-program-that-is-nowhere", root, None).expect("no git"), "unknown");

        std::fs::write(root.join("notes.txt"), "not a source").expect("written");
        assert_eq!(found(root), first);
        std::fs::write(root.join("Cargo.toml"), "b").expect("written");
        assert_eq!(found(root), format!("{first} and changes"));
        git(root, &["commit", "--quiet", "--all", "--message", "b"]);
        let second = found(root);
        assert!(second != first && !second.contains("changes"), "{second}");

        let copy = root.join("copy");
        std::fs::create_dir(&copy).expect("made");
        assert_eq!(found(&copy), "unknown", "another folder's repository says nothing of this one");
    }

    #[test]
    fn what_is_no_commit_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for wrong in ["main", "0123456789a", "0123456789ag", &COMMIT.repeat(2), "0123456789ä"] {
            let refused = commit("git", folder.path(), Some(wrong)).expect_err(wrong);
            assert!(refused.contains("DOGWATCH_COMMIT is") && refused.contains("or unset it"), "{refused}");
        }
    }
}
