//! The text by which the next stream goes on where one ended: the tokens of its parts, and a hash of the request,
//! because the tokens fit no other one. It holds no secret; a viewer who brings it needs rights of their own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use shared::digest;
use shared::name::Namespace;
use shared::problem::Problem;
use shared::scope::Scope;
use shared::token::Token;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resume {
    /// The digest of the request, so that an id continues no other one.
    asked: Box<str>,
    /// The namespace of each part. `None`: it is the whole.
    pub parts: Vec<(Option<Namespace>, Token)>,
}

/// Names are short, because an `id` comes back in a header.
#[derive(Serialize, Deserialize)]
struct Written {
    o: Box<str>,
    c: Box<str>,
    p: Vec<WrittenPart>,
}

/// Its namespace; of its token columns, epoch, sequence, resourceVersion and digest.
type WrittenPart = (Option<Namespace>, Box<str>, Box<str>, Box<str>, Box<str>, Option<Box<str>>);

impl Resume {
    pub fn new(scope: &Scope, projection: &str, parts: Vec<(Option<Namespace>, Token)>) -> Self {
        Self { asked: digest::to_text(digest::of(&(scope, projection))).into(), parts }
    }

    /// Whether it continues a stream of this request.
    pub fn is_of(&self, scope: &Scope, projection: &str) -> bool {
        Self::new(scope, projection, Vec::new()).asked == self.asked
    }

    /// `None` where there is nothing to go on from.
    pub fn to_text(&self) -> Option<String> {
        let (_, Token { cluster, .. }) = self.parts.first()?;
        let parts = self.parts.iter().map(|(namespace, token)| {
            let Token { columns, epoch, sequence, resource_version, digest, .. } = token.clone();
            let version = resource_version.to_string().into();
            (namespace.clone(), columns, epoch, sequence, version, digest)
        });
        let written = Written { o: self.asked.clone(), c: cluster.clone(), p: parts.collect() };
        Some(URL_SAFE_NO_PAD.encode(serde_json::to_string(&written).ok()?))
    }

    pub fn parse(text: &str) -> Result<Self, Problem> {
        let unreadable = || {
            Problem::bad_request("resume can't be read; give back what an event had there, or leave it out")
        };
        let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| unreadable())?;
        let Written { o, c, p } = serde_json::from_slice(&json).map_err(|_| unreadable())?;
        let parts = p.into_iter().map(|(namespace, columns, epoch, sequence, version, digest)| {
            let resource_version = version.as_ref().into();
            (namespace, Token { cluster: c.clone(), columns, epoch, sequence, resource_version, digest })
        });
        Ok(Self { asked: o, parts: parts.collect() })
    }
}
