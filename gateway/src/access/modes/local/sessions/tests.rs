//! Sessions over their files: who proves what, for how long, and that a revoked one stays so.

use std::os::unix::fs::PermissionsExt;

use replica::driver::page_key::PageKey;

use super::*;

const ORIGIN: &str = "http://127.0.0.1:8484";
const PORT: u16 = 8484;
const HERE: (&str, u16) = (ORIGIN, PORT);

struct SessionsRig {
    store: SessionStore,
    key: PageKey,
    id: SessionId,
    _folder: tempfile::TempDir,
}

fn rig(now: SystemTime) -> SessionsRig {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SessionStore::of_folder(folder.path());
    let key = page_key();
    let id = store.open(&session(&key, now), now).expect("opened");
    SessionsRig { store, key, id, _folder: folder }
}

fn session(key: &PageKey, now: SystemTime) -> Session {
    Session::new(&key.public(), ORIGIN, PORT, "Firefox", now).expect("a key")
}

fn page_key() -> PageKey {
    PageKey::generate().expect("randomness")
}

fn signed(key: &PageKey, session: &str, nonce: &str, origin: &str) -> Proof {
    key.proof(session, nonce, origin).expect("randomness")
}

impl SessionsRig {
    fn proves(&self, nonce: &str, now: SystemTime) -> bool {
        let proof = signed(&self.key, self.id.as_str(), nonce, ORIGIN);
        self.store.prove(&proof, nonce, HERE, now).is_some()
    }
}

#[test]
fn r_authn_1_a_proof_holds_for_its_nonce_key_origin_and_port_alone() {
    let now = SystemTime::now();
    let rig = rig(now);
    let (key, id) = (&rig.key, rig.id.as_str());
    let good = signed(key, id, "nonce", ORIGIN);
    assert!(rig.store.prove(&good, "nonce", HERE, now).is_some());
    let other = "http://localhost:8484";
    for (what, proof, nonce, here) in [
        ("another nonce", good.clone(), "another", HERE),
        ("another port: a relay to the gateway that moved", good.clone(), "nonce", (ORIGIN, 8485)),
        ("another origin", good.clone(), "nonce", (other, PORT)),
        ("signed for another origin", signed(key, id, "nonce", other), "nonce", HERE),
        ("another key", signed(&page_key(), id, "nonce", ORIGIN), "nonce", HERE),
        ("no session", signed(key, "AAAAAAAAAAAAAAAAAAAAAA", "nonce", ORIGIN), "nonce", HERE),
        ("a path", signed(key, &format!("../sessions/{id}"), "nonce", ORIGIN), "nonce", HERE),
        ("no signature", Proof { signature: "".into(), ..good.clone() }, "nonce", HERE),
    ] {
        assert_eq!(rig.store.prove(&proof, nonce, here, now), None, "{what}");
    }
    for at in 0..good.signature.len() {
        let mut bytes = good.signature.as_bytes().to_vec();
        // The last character's low bits are padding, which must be zero.
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let signature = String::from_utf8(bytes).expect("text").into();
        let changed = Proof { signature, ..good.clone() };
        assert_eq!(rig.store.prove(&changed, "nonce", HERE, now), None, "{at}");
    }
}

#[test]
fn a_session_ends_hours_after_its_last_proof_and_a_proof_renews_it() {
    let start = SystemTime::now();
    let rig = rig(start);
    let almost = LIFETIME - Duration::from_secs(60);
    assert!(rig.proves("a", start + almost));
    assert!(rig.proves("b", start + almost * 2), "renewed");
    let end = start + almost * 2 + LIFETIME;
    assert!(!rig.proves("c", end), "over");
    assert_eq!(rig.store.list(end), []);
    assert!(!rig.store.is_open(&rig.id), "its file is gone");
    assert!(rig.proves("d", start) == rig.store.is_open(&rig.id));
}

#[test]
fn a_session_that_was_proved_by_a_clock_that_was_ahead_counts_from_when_that_is_noticed() {
    let right = SystemTime::now();
    let rig = rig(right + LIFETIME * 100);
    let listed = rig.store.list(right);
    assert_eq!(listed.iter().map(|listed| listed.proved).collect::<Vec<_>>(), [right]);
    assert!(rig.proves("a", right + LIFETIME / 2));
    assert_eq!(rig.store.list(right + LIFETIME * 2), [], "it ends as any other");
}

#[test]
fn a_revoked_session_is_not_made_again_by_its_page() {
    let now = SystemTime::now();
    let rig = rig(now);
    assert!(rig.store.is_open(&rig.id));
    assert!(rig.store.revoke(&rig.id) && !rig.store.revoke(&rig.id));
    assert!(!rig.proves("a", now) && !rig.store.is_open(&rig.id));
}

#[test]
fn sessions_are_private_files_and_few_and_the_oldest_gives_way() {
    use std::os::unix::fs::PermissionsExt;
    let start = SystemTime::now();
    let rig = rig(start);
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&rig.store.0), mode(&rig.store.path(&rig.id))), (0o700, 0o600));
    assert_eq!(fs::read_dir(&rig.store.0).expect("listed").count(), 1, "no draft stays");
    for n in 1..=LOCAL_SESSIONS_MAX {
        let now = start + Duration::from_secs(u64::try_from(n).expect("few"));
        rig.store.open(&session(&page_key(), now), now).expect("opened");
        assert_eq!(rig.store.is_open(&rig.id), n < LOCAL_SESSIONS_MAX, "{n}");
    }
    assert_eq!(rig.store.list(start).len(), LOCAL_SESSIONS_MAX);
}

#[test]
fn what_is_no_key_opens_no_session() {
    let now = SystemTime::now();
    for key in ["", "x", "AAAA", &"A".repeat(87), &format!("{}=", page_key().public())] {
        assert!(Session::new(key, ORIGIN, PORT, "", now).is_err(), "{key:?}");
    }
    let named =
        Session::new(&page_key().public(), ORIGIN, PORT, "a\x1b]0;x\x07\u{202e}\n", now).expect("a key");
    assert_eq!(&*named.client, "a]0;x");
}

#[test]
fn a_file_that_is_a_link_a_pipe_or_anothers_to_write_is_no_session_and_nobody_waits_for_it() {
    let now = SystemTime::now();
    let rig = rig(now);
    assert!(rig.proves("nonce", now));
    let path = rig.store.path(&rig.id);
    let kept = path.with_extension("kept");
    fs::rename(&path, &kept).expect("moved");
    std::os::unix::fs::symlink(&kept, &path).expect("linked");
    assert!(!rig.proves("nonce", now) && rig.store.list(now).is_empty(), "a link");
    fs::remove_file(&path).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
    assert!(made.success());
    assert!(!rig.proves("nonce", now) && rig.store.list(now).is_empty(), "a pipe");
    fs::rename(&kept, &path).expect("moved back");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("opened to all");
    assert!(!rig.proves("nonce", now), "anybody may write it");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("closed");
    assert!(rig.proves("nonce", now));
}
