//! The names that announce a credential, and the names that only seem to. The one list of the project; a
//! configuration adds to it. A name is compared without case, separators and a number at its end, so that
//! `apiKey`, `api-key`, `API_KEY` and `apiKey2` are one. Never a value.

use shared::name::NAME_BYTES_MAX;

/// A name that ends with one of these announces a credential: `password`, `DB_PASSWORD`, `adminPassword`.
const ENDS: &[&str] = &[
    "accesskey",
    "accesskeyid",
    "accountkey",
    "apikey",
    "apikeys",
    "apikeyvalue",
    "apitoken",
    "authkey",
    "authorization",
    "bindpw",
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
    "passwordplaintext",
    "passwords",
    "passwordvalue",
    "plaintextpassword",
    "privatekey",
    "privatekeydata",
    "privatekeypem",
    "psk",
    "pwd",
    "restuserkey",
    "rootpw",
    "sasurl",
    "secret",
    "secretkey",
    "secretkeybase",
    "secrets",
    "secretstring",
    "secretvalue",
    "servicekey",
    "sharedkey",
    "signingkey",
    "sshkey",
    "storagekey",
    "tlskey",
    "token",
    "tokens",
    "tokenvalue",
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
const WHOLE: &[&[u8]] =
    &[b"stringData", b"apiKeys", b"passwords", b"privateKeys", b"secretData", b"secretValues", b"tokens"];

/// An object whose name ends with one of these is a map of credentials: `secrets: {db: x}`. What its own names tell to
/// be something else stays. The singulars aren't here: an object under `secret`, `token` or `privateKey` is a
/// reference, or says how one is made. Nor is `tokens`, of which most names count.
const MAPS: &[&[u8]] =
    &[b"apikeys", b"credentials", b"passwd", b"password", b"passwords", b"privatekeys", b"secrets"];

/// Within a map of credentials, a name that is or ends with one of these tells what isn't one: `secretName`.
const DESCRIPTIONS: &[&[u8]] =
    &[b"kind", b"name", b"namespace", b"path", b"provider", b"ref", b"source", b"time", b"type"];
/// The same, for names as a whole. `key` names an entry of a Secret.
const DESCRIPTIONS_WHOLE: &[&[u8]] = &[
    b"apiversion",
    b"clientid",
    b"description",
    b"email",
    b"existingsecret",
    b"host",
    b"key",
    b"message",
    b"phase",
    b"port",
    b"reason",
    b"region",
    b"state",
    b"status",
    b"tenantid",
    b"uid",
    b"user",
];

/// The names that kinds have for the environment of a process. All its values are masked.
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
    b"additionalEnv",
    b"additionalEnvVars",
    b"environmentVars",
    b"extraEnvironmentVars",
    b"podEnv",
];

pub(super) fn is_whole(name: &[u8]) -> bool {
    WHOLE.contains(&name)
}

pub(super) fn is_environment(name: &[u8]) -> bool {
    ENVIRONMENTS.contains(&name)
}

/// Whether an object under a name that announces a credential is a map of credentials.
pub(super) fn is_of_map(name: &[u8]) -> bool {
    let mut form = [0; COMPARED_MAX];
    let form = normal(name, &mut form);
    MAPS.iter().any(|end| form.ends_with(end))
}

/// Whether a name within a map of credentials describes them, and so has no credential as its value.
pub(super) fn describes(name: &[u8]) -> bool {
    let mut form = [0; COMPARED_MAX];
    let form = normal(name, &mut form);
    DESCRIPTIONS_WHOLE.contains(&form) || DESCRIPTIONS.iter().any(|end| form.ends_with(end))
}

/// Whether a number of this name may be a count, because the name is a plural.
pub(super) fn may_count(name: &[u8]) -> bool {
    name.ends_with(b"s") && !name.ends_with(b"ss")
}

/// Whether a text of this name may be a kubeconfig, with the credentials in it, or a path to one.
pub(super) fn is_kubeconfig(name: &[u8]) -> bool {
    // A cheap test first: few names end with this letter.
    if !matches!(name.last(), Some(b'g' | b'G')) {
        return false;
    }
    let mut form = [0; COMPARED_MAX];
    normal(name, &mut form).ends_with(b"kubeconfig")
}

