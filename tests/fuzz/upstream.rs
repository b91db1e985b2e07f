//! Random answers of an API server, read as a list or a watch. Whatever the bytes are, nothing panics, where
//! they were cut changes nothing of what is read, and a credential is masked in whatever object stands around it.

use std::fmt::Write as _;

use gateway::feed::machine::{Input, Request, RequestSlot};
use gateway::feed::{AnswerReader, Memory};
use serde_json::{Value, json};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;

use crate::{corpus, mutate};
use simulation::chance::Chance;

const STREAMS: usize = 4;
const EVENTS_MAX: usize = 8;

pub fn run(chance: &mut Chance) {
    let corpus = corpus::of_api_servers();
    for _ in 0..STREAMS {
        let memory = Memory::default();
        let mut stream = String::new();
        for _ in 0..=chance.index(EVENTS_MAX) {
            stream += &said(chance, &corpus);
            // The last line has an end, because a line that could go on isn't read yet.
            stream.push('\n');
        }
        read_in_pieces(chance, &memory, stream.as_bytes());
        read_whole(chance, &memory, &corpus);
        read_credential(chance, &memory, &corpus);
    }
}

fn said(chance: &mut Chance, corpus: &[&str]) -> String {
    let event = chance.pick(corpus);
    if chance.percent(40) { event.to_owned() } else { mutate::mutated(chance, event, corpus) }
}

fn resource(chance: &mut Chance) -> Resource {
    let (group, version, plural) = chance.pick(&[
        ("", "v1", "pods"),
        ("", "v1", "configmaps"),
        ("", "v1", "events"),
        ("apps", "v1", "deployments"),
        ("example.com", "v1", "boats"),
    ]);
    Resource::parse(group, version, plural).expect("valid")
}

fn watch() -> Request {
    Request::Watch { from: ResourceVersion::new("1") }
}

fn read(resource: &Resource, memory: &Memory, pieces: &[&[u8]]) -> Vec<Input> {
    let mut memory = memory.clone();
    let mut reader = AnswerReader::new(resource.clone(), RequestSlot::Main, watch(), &memory);
    let mut inputs = Vec::new();
    for piece in pieces {
        inputs.extend(reader.chunk(piece.to_vec(), &mut memory));
        if matches!(inputs.last(), Some(Input::Unreadable { .. })) {
            break;
        }
    }
    inputs
}

