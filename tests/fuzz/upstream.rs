//! What an API server says, spoiled by a seed: in pieces of any size, with values replaced, removed and cut. The gateway's
//! reader never panics, reads a stream that is whole alike however it comes in, and keeps nothing that is to be masked.

use bytes::Bytes;
use gateway::feed::event::What;
use gateway::feed::ingest::{DatePaths, Decoder, Piece, Splitter};
use gateway::feed::{Object, Redaction};
use serde_json::Value;
use shared::resource::Resource;

use crate::chance::Chance;
use crate::mutate;

const EVENTS: &str = include_str!("corpus/upstream.jsonl");
/// Stands where it must be masked.
const CANARY: &str = "canary";
const NAMES: [&str; 8] =
    ["password", "apiKey", "DB_TOKEN", "client-secret", "privateKey", "passwd", "stringData", "accessKeyId"];

pub fn run(chance: &mut Chance) {
    let corpus: Vec<&str> = EVENTS.lines().collect();
    let whole: Vec<&str> = (0..1 + chance.below(4)).map(|_| chance.pick(&corpus)).collect();
    let stream = whole.join("\n") + "\n";
    assert_eq!(values(chance, stream.as_bytes()), whole, "a stream is read alike in pieces of any size");

    let spoiled: String = whole.iter().map(|event| mutate::mutated(chance, event, &corpus) + "\n").collect();
    for value in values(chance, spoiled.as_bytes()) {
        decoded(&value);
    }

    let mut event: Value = serde_json::from_str(chance.pick(&corpus)).expect("the corpus is JSON");
    if plant(chance, &mut event) {
        let object = decoded(&event.to_string());
        let body = object.map(|object| String::from_utf8(object.body.to_vec()).expect("JSON"));
        assert!(body.is_none_or(|body| !body.contains(CANARY)), "{event}");
    }
}

/// The values of a stream that comes in pieces of any size.
fn values(chance: &mut Chance, mut stream: &[u8]) -> Vec<String> {
    let mut splitter = Splitter::default();
    let mut values = Vec::new();
    while !stream.is_empty() {
        let (piece, rest) = stream.split_at(1 + chance.below(stream.len()));
        stream = rest;
        splitter.push(piece);
        while let Some(piece) = splitter.next_piece() {
            if let Piece::Value(value) = piece {
                values.push(String::from_utf8_lossy(&value).into_owned());
            }
        }
    }
    values
}

fn decoded(event: &str) -> Option<Object> {
    let resource = Resource::parse("", "v1", "pods").expect("valid");
    let mut decoder = Decoder::new(resource, DatePaths::default(), Redaction::default(), None);
    match decoder.event(&Bytes::copy_from_slice(event.as_bytes()))?.what {
        What::Added(object) | What::Modified(object) => {
            let body = serde_json::from_slice::<Value>(&object.body);
            assert!(body.is_ok_and(|body| body.is_object()), "what is kept is an object: {event}");
            Some(object)
        }
        _ => None,
    }
}

/// Puts a credential below `spec`, at any depth. `false`: there is no place.
fn plant(chance: &mut Chance, event: &mut Value) -> bool {
    let Some(spec) = event.pointer_mut("/object/rows/0/object/spec") else { return false };
    let mut node = spec;
    loop {
        let inner: Vec<String> = match &*node {
            Value::Object(fields) => {
                fields.iter().filter(|(name, _)| may_hold(name)).map(|(name, _)| name.clone()).collect()
            }
            _ => return false,
        };
        let deeper = inner.into_iter().filter(|name| node[name].is_object()).collect::<Vec<_>>();
        if deeper.is_empty() || chance.percent(40) {
            break;
        }
        let name = &deeper[chance.below(deeper.len())];
        node = &mut node[name];
    }
    node[chance.pick(&NAMES)] = Value::from(CANARY);
    true
}

/// Below these nothing is a credential: they select.
fn may_hold(name: &str) -> bool {
    !["matchLabels", "nodeSelector", "labels"].contains(&name)
}
