//! The names that announce a credential, and the names that only seem to. The one list of the project; a
//! configuration adds to it. A name is compared without case, separators and a number at its end, so that
//! `apiKey`, `api-key`, `API_KEY` and `apiKey2` are one. Never a value.

/// A name that ends with one of these announces a credential: `password`, `DB_PASSWORD`, `adminPassword`.
const ENDS: &[&str] = &[
    "accesskey",
    "accesskeyid",
    "accountkey",
    "apikey",
    "apikeys",
    "apitoken",
    "authkey",
    "authorization",
    "clientkeydata",
    "connectionstring",
    "cookie",
    "credential",
    "credentials",
    "dockercfg",
    "dockerconfigjson",
    "dsn",
    "encryptionkey",
    "hmackey",
    "htpasswd",
    "keytab",
    "licensekey",
    "masterkey",
    "pass",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwordbase64",
    "passwordhash",
    "passwords",
    "plaintextpassword",
    "privatekey",
    "privatekeydata",
    "psk",
    "pwd",
    "restuserkey",
    "sasurl",
    "secret",
    "secretkey",
    "secrets",
    "secretvalue",
    "servicekey",
    "sharedkey",
    "signingkey",
    "sshkey",
    "storagekey",
    "tlskey",
    "token",
    "tokens",
    "webhookurl",
];

/// These end like a credential and aren't one: they name a Secret, or count, or are words.
///
/// Names that end otherwise need no entry: `secretName`, `secretKeyRef`, `passwordSecretRef`, `tokenPath`,
/// `tokenExpirationSeconds`, `passwordLength`, `keySize`, `publicKey`. Nor do those whose value is a boolean, as
/// in `automountServiceAccountToken`, or an object, as in `serviceAccountToken` and a volume's `secret`: of an
/// object only what itself has such a name is masked, and its `value`.
const EXCEPT: &[&str] = &[
    "bypass",
    "compass",
    "existingsecret",
    "imagepullsecret",
    "imagepullsecrets",
    "maxtokens",
    "pullsecret",
    "pullsecrets",
    "tlssecret",
    "usesecret",
];

/// All that is below one of these is masked, whatever its names are.
const WHOLE: &[&[u8]] = &[b"stringData", b"passwords", b"secretData", b"secretValues"];

/// Of the environment of a process, by any name that kinds have for it; all values are masked.
const ENVIRONMENTS: &[&[u8]] = &[
    b"env",
    b"envs",
    b"envVars",
    b"environment",
    b"environmentVariables",
    b"extraEnv",
    b"extraEnvs",
    b"extraEnvVars",
    b"containerEnv",
];

pub(super) fn is_whole(name: &[u8]) -> bool {
    WHOLE.contains(&name)
}

pub(super) fn is_environment(name: &[u8]) -> bool {
    ENVIRONMENTS.contains(&name)
}

#[derive(Debug)]
pub(in crate::feed) struct Names {
    /// In normal form and from behind, because names are compared by their ends.
    ends: Vec<Box<[u8]>>,
    /// For each last letter the letters before it, as bits: most names are told apart by their last two.
    last_two: [u64; 128],
}

impl Names {
    pub(in crate::feed) fn with(extra: &[String]) -> Self {
        let all = ENDS.iter().copied().chain(extra.iter().map(String::as_str));
        let ends: Vec<Box<[u8]>> = all.map(|name| from_behind(name.as_bytes()).collect()).collect();
        let mut last_two = [0; 128];
        for end in &ends {
            if let (Some(last), Some(bit)) = (end.first(), end.get(1).map(bit_of))
                && let Some(before) = last_two.get_mut(usize::from(*last))
            {
                *before |= bit;
            }
        }
        Self { ends, last_two }
    }

    pub(super) fn announce(&self, name: &[u8]) -> bool {
        let mut letters = from_behind(name);
        let (Some(last), Some(before)) = (letters.next(), letters.next()) else { return false };
        let befores = self.last_two.get(usize::from(last)).copied().unwrap_or_default();
        befores & bit_of(&before) != 0
            && self.ends.iter().any(|end| from_behind(name).take(end.len()).eq(end.iter().copied()))
            && !EXCEPT.iter().any(|except| from_behind(name).eq(except.bytes().rev()))
    }
}

fn bit_of(byte: &u8) -> u64 {
    1 << (byte & 63)
}

/// The letters and digits of a name in lower case, the last first, without a number at the end.
fn from_behind(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter()
        .rev()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
        .skip_while(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_announces_a_credential_by_its_end_however_it_is_written() {
        let names = Names::with(&["Wallet-Pin".to_owned()]);
        for name in [
            "password",
            "DB_PASSWORD",
            "adminPassword",
            "apiKey",
            "api-key",
            "X-Api-Key",
            "API_KEY2",
            "token",
            "credentials",
            "clientSecret",
            "privateKey",
            "tls.key",
            "Authorization",
            "aws_secret_access_key",
            "walletPin",
            "pwd",
            "redisPass",
        ] {
            assert!(names.announce(name.as_bytes()), "{name}");
        }
        for name in [
            "secretName",
            "secretKeyRef",
            "passwordSecretRef",
            "tokenPath",
            "imagePullSecrets",
            "keySize",
            "publicKey",
            "key",
            "name",
            "expirationSeconds",
            "tokenExpirationSeconds",
            "maxTokens",
            "monkey",
            "existingSecret",
            "pin",
            "",
            "7",
            "bypass",
            "passwordLength",
            "compass",
            "generation",
        ] {
            assert!(!names.announce(name.as_bytes()), "{name}");
        }
    }
}
