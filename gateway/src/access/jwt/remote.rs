//! A key set that its issuer publishes at a URL. It is fetched when a token names a key that isn't known, at most
//! every few seconds, and when it is old. A token of a known key waits for no fetch, unless the keys are too old to be
//! believed: tokens of unknown keys delay no other token, even if the key server hangs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use http::Uri;
use tokio::time::Instant;

use super::{Claims, Expected, KeySet, Refusal, verify};
use crate::access::https::{Https, NoAnswer};
use crate::limits::{JWT_KEYS_AGAIN_S, JWT_KEYS_KEPT_S, JWT_KEYS_REFRESH_S};

/// Cheap to clone.
#[derive(Clone)]
pub struct RemoteKeys {
    https: Https,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    keys: Arc<KeySet>,
    asked: Option<Instant>,
    /// The last one, which may be over. It fails with why the keys can't be had.
    fetch: Option<Fetch>,
    /// Whether the keys were too old to be believed when that fetch began.
    is_overdue: bool,
}

type Fetch = Shared<BoxFuture<'static, Result<(), NoAnswer>>>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    #[error(transparent)]
    Refused(Refusal),
    /// Why the keys can't be had, in a few words.
    #[error("{0}")]
    Unreachable(NoAnswer),
}

impl RemoteKeys {
    pub fn new(https: Https) -> Self {
        Self { https, held: Arc::default() }
    }

    /// Verifies a token by the keys at this URL. Fails with `Unreachable` only where no key is known that fits.
    pub async fn verify(
        &self,
        url: &Uri,
        token: &str,
        expected: &Expected<'_>,
    ) -> Result<Claims, RemoteError> {
        let former = self.keys();
        let verified = verify(token, &former, expected);
        let Some(fetch) = self.awaited(url, may_be_new(&verified)) else {
            return verified.map_err(RemoteError::Refused);
        };
        let fetched = fetch.await;
        let keys = self.keys();
        let is_same = Arc::ptr_eq(&keys, &former);
        let verified = if is_same { verified } else { verify(token, &keys, expected) };
        match (verified, fetched) {
            // Where a fetch fails, the former keys are asked.
            (Ok(claims), _) => Ok(claims),
            (verified, Err(why)) if may_be_new(&verified) || keys.is_empty() => {
                Err(RemoteError::Unreachable(why))
            }
            (Err(_), Ok(())) if keys.is_empty() => Err(RemoteError::Unreachable("it has no keys".into())),
            (Err(refusal), _) => Err(RemoteError::Refused(refusal)),
        }
    }

    /// Whether there are keys at this URL: fetched now, if they weren't within the last seconds. Fails with why not.
    pub async fn look(&self, url: &Uri) -> Result<(), NoAnswer> {
        if let Some(fetch) = self.awaited(url, true) {
            fetch.await?;
        }
        if self.keys().is_empty() { Err("it has no keys".into()) } else { Ok(()) }
    }

    /// The fetch that a token must wait for, which may be over. One that is due begins now, and goes on whether or not
    /// anything waits for it.
    fn awaited(&self, url: &Uri, may_be_new: bool) -> Option<Fetch> {
        let mut held = lock(&self.held);
        let is_running = held.fetch.as_ref().is_some_and(|fetch| fetch.peek().is_none());
        let due_s = if may_be_new { JWT_KEYS_AGAIN_S } else { JWT_KEYS_REFRESH_S };
        if !is_running && held.is_older_than(due_s) {
            let fetch = fetch(self.https.clone(), url.clone(), Arc::clone(&self.held)).boxed().shared();
            tokio::spawn(fetch.clone());
            held.is_overdue = held.is_older_than(JWT_KEYS_KEPT_S);
            held.asked = Some(Instant::now());
            held.fetch = Some(fetch);
        }
        held.fetch.clone().filter(|_| may_be_new || held.is_overdue)
    }

    fn keys(&self) -> Arc<KeySet> {
        Arc::clone(&lock(&self.held).keys)
    }
}

async fn fetch(https: Https, url: Uri, held: Arc<Mutex<Held>>) -> Result<(), NoAnswer> {
    let answer = https.get(&url).await?;
    if !answer.status.is_success() {
        let why = format!("its keys are answered with {}", answer.status.as_u16());
        return Err(NoAnswer::OfServer(why));
    }
    let keys = KeySet::parse(&answer.body).ok_or("its keys can't be read")?;
    lock(&held).keys = Arc::new(keys);
    Ok(())
}

