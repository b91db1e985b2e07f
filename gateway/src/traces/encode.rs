//! Spans as the bytes of an `ExportTraceServiceRequest`, in protobuf
//! (<https://github.com/open-telemetry/opentelemetry-proto>). Written by hand, because this one message doesn't need
//! the forty crates of an SDK; a test reads it with the official definitions.

use super::span::{Ended, Value};

const SERVICE: &str = "dogwatch";

pub(super) fn request(spans: &[Ended]) -> Vec<u8> {
    let mut resource = Vec::new();
    for (key, value) in [("service.name", SERVICE), ("service.version", env!("CARGO_PKG_VERSION"))] {
        field(&mut resource, 1, &attribute(key, &Value::Text(value.to_owned())));
    }
    let mut scope = Vec::new();
    field(&mut scope, 1, SERVICE.as_bytes());
    let mut of_scope = Vec::new();
    field(&mut of_scope, 1, &scope);
    for ended in spans {
        field(&mut of_scope, 2, &span(ended));
    }
    let mut of_resource = Vec::new();
    field(&mut of_resource, 1, &resource);
    field(&mut of_resource, 2, &of_scope);
    let mut request = Vec::new();
    field(&mut request, 1, &of_resource);
    request
}

fn span(ended: &Ended) -> Vec<u8> {
    let mut out = Vec::new();
    field(&mut out, 1, &ended.trace);
    field(&mut out, 2, &ended.span);
    field(&mut out, 4, &ended.parent);
    field(&mut out, 5, ended.name.as_bytes());
    number(&mut out, 6, ended.kind as u64);
    fixed(&mut out, 7, ended.start_ns);
    fixed(&mut out, 8, ended.end_ns);
    for (key, value) in &ended.attributes {
        field(&mut out, 9, &attribute(key, value));
    }
    if ended.has_failed {
        let mut status = Vec::new();
        number(&mut status, 3, STATUS_ERROR);
        field(&mut out, 15, &status);
    }
    out
}

const STATUS_ERROR: u64 = 2;

fn attribute(key: &str, value: &Value) -> Vec<u8> {
    let mut any = Vec::new();
    match value {
        Value::Text(text) => field(&mut any, 1, text.as_bytes()),
        Value::Number(value) => number(&mut any, 3, value.cast_unsigned()),
    }
    let mut out = Vec::new();
    field(&mut out, 1, key.as_bytes());
    field(&mut out, 2, &any);
    out
}

/// The wire types of protobuf.
const VARINT: u64 = 0;
const FIXED_64: u64 = 1;
const LENGTH: u64 = 2;

fn field(out: &mut Vec<u8>, tag: u64, bytes: &[u8]) {
    varint(out, tag << 3 | LENGTH);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn number(out: &mut Vec<u8>, tag: u64, value: u64) {
    varint(out, tag << 3 | VARINT);
    varint(out, value);
}

fn fixed(out: &mut Vec<u8>, tag: u64, value: u64) {
    varint(out, tag << 3 | FIXED_64);
    out.extend_from_slice(&value.to_le_bytes());
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
