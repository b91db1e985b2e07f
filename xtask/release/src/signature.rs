//! Signatures in the form of minisign (<https://jedisct1.github.io/minisign/>): Ed25519 over the BLAKE2b hash of a file.
//! The library of that name signs with random numbers, and then no two folders of one release would be equal, so a
//! signature is written here.

use anyhow::{Context, Result, anyhow, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use blake2::{Blake2b512, Digest};
use minisign_verify::{PublicKey, Signature};
use ring::signature::Ed25519KeyPair;

/// The secret key of a release.
pub struct Signer {
    id: [u8; 8],
    key: Ed25519KeyPair,
}

const ED25519: &[u8] = b"Ed";
/// Ed25519 over a hash.
const PREHASHED: &[u8] = b"ED";
const NO_PASSWORD: [u8; 2] = [0, 0];
/// The algorithms of the key, of its password and of its checksum; then salt and limits of the password.
const HEAD_BYTES: usize = 6 + 32 + 8 + 8;

impl Signer {
    /// Reads a file of `minisign -G -W`, which has no password.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str) -> Result<Self> {
        const IS: &str = "a secret key is a file that `minisign -G -W` writes";
        let line = text.lines().nth(1).context(IS)?;
        let bytes = BASE64_STANDARD.decode(line.trim()).context(IS)?;
        let (head, key) = bytes.split_at_checked(HEAD_BYTES).context(IS)?;
        ensure!(head.starts_with(ED25519), IS);
        ensure!(head.get(2..4) == Some(&NO_PASSWORD), "the secret key has a password; {IS}");
        let (id, key) = key.split_first_chunk::<8>().context(IS)?;
        let (seed, public) = key.split_at_checked(32).context(IS)?;
        let public = public.get(..32).context(IS)?;
        let key = Ed25519KeyPair::from_seed_and_public_key(seed, public).map_err(|_| anyhow!(IS))?;
        Ok(Self { id: *id, key })
    }

    /// `comment` is signed as well.
    #[must_use]
    pub fn sign(&self, bytes: &[u8], comment: &str) -> String {
        let signature = self.key.sign(&Blake2b512::digest(bytes));
        let of_comment = self.key.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        let whole = [PREHASHED, &self.id, signature.as_ref()].concat();
        format!(
            "untrusted comment: signature of {comment}\n{}\ntrusted comment: {comment}\n{}\n",
            BASE64_STANDARD.encode(whole),
            BASE64_STANDARD.encode(of_comment)
        )
    }
}

/// Returns the comment that was signed with the bytes.
pub(crate) fn verify(bytes: &[u8], signature: &str, public_key: &str) -> Result<String> {
    let key = PublicKey::decode(public_key).map_err(|error| anyhow!("the public key: {error}"))?;
    let signature = Signature::decode(signature).map_err(|error| anyhow!("the signature: {error}"))?;
    key.verify(bytes, &signature, false).map_err(|error| anyhow!("the signature: {error}"))?;
    Ok(signature.trusted_comment().to_owned())
}