fn read_in_pieces(chance: &mut Chance, memory: &Memory, stream: &[u8]) {
    let resource = resource(chance);
    let at_once = read(&resource, memory, &[stream]);
    let mut pieces = Vec::new();
    let mut rest = stream;
    // Small pieces all along, so that a cut falls within each escape and number.
    let most = if chance.percent(50) { 8 } else { 4_096 };
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at((1 + chance.index(most)).min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    let in_pieces = read(&resource, memory, &pieces);
    let shown: String = String::from_utf8_lossy(stream).chars().take(2_000).collect();
    assert_eq!(format!("{at_once:?}"), format!("{in_pieces:?}"), "by where it was cut: {shown}");
}

/// A page of a list, and the answer to a request for a proof.
fn read_whole(chance: &mut Chance, memory: &Memory, corpus: &[&str]) {
    let resource = resource(chance);
    let body = said(chance, corpus).into();
    let list = Request::List { at: None, limit: Some(500), next: None };
    for request in [list, Request::Proof { columns: true }, Request::Proof { columns: false }] {
        let mut memory = memory.clone();
        let mut reader = AnswerReader::new(resource.clone(), RequestSlot::Main, request, &memory);
        drop(format!("{:?}", reader.whole(&body, &mut memory)));
    }
}

/// A random object with a credential at one of the places that are masked.
fn read_credential(chance: &mut Chance, memory: &Memory, corpus: &[&str]) {
    let event = chance.pick(corpus);
    let event = mutate::mutated(chance, event, corpus);
    let Ok(mut event) = serde_json::from_str::<Value>(&event) else { return };
    let is_row = event.pointer("/object/rows/0/object").is_some_and(Value::is_object);
    let place = if is_row { "/object/rows/0/object" } else { "/object" };
    let Some(object) = event.pointer_mut(place).filter(|object| object.is_object()) else { return };
    let (path, value) = credential(chance);
    plant(object, &path, value);
    let mut text = String::new();
    print(chance, &event, &mut text);
    text.push('\n');
    for input in read(&resource(chance), memory, &[text.as_bytes()]) {
        let debug = format!("{input:?}");
        assert!(!debug.contains(CANARY), "at {path:?} of {text}: {debug}");
    }
}

/// A text that the corpus doesn't hold.
const CANARY: &str = "canary4f1d";

/// Names that announce a credential.
const NAMES: [&str; 8] =
    ["passwords", "apiKey", "DB_TOKEN", "client-secret", "privateKey", "passwd", "stringData", "accessKeyId"];

fn credential(chance: &mut Chance) -> (Vec<&'static str>, Value) {
    let around = chance.pick(&["a", "template", "config", "list"]);
    match chance.index(16) {
        0 => (vec!["metadata", "managedFields"], json!([{ "manager": CANARY }])),
        1 => {
            let name = "kubectl.kubernetes.io/last-applied-configuration";
            (vec!["metadata", "annotations", name], json!(CANARY))
        }
        2 => (vec!["metadata", "annotations", "example.com/api-token"], json!(CANARY)),
        3 => (vec!["spec", around, "password"], json!(CANARY)),
        4 => (vec!["spec", around, "clientSecret"], json!(CANARY)),
        5 => {
            (vec!["spec", around, "credentials"], json!({ "token": CANARY, "list": [{ "apiKey": CANARY }] }))
        }
        6 => (vec!["spec", around, "env"], json!([{ "name": "A", "value": CANARY }])),
        7 => (vec!["spec", around, "env"], json!([{ "value": CANARY, "name": "A" }])),
        8 => (vec!["spec", around, "args"], json!([format!("--password={CANARY}"), "--token", CANARY])),
        9 => (vec!["spec", around, "parameters"], json!({ "line": format!("postgres://a:{CANARY}@db") })),
        10 => (vec!["spec", around, "secret"], json!({ "stringData": { "any": CANARY } })),
        11 => (vec!["spec", around, "users"], json!({ "passwords": { "ann": CANARY } })),
        _ => (vec!["spec", around, chance.pick(&NAMES)], json!(CANARY)),
    }
}

/// A value that stands in the path's way is replaced.
fn plant(object: &mut Value, path: &[&str], value: Value) {
    let mut at = object;
    for name in path {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[*name];
    }
    *at = value;
}

/// Writes the value with escapes, space and a repeated member, as JSON allows.
fn print(chance: &mut Chance, value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            out.push('{');
            for (place, (name, value)) in fields.iter().enumerate() {
                let times = if chance.percent(3) { 2 } else { 1 };
                for time in 0..times {
                    if place + time > 0 {
                        out.push(',');
                    }
                    space(chance, out);
                    print_text(chance, name, out);
                    out.push(':');
                    space(chance, out);
                    print(chance, value, out);
                }
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                space(chance, out);
                print(chance, item, out);
            }
            out.push(']');
        }
        Value::String(text) => print_text(chance, text, out),
        other => out.push_str(&other.to_string()),
    }
}

fn space(chance: &mut Chance, out: &mut String) {
    if chance.percent(10) {
        out.push(chance.pick(&[' ', '\t', '\r']));
    }
}

/// The canary is never escaped, so that it is found as it stands.
fn print_text(chance: &mut Chance, text: &str, out: &mut String) {
    let canary = text.find(CANARY).map(|from| from..from + CANARY.len()).unwrap_or_default();
    out.push('"');
    for (place, character) in text.char_indices() {
        let is_escaped = !canary.contains(&place) && character.is_ascii() && chance.percent(5);
        if is_escaped || character.is_control() || matches!(character, '"' | '\\') {
            write!(out, "\\u{:04x}", u32::from(character)).expect("a String takes it");
        } else {
            out.push(character);
        }
    }
    out.push('"');
}
