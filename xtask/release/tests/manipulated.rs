//! A release that is whole passes the check, and one that was changed is refused.

#![cfg(test)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use xtask_release::{Parts, Signer, check, write};

const VERSION: &str = "0.2.0";

/// A release that was written, with what it was made of.
struct Rig {
    home: TempDir,
    parts: Parts,
    signer: Signer,
}

/// A key pair as `minisign -G -W` writes one.
fn key_pair(seed: u8) -> (String, String) {
    let (id, seed) = ([seed; 8], [seed; 32]);
    let pair = Ed25519KeyPair::from_seed_unchecked(&seed).expect("a key");
    let public = pair.public_key().as_ref();
    let secret = [b"Ed\0\0B2".as_slice(), &[0; 48], &id, &seed, public, &[0; 32]].concat();
    let public = [b"Ed".as_slice(), &id, public].concat();
    let file = |what: &str, bytes: &[u8]| {
        format!("untrusted comment: minisign {what}\n{}\n", BASE64_STANDARD.encode(bytes))
    };
    (file("secret key", &secret), file("public key", &public))
}

/// The head of a program: of an architecture, and with one segment of this kind.
fn program(machine: u16, segment: u32) -> Vec<u8> {
    let mut bytes = vec![0; 64 + 56];
    bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
    bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
    bytes[56..58].copy_from_slice(&1_u16.to_le_bytes());
    bytes[64..68].copy_from_slice(&segment.to_le_bytes());
    bytes
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An image of these architectures.
fn image(folder: &Path, architectures: &[&str]) {
    let blob = |value: &Value| {
        let bytes = value.to_string().into_bytes();
        let name = hash(&bytes);
        put(&folder.join("blobs/sha256").join(&name), &bytes);
        json!({ "digest": format!("sha256:{name}") })
    };
    let manifest = |architecture: &&str| {
        let layer = blob(&json!({ "layer of": architecture }));
        let config = blob(&json!({ "architecture": architecture }));
        blob(&json!({ "config": config, "layers": [layer] }))
    };
    let all: Vec<Value> = architectures.iter().map(manifest).collect();
    let mut named = blob(&json!({ "manifests": all }));
    named["annotations"] = json!({ "org.opencontainers.image.ref.name": VERSION });
    put(&folder.join("index.json"), json!({ "manifests": [named] }).to_string().as_bytes());
    put(&folder.join("oci-layout"), b"{}");
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    fs::write(path, bytes).expect("written");
}

impl Rig {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let at = |name: &str| home.path().join(name);
        let (secret, public) = key_pair(7);
        let signer = Signer::read(&secret).expect("a key");
        put(&at("key"), secret.as_bytes());
        put(&at("key.pub"), public.as_bytes());
        put(&at("amd64"), &program(62, 1));
        put(&at("arm64"), &program(183, 1));
        put(&at("man/dogwatch.1"), b".TH dogwatch");
        put(&at("completions/dogwatch.bash"), b"complete");
        image(&at("image"), &["amd64", "arm64"]);
        put(&at("element/package.json"), json!({ "version": VERSION }).to_string().as_bytes());
        put(&at("element/program.js"), b"export {}");
        for name in ["dogwatch", "page"] {
            let list = json!({
                "bomFormat": "CycloneDX",
                "metadata": { "component": { "version": VERSION } },
                "components": [{ "name": "a" }],
            });
            put(&at("components").join(format!("{name}.cdx.json")), list.to_string().as_bytes());
        }
        put(&at("source/LICENSE"), b"Apache-2.0");
        put(&at("source/Cargo.lock"), b"[[package]]");
        put(&at("source/CHANGELOG.md"), format!("# Changelog\n\n## {VERSION}\n- all of it\n").as_bytes());
        let chart = format!("version: {VERSION}\nappVersion: \"{VERSION}\"\n");
        put(&at("source/deploy/chart/Chart.yaml"), chart.as_bytes());
        put(&at("source/deploy/chart/values.yaml"), b"a: 1\n");
        put(&at("source/deploy/chart/README.md"), b"[Releases](../../docs/RELEASES.md)\n");
        let parts = Parts {
            version: VERSION.to_owned(),
            commit: "0123456789abcdef0123456789abcdef01234567".to_owned(),
            key: at("key"),
            source: at("source"),
            amd64: at("amd64"),
            arm64: at("arm64"),
            manual: at("man"),
            completions: at("completions"),
            image: at("image"),
            element: at("element"),
            components: at("components"),
        };
        Self { parts, signer, home }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str) -> PathBuf {
        let folder = self.at(name);
        write(&folder, &self.parts).expect("written");
        folder
    }

    /// What the check says of a folder.
    fn said(&self, folder: &Path) -> String {
        match check(folder, &self.at("key.pub")) {
            Ok(said) => said,
            Err(error) => format!("{error:#}"),
        }
    }

    /// Signs anew what is in the folder, as the owner of the key does.
    fn sign(&self, folder: &Path) {
        let mut sums = String::new();
        let mut names: Vec<_> =
            fs::read_dir(folder).expect("read").map(|entry| entry.expect("read").file_name()).collect();
        names.sort();
        for name in names.iter().filter(|name| !name.to_string_lossy().starts_with("SHA256SUMS")) {
            let bytes = fs::read(folder.join(name)).expect("read");
            sums += &format!("{}  {}\n", hash(&bytes), name.to_string_lossy());
        }
        let signature = self.signer.sign(sums.as_bytes(), &format!("dogwatch {VERSION}"));
        put(&folder.join("SHA256SUMS"), sums.as_bytes());
        put(&folder.join("SHA256SUMS.minisig"), signature.as_bytes());
    }
}

