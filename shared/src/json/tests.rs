//! The reader against serde's: what one takes the other takes, as the same value.

mod objects;

use proptest::prelude::*;
use serde_json::Value;

use crate::frame::server::{LogPart, Past, ServerFrame};

const DOCUMENT: &str = include_str!("../../../docs/PROTOCOL.md");

/// What serde reads from the text is what is read here.
fn check<T: super::Read + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str) {
    let mut json = serde_json::Deserializer::from_str(text);
    let expected = T::deserialize(objects::Objects(&mut json));
    let expected = expected.and_then(|expected| json.end().map(|()| expected));
    match (super::read::<T>(text), &expected) {
        (Ok(read), Ok(expected)) => assert_eq!(read, *expected, "{text}"),
        (Err(_), Err(_)) => {}
        (read, _) => panic!("{text}: {read:?} and not {expected:?}"),
    }
}

/// The frames that the document shows, and some of what it only names.
fn examples() -> Vec<String> {
    let chapter = DOCUMENT.split_once("\n## What the gateway says\n").expect("the chapter").1;
    let text = chapter.split("\n## ").next().unwrap_or_default();
    let blocks = text.split("```json\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
    let mut examples: Vec<String> = lines.map(str::to_owned).collect();
    assert!(examples.len() > 20, "{}", examples.len());
    for state in [
        r#""live""#,
        r#"{"syncing":{"n":1,"of":2}}"#,
        r#"{"syncing":{"n":1}}"#,
        r#"{"resuming":{"since_ms":1}}"#,
        r#"{"stale":{"since_ms":-1}}"#,
        r#"{"polled":{"every_s":30}}"#,
        r#"{"forbidden":{"to":"you"}}"#,
        r#"{"gone":{"since_ms":1}}"#,
        r#"{"failed":{"since_ms":1}}"#,
        r#"{"past":{"at_ms":1,"recorded_ms":2,"unrecorded":{"from_ms":1,"to_ms":2,"why":{"missed":"Expired"}}}}"#,
        r#"{"past":{"at_ms":1,"recorded_ms":2,"unrecorded":{"from_ms":1,"to_ms":2,"why":{"failed":"full"}}}}"#,
        r#"{"past":{"at_ms":1,"recorded_ms":2,"unrecorded":{"from_ms":1,"to_ms":2,"why":"no_viewers"}}}"#,
    ] {
        examples.push(format!(r#"{{"state":{{"view":1,"state":{state},"tries":2}}}}"#));
    }
    let put = r#""ids":"AAAAAAAAABAAAAAAAAAC","versions":["12","13"],"namespaces":["shop",null],"names":["a","b"],"created":[5,null],"cells":["name",["1/1",null],"age",[true,-1.5e3],[{"age":null},{"age":5}],[{"text":"3","at":1},{"start":1,"end":2}],[18446744073709551615,1e2]],"extra":{"1":{"deleted":1,"owner":{"kind":"Job","name":"j","row":"AAAAAAAAAB"},"hash":"x","health":{"class":"not-ready","reason":"r","since":1,"then":[{"class":"fine","at":2}]},"object":{"a":[1.5,{}]}}}"#;
    examples.push(format!(r#"{{"rows":[1,2,3,"4",{{"put":{{{put}}},"left":[["a","b"],[null,"c"]],"gap":{{"from_ms":1,"to_ms":2,"reason":"Sunspots"}},"reset":true}}]}}"#));
    examples
}

#[test]
fn every_frame_and_every_answer_of_the_document_is_read_as_serde_reads_it() {
    let (mut answers, mut logs) = (0, 0);
    for example in examples() {
        check::<ServerFrame>(&example);
        super::read::<ServerFrame>(&example).expect(&example);
        let value: Value = serde_json::from_str(&example).expect("JSON");
        assert_eq!(super::read::<Value>(&example), Ok(value.clone()));
        if let Some(answer) = value.pointer("/past/answer") {
            check::<Past>(&answer.to_string());
            answers += 1;
        }
        if let Some(part) = value.pointer("/log/part") {
            check::<LogPart>(&part.to_string());
            logs += 1;
        }
    }
    assert!(answers > 2 && logs > 1, "{answers} {logs}");
}

#[test]
fn every_value_of_an_example_that_is_another_or_missing_is_read_or_refused_as_serde_does() {
    for example in examples() {
        let value: Value = serde_json::from_str(&example).expect("JSON");
        check_spoiled::<ServerFrame>(&value);
        if let Some(part) = value.pointer("/log/part") {
            check_spoiled::<LogPart>(part);
        }
    }
}

/// A value, and each value that differs from it in one place.
fn check_spoiled<T: super::Read + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(value: &Value) {
    for place in places(value) {
        for other in [
            "null",
            "true",
            "0",
            "-1",
            "1.0",
            "-0",
            "4294967296",
            "\"\"",
            "\"word\"",
            "\"a/b\"",
            "[]",
            "{}",
            r#"{"live":1}"#,
            "[1]",
            "[1,2]",
            r#"["a","a"]"#,
            "\"AAAAAAAAAA\"",
        ] {
            let mut spoiled = value.clone();
            *spoiled.pointer_mut(&place).expect("a place") = serde_json::from_str(other).expect("JSON");
            check::<T>(&spoiled.to_string());
        }
        let mut spoiled = value.clone();
        let (parent, name) = place.rsplit_once('/').unwrap_or_default();
        match spoiled.pointer_mut(parent).expect("a place") {
            Value::Object(fields) => drop(fields.remove(name)),
            Value::Array(items) if !place.is_empty() => drop(items.remove(name.parse().expect("a place"))),
            _ => {}
        }
        check::<T>(&spoiled.to_string());
        if let Value::Object(fields) = spoiled.pointer_mut(parent).expect("a place") {
            fields.insert("unknown".to_owned(), serde_json::json!({"a": [1, "]}\\\""], "b": {}}));
        }
        check::<T>(&spoiled.to_string());
    }
}

/// The JSON Pointers of a value and of all that is in it.
fn places(value: &Value) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    let below = inner.into_iter().flat_map(|(name, value)| {
        let name = name.replace('~', "~0").replace('/', "~1");
        places(value).into_iter().map(move |place| format!("/{name}{place}"))
    });
    std::iter::once(String::new()).chain(below).collect()
}

#[test]
fn a_field_that_comes_twice_is_an_error_as_for_serde() {
    for text in [
        r#"{"pong":{"n":1,"n":2}}"#,
        r#"{"pong":{"n":1},"pong":{"n":2}}"#,
        r#"{"pong":{"n":1}}x"#,
        r#" { "pong" : { "n" : 1 , "\u006e\u0065w" : [ ] } } "#,
        r#"{"\u0070ong":{"\u006e":1}}"#,
        r#""pong""#,
        r#"["pong",1]"#,
    ] {
        check::<ServerFrame>(text);
    }
}

#[test]
fn nesting_has_the_bound_that_serde_has() {
    for depth in [1, 126, 127, 128, 129, 1000] {
        check::<Value>(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        check::<Value>(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        let skipped = format!(r#"{{"pong":{{"n":1,"x":{}{}}}}}"#, "[".repeat(depth), "]".repeat(depth));
        check::<ServerFrame>(&skipped);
    }
}

#[test]
fn what_is_skipped_has_to_be_json_all_the_same() {
    for skipped in [
        "1",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "-0.0E-7",
        "tru",
        "nulll",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\u{7}\"",
        "[1,]",
        "[,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "[}",
        "{]",
        "[[1],{\"a\":[]}]",
        "\"",
        "",
    ] {
        check::<ServerFrame>(&format!(r#"{{"pong":{{"x":{skipped},"n":1}}}}"#));
        check::<ServerFrame>(&format!(r#"{{"past":{{"id":1,"answer":{skipped}}}}}"#));
        check::<Value>(skipped);
    }
}

#[test]
fn an_escaped_character_is_read_and_half_of_one_is_refused() {
    for text in [
        r#""\ud83d\ude00""#,
        r#""\ud83d""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\ude00""#,
        r#""\ud83d\ud83d""#,
        r#""a\"\\\/\b\f\n\r\tz\u00e9""#,
        r#""\u00E9é""#,
        r#""\u+123""#,
    ] {
        check::<String>(text);
    }
}

fn same_float(text: &str) {
    let expected = serde_json::from_str::<f64>(text).map(f64::to_bits).ok();
    assert_eq!(super::read::<f64>(text).map(f64::to_bits).ok(), expected, "{text}");
}

#[test]
fn floats_at_the_edges_are_the_nearest() {
    for text in [
        "0.0",
        "-0",
        "-0.0",
        "0e999999999999999999999",
        "1e400",
        "1e-400",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1.7976931348623158e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740992.99999",
        "9007199254740993.00000000000000000000000000000001",
        "18446744073709551616",
        "-9223372036854775809",
        "1e22",
        "1e23",
        "123456789012345678901234567890e-10",
        "8.5e15",
        "0.1",
        "0.000001",
        "100000000000000000000.5e-300",
    ] {
        same_float(text);
        same_float(&format!("{text}{}", if text.contains('e') { "" } else { "e3" }));
    }
    // Exactly between two floats, and a little more far behind.
    let half = "1.00000000000000011102230246251565404236316680908203125";
    same_float(half);
    for zeros in [1, 700, 790, 2_000] {
        same_float(&format!("{half}{}1", "0".repeat(zeros)));
        same_float(&format!("{half}{}", "0".repeat(zeros)));
        same_float(&format!("1{}e-{zeros}", "0".repeat(zeros)));
        same_float(&format!("0.{}1e{zeros}", "0".repeat(zeros)));
    }
}

proptest! {
    #[test]
    fn a_float_is_the_nearest(bits: u64, digits in "[0-9]{1,30}", fraction in "[0-9]{1,30}", exponent in -340..340_i32) {
        let float = f64::from_bits(bits);
        if float.is_finite() {
            same_float(&format!("{float:?}"));
            same_float(&format!("{float:e}"));
        }
        same_float(&format!("{digits}.{fraction}e{exponent}"));
        same_float(&format!("1{digits}.{fraction}e{exponent}"));
        same_float(&format!("-0.{fraction}E{exponent}"));
    }

    #[test]
    fn no_text_that_is_cut_or_changed_makes_the_readers_differ(
        which: prop::sample::Index, at: prop::sample::Index, byte in 0x20_u8..0x7f, cuts: bool,
    ) {
        let examples = examples();
        let mut text = which.get(&examples).clone().into_bytes();
        let at = at.index(text.len());
        if cuts { text.truncate(at) } else { text[at] = byte }
        // Only what is in the middle of a character isn't a text any more.
        if let Ok(text) = String::from_utf8(text) {
            check::<ServerFrame>(&text);
            check::<Value>(&text);
        }
    }
}
