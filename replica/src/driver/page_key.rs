//! The key of a page that isn't in a browser: what a program needs to open a session of a gateway on its own machine.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::error::Unspecified;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use shared::frame::client::Proof;

pub struct PageKey(EcdsaKeyPair);

impl PageKey {
    /// # Errors
    /// The system has no randomness.
    pub fn generate() -> Result<Self, Unspecified> {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random)?;
        EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).map(Self).map_err(|_| Unspecified)
    }

    /// What goes to the gateway at the login.
    #[must_use]
    pub fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// The answer to a challenge.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn proof(&self, session: &str, nonce: &str, origin: &str) -> Result<Proof, Unspecified> {
        let message = Proof::message(nonce, origin);
        let signature = self.0.sign(&SystemRandom::new(), message.as_bytes())?;
        Ok(Proof { session: session.into(), signature: URL_SAFE_NO_PAD.encode(signature).into() })
    }
}