/// Whether a text, as JSON writes it, holds more than a name or a path can: lines, blanks, or a length.
pub(super) fn is_more_than_a_name(text: &[u8]) -> bool {
    // A kubeconfig in base64 is longer than any name, because it holds a certificate or a token.
    text.len() > NAME_BYTES_MAX || text.iter().any(|byte| matches!(byte, b' ' | b'\\' | b'{'))
}

#[derive(Debug)]
pub(in crate::feed) struct Names {
    /// The names in normal form, indexed by the place of their last letter in the alphabet.
    ends: [Vec<Box<[u8]>>; LETTERS],
    /// For each pair of last letters, the letters that may precede it, as bits: three letters rule out most names.
    befores: Box<[u32; LETTERS * LETTERS]>,
}

const LETTERS: usize = 26;
/// Only the last so many bytes of a name in normal form are compared. The longest known name has 17.
const COMPARED_MAX: usize = 48;

impl Names {
    pub(in crate::feed) fn with(extra: &[String]) -> Self {
        let mut names = Self { ends: Default::default(), befores: Box::new([0; LETTERS * LETTERS]) };
        for name in ENDS.iter().copied().chain(extra.iter().map(String::as_str)) {
            let mut form = [0; COMPARED_MAX];
            let form = normal(name.as_bytes(), &mut form);
            let [rest @ .., second, last] = form else { continue };
            if let Some(ends) = names.ends.get_mut(letter(*last)) {
                ends.push(form.into());
            }
            if let Some(befores) = names.befores.get_mut(letter(*second) * LETTERS + letter(*last)) {
                // A name of two letters may follow any.
                *befores |= rest.last().map_or(u32::MAX, |before| 1 << letter(*before).min(LETTERS));
            }
        }
        names
    }

    pub(super) fn announce(&self, name: &[u8]) -> bool {
        // Most names end in three letters, which rule most of them out.
        if let [.., before, second, last] = name
            && let (before, second, last) = (letter(*before), letter(*second), letter(*last))
            && before.max(second).max(last) < LETTERS
            && self.befores.get(second * LETTERS + last).is_some_and(|befores| befores & (1 << before) == 0)
        {
            return false;
        }
        let mut form = [0; COMPARED_MAX];
        let form = normal(name, &mut form);
        let ends = form.last().and_then(|last| self.ends.get(letter(*last)));
        ends.is_some_and(|ends| ends.iter().any(|end| form.ends_with(end)))
            && !EXCEPT.iter().any(|except| form == except.as_bytes())
    }
}

/// The place in the alphabet, of either case; what isn't a letter is beyond it.
fn letter(byte: u8) -> usize {
    usize::from((byte | 0x20).wrapping_sub(b'a'))
}

/// The letters and digits of a name in lower case, without a number at the end: the last of them, as many as fit.
fn normal<'a>(name: &[u8], form: &'a mut [u8; COMPARED_MAX]) -> &'a [u8] {
    let mut start = COMPARED_MAX;
    for byte in name.iter().rev() {
        let is_kept = byte.is_ascii_alphabetic() || (byte.is_ascii_digit() && start < COMPARED_MAX);
        if is_kept && let Some(place) = start.checked_sub(1).and_then(|place| form.get_mut(place)) {
            *place = byte.to_ascii_lowercase();
            start -= 1;
        }
    }
    form.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_goes_by_the_names_that_charts_and_operators_have_for_it() {
        for name in ["env", "extraEnv", "additionalEnv", "additionalEnvVars", "environmentVars", "podEnv"] {
            assert!(is_environment(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn within_a_map_of_credentials_a_name_describes_or_is_of_one() {
        for name in ["secrets", "dbCredentials", "db-passwords", "PASSWORD", "api_keys"] {
            assert!(is_of_map(name.as_bytes()), "{name}");
        }
        for name in ["secret", "token", "tokens", "privateKey", "authorization", "secretName"] {
            assert!(!is_of_map(name.as_bytes()), "{name}");
        }
        for name in
            ["name", "secretName", "secretRef", "key", "kind", "apiVersion", "clientID", "lastRotationTime"]
        {
            assert!(describes(name.as_bytes()), "{name}");
        }
        for name in ["db", "prod", "apiKey", "awsKey", "users", ""] {
            assert!(!describes(name.as_bytes()), "{name}");
        }
    }

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
            "SECRET_KEY_BASE",
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
