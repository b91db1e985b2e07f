//! The object in a request's body: JSON, or the protobuf that kubectl prefers for built-in kinds.

use http::header::CONTENT_TYPE;
use http::request::Parts;
use serde_json::Value;

use super::body::JSON;
use crate::failure::Failure;
use crate::protobuf::{self, Unreadable};

/// # Errors
/// 400 for a body that isn't an object, 415 for one of a form or kind that can't be read.
pub(super) fn object(parts: &Parts, body: &[u8]) -> Result<Value, Failure> {
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|found| found.starts_with(protobuf::MEDIA_TYPE)) {
        return protobuf::read(body).map_err(|why| match why {
            Unreadable::Malformed => {
                Failure::bad_request("the object provided is unrecognized (must be of type protobuf)")
            }
            Unreadable::UnknownKind => Failure::unsupported_media_type(JSON),
        });
    }
    let unrecognized = "the object provided is unrecognized (must be of type JSON)";
    match serde_json::from_slice(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Failure::bad_request(unrecognized)),
        Err(why) => Err(Failure::bad_request(format!("{unrecognized}: {why}"))),
    }
}
