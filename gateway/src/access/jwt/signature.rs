//! ring, as `jsonwebtoken` asks for its cryptography. It verifies, and never signs.

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    // For thumbprints and private keys, which nothing here asks for.
    key_utils: KeyUtils::new_unimplemented(),
};

/// The crate has one provider for a process.
pub(super) fn install() {
    // An error means that it was installed already.
    let _ = PROVIDER.install_default();
}

fn signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let how = how(*algorithm).ok_or(ErrorKind::UnsupportedAlgorithm)?;
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Ring { algorithm: *algorithm, how, key: key.clone() }))
}

#[derive(Clone, Copy)]
enum How {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

struct Ring {
    algorithm: Algorithm,
    how: How,
    key: DecodingKey,
}

/// `None`: a shared secret.
fn how(algorithm: Algorithm) -> Option<How> {
    Some(match algorithm {
        Algorithm::RS256 => How::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => How::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => How::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => How::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => How::Rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => How::Rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => How::Curve(&ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => How::Curve(&ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => How::Curve(&ED25519),
        _ => return None,
    })
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signed: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = match (self.how, self.key.kind()) {
            (How::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n: trimmed(n), e: trimmed(e) };
                key.verify(parameters, message, signed)
            }
            (How::Curve(algorithm), DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(algorithm, key).verify(message, signed)
            }
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// Some issuers write a number with a zero before it, which ring refuses.
fn trimmed(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}