/// A token without a key's name may be signed by one that is new.
fn may_be_new(verified: &Result<Claims, Refusal>) -> bool {
    matches!(verified, Err(Refusal::UnknownKey | Refusal::Signature))
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Held {
    fn is_older_than(&self, seconds: u64) -> bool {
        self.asked.is_none_or(|asked| asked.elapsed() >= Duration::from_secs(seconds))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::access::jwt::testing::Issuer;

    const NOW_S: i64 = 1_795_000_000;
    const EXPECTED: Expected<'static> =
        Expected { issuer: "https://id.example", audience: "dogwatch", now_s: NOW_S };

    struct KeysRig {
        listener: TcpListener,
        url: Uri,
        keys: RemoteKeys,
    }

    impl KeysRig {
        async fn start() -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let url = format!("http://{}/keys", listener.local_addr().expect("bound")).parse();
            let keys = RemoteKeys::new(Https::new(None).expect("no file"));
            Self { listener, url: url.expect("a URL"), keys }
        }

        async fn verify(&self, token: &str) -> Result<(), RemoteError> {
            self.keys.verify(&self.url, token, &EXPECTED).await.map(drop)
        }

        /// The next request for keys, which waits for its answer.
        async fn asked(&self) -> TcpStream {
            let asked = tokio::time::timeout(Duration::from_secs(60), self.listener.accept()).await;
            let (mut stream, _) = asked.expect("not too late").expect("asked");
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.expect("a head"));
            }
            stream
        }

        async fn answers(&self, keys: impl AsRef<[Value]>) {
            answer(self.asked().await, keys.as_ref()).await;
        }
    }

    async fn answer(mut stream: TcpStream, keys: &[Value]) {
        let body = json!({ "keys": keys }).to_string();
        let length = body.len();
        let whole = format!("HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
        stream.write_all(whole.as_bytes()).await.expect("written");
    }

    fn token(issuer: &Issuer, id: &str) -> String {
        let claims = json!({ "iss": EXPECTED.issuer, "aud": EXPECTED.audience, "exp": NOW_S + 300 });
        issuer.token(&json!({ "alg": "ES256", "kid": id }), &claims)
    }

    async fn after(seconds: u64) {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(seconds)).await;
        tokio::time::resume();
    }

    const UNKNOWN: Result<(), RemoteError> = Err(RemoteError::Refused(Refusal::UnknownKey));

    #[tokio::test]
    async fn r_authn_4_a_token_of_a_known_key_waits_for_no_fetch_and_the_others_share_one() {
        let rig = KeysRig::start().await;
        let (one, two) = (Issuer::new(), Issuer::new());
        let (known, new, junk) = (token(&one, "one"), token(&two, "two"), token(&two, "junk"));
        let first = tokio::join!(rig.verify(&known), rig.answers([one.jwk("one")]));
        assert_eq!(first.0, Ok(()));

        after(JWT_KEYS_AGAIN_S).await;
        let hanging = async {
            let request = rig.asked().await;
            assert_eq!(rig.verify(&known).now_or_never(), Some(Ok(())), "while the key server hangs");
            answer(request, &[one.jwk("one"), two.jwk("two")]).await;
        };
        let (shared, ()) =
            tokio::join!(join_all([&new, &junk, &junk].map(|token| rig.verify(token))), hanging);
        assert_eq!(shared, [Ok(()), UNKNOWN, UNKNOWN]);
        assert_eq!(rig.verify(&junk).now_or_never(), Some(UNKNOWN), "no other fetch so soon");
        assert!(rig.listener.accept().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_fetch_goes_on_when_the_request_that_began_it_is_gone() {
        let rig = KeysRig::start().await;
        let one = Issuer::new();
        assert!(rig.verify(&token(&one, "junk")).now_or_never().is_none(), "it waits, and is dropped");
        let known = token(&one, "one");
        let verified = tokio::join!(rig.verify(&known), rig.answers([one.jwk("one")]));
        assert_eq!(verified.0, Ok(()));
    }

    #[tokio::test]
    async fn keys_are_refreshed_beside_verifications_and_old_ones_before_them() {
        let rig = KeysRig::start().await;
        let (one, two) = (Issuer::new(), Issuer::new());
        let (first, second, junk) = (token(&one, "one"), token(&two, "two"), token(&two, "junk"));
        let both = [one.jwk("one"), two.jwk("two")];
        assert_eq!(tokio::join!(rig.verify(&first), rig.answers(&both)).0, Ok(()));

        after(JWT_KEYS_REFRESH_S).await;
        assert_eq!(rig.verify(&first).now_or_never(), Some(Ok(())));
        rig.answers([two.jwk("two")]).await;
        assert_eq!(rig.verify(&junk).await, UNKNOWN, "the fetch is over");
        assert_eq!(rig.verify(&first).now_or_never(), Some(UNKNOWN), "it was withdrawn");

        after(JWT_KEYS_KEPT_S).await;
        let withdrawn = join_all([rig.verify(&second), rig.verify(&second)]);
        let (withdrawn, ()) = tokio::join!(withdrawn, rig.answers([one.jwk("one")]));
        assert_eq!(withdrawn, [UNKNOWN, UNKNOWN], "also of one that came while they were fetched");
    }
}