/// Changes what is in a file, as long as it is.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("written");
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("read");
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).expect("written");
}

#[test]
fn a_release_is_the_same_twice_and_each_that_was_changed_is_refused() {
    let rig = Rig::new();
    let (one, other) = (rig.write("one"), rig.write("other"));
    let said = rig.said(&one);
    assert!(
        said.starts_with("dogwatch 0.2.0 of commit 0123456789abcdef") && said.contains("9 files"),
        "{said}"
    );
    for entry in fs::read_dir(&one).expect("read") {
        let name = entry.expect("read").file_name();
        let read = |folder: &Path| fs::read(folder.join(&name)).expect("read");
        assert!(read(&one) == read(&other), "{name:?} differs");
    }
    assert!(write(&one, &rig.parts).is_err(), "a folder that is there isn't written over");

    let amd64 = "dogwatch-0.2.0-linux-amd64.tar.gz";
    let provenance = "dogwatch-0.2.0.intoto.json";
    type Change<'a> = &'a dyn Fn(&Path);
    let changes: [(&str, Change<'_>, &str); 16] = [
        ("a byte", &|folder| spoil(&folder.join(amd64)), "isn't the file that was signed"),
        (
            "a file less",
            &|folder| fs::remove_file(folder.join("NOTES.md")).expect("removed"),
            "read NOTES.md",
        ),
        ("a file more", &|folder| put(&folder.join("install.sh"), b"#!"), "install.sh is no part"),
        (
            "a link",
            &|folder| {
                let moved = rig.at("moved");
                fs::rename(folder.join(amd64), &moved).expect("moved");
                symlink(moved, folder.join(amd64)).expect("linked");
            },
            "is no file",
        ),
        (
            "a hash",
            &|folder| {
                let spoiled = folder.join("NOTES.md");
                let before = hash(&fs::read(&spoiled).expect("read"));
                spoil(&spoiled);
                edit(&folder.join("SHA256SUMS"), &before, &hash(&fs::read(&spoiled).expect("read")));
            },
            "SHA256SUMS.minisig: the signature",
        ),
        (
            "another's signature",
            &|folder| {
                let stranger = Signer::read(&key_pair(8).0).expect("a key");
                let sums = fs::read(folder.join("SHA256SUMS")).expect("read");
                let signature = stranger.sign(&sums, "dogwatch 0.2.0");
                put(&folder.join("SHA256SUMS.minisig"), signature.as_bytes());
            },
            "SHA256SUMS.minisig: the signature",
        ),
        (
            "another version in the signature",
            &|folder| {
                edit(
                    &folder.join("SHA256SUMS.minisig"),
                    "trusted comment: dogwatch 0.2.0",
                    "trusted comment: dogwatch 0.3.0",
                );
            },
            "SHA256SUMS.minisig: the signature",
        ),
        (
            "no signature",
            &|folder| {
                fs::remove_file(folder.join("SHA256SUMS.minisig")).expect("removed");
            },
            "read SHA256SUMS.minisig",
        ),
        // From here on the owner of the key did it, or a mistake.
        (
            "a file more, signed",
            &|folder| {
                put(&folder.join("install.sh"), b"#!");
                rig.sign(folder);
            },
            "SHA256SUMS names install.sh, which is no part",
        ),
        (
            "a file less, signed",
            &|folder| {
                fs::remove_file(folder.join("NOTES.md")).expect("removed");
                rig.sign(folder);
            },
            "doesn't name NOTES.md",
        ),
        (
            "a path, signed",
            &|folder| {
                let sums = fs::read_to_string(folder.join("SHA256SUMS")).expect("read");
                let sums = sums.replacen("NOTES.md", "../NOTES.md", 1);
                put(&folder.join("SHA256SUMS"), sums.as_bytes());
                let signature = rig.signer.sign(sums.as_bytes(), "dogwatch 0.2.0");
                put(&folder.join("SHA256SUMS.minisig"), signature.as_bytes());
            },
            "\"../NOTES.md\" is no name of a file",
        ),
        (
            "other artifacts in the provenance",
            &|folder| {
                edit(&folder.join(provenance), "dogwatch-chart-0.2.0.tgz", "dogwatch-chart-0.1.0.tgz");
                rig.sign(folder);
            },
            "it speaks of other artifacts",
        ),
        (
            "no commit in the provenance",
            &|folder| {
                edit(
                    &folder.join(provenance),
                    "\"gitCommit\": \"0123456789abcdef0123456789abcdef01234567\"",
                    "\"gitCommit\": \"main\"",
                );
                rig.sign(folder);
            },
            "\"main\" is no commit",
        ),
        (
            "notes of another version",
            &|folder| {
                edit(&folder.join("NOTES.md"), "0.2.0", "0.1.0");
                rig.sign(folder);
            },
            "NOTES.md: they are of another version",
        ),
        (
            "a list of another version",
            &|folder| {
                edit(&folder.join("dogwatch-0.2.0-page.cdx.json"), "0.2.0", "0.1.0");
                rig.sign(folder);
            },
            "it is of version",
        ),
        (
            "an archive that is none",
            &|folder| {
                put(&folder.join(amd64), b"dogwatch");
                rig.sign(folder);
            },
            amd64,
        ),
    ];
    for (number, (name, change, expected)) in changes.into_iter().enumerate() {
        let folder = rig.write(&format!("changed-{number}"));
        change(&folder);
        let said = rig.said(&folder);
        assert!(said.contains(expected), "{name}: {said}");
    }
}

#[test]
fn what_was_built_wrong_is_no_release_even_if_it_is_signed() {
    type Break<'a> = &'a dyn Fn(&Rig);
    let breaks: [(&str, Break<'_>, &str); 6] = [
        (
            "the other architecture",
            &|rig| put(&rig.at("arm64"), &program(62, 1)),
            "it is of another architecture",
        ),
        ("a program that needs a loader", &|rig| put(&rig.at("amd64"), &program(62, 3)), "it isn't static"),
        (
            "an image of one architecture",
            &|rig| {
                fs::remove_dir_all(rig.at("image")).expect("removed");
                image(&rig.at("image"), &["amd64"]);
            },
            "it is of {\"amd64\"}",
        ),
        (
            "a blob of another name",
            &|rig| {
                put(&rig.at("image/blobs/sha256").join("0".repeat(64)), b"{}");
            },
            "isn't what its name says",
        ),
        (
            "the chart of another version",
            &|rig| {
                edit(
                    &rig.at("source/deploy/chart/Chart.yaml"),
                    "appVersion: \"0.2.0\"",
                    "appVersion: \"0.1.0\"",
                );
            },
            "its appVersion is Some(\"0.1.0\")",
        ),
        (
            "no manual",
            &|rig| {
                fs::rename(rig.at("man/dogwatch.1"), rig.at("man/other.1")).expect("moved");
            },
            "man/dogwatch.1 is missing",
        ),
    ];
    for (name, spoil, expected) in breaks {
        let rig = Rig::new();
        spoil(&rig);
        let said = rig.said(&rig.write("folder"));
        assert!(said.contains(expected), "{name}: {said}");
    }
}

#[test]
fn a_key_with_a_password_and_what_is_no_key_say_what_to_do() {
    let (secret, public) = key_pair(7);
    let bytes = BASE64_STANDARD.decode(secret.lines().nth(1).expect("a line")).expect("base64");
    let with_password = [b"EdSc", &bytes[4..]].concat();
    let with_password = format!("untrusted comment: x\n{}\n", BASE64_STANDARD.encode(with_password));
    for (text, says) in
        [(&with_password, "has a password"), (&public, "minisign -G -W"), (&String::new(), "minisign -G -W")]
    {
        let said = Signer::read(text).err().expect("refused").to_string();
        assert!(said.contains(says), "{said}");
    }
}
