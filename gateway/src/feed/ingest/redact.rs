//! Drops what must not be kept of an object while it is copied: managedFields, the last-applied
//! annotation (which has contained whole Secrets), and the literal values of environment variables. The
//! input is valid JSON; the output is the same without them.

use std::ops::Range;

use memchr::memchr2;

/// Of constant width, so that it doesn't tell the value's length.
pub(super) const MASK: &str = "••••••••";

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// serde_json's own bound; no kind of Kubernetes nests half as deep.
const DEPTH_MAX: u32 = 128;

/// An object's JSON as it may be kept, and where its parts are.
#[derive(Debug, Default)]
pub(super) struct Redacted {
    pub(super) bytes: Vec<u8>,
    metadata: Range<usize>,
    spec: Range<usize>,
    status: Range<usize>,
    /// A range of the input, for the output doesn't contain it.
    managed: Range<usize>,
}

impl Redacted {
    /// `None`: it nests deeper than anything that Kubernetes has, or isn't JSON.
    pub(super) fn of(json: &str) -> Option<Self> {
        let mut copy = Copy {
            input: json.as_bytes(),
            at: 0,
            copied: 0,
            out: Self { bytes: Vec::with_capacity(json.len()), ..Self::default() },
        };
        copy.value(Role::Root, 0)?;
        copy.copy_up_to(copy.at)?;
        Some(copy.out)
    }

    /// The JSON of the object's `metadata`, or nothing.
    pub(super) fn metadata(&self) -> &[u8] {
        self.bytes.get(self.metadata.clone()).unwrap_or_default()
    }

    pub(super) fn metadata_range(&self) -> Range<usize> {
        self.metadata.clone()
    }

    /// The range of managedFields in the input.
    pub(super) fn managed_range(&self) -> Range<usize> {
        self.managed.clone()
    }

    pub(super) fn spec(&self) -> &[u8] {
        self.bytes.get(self.spec.clone()).unwrap_or_default()
    }

    pub(super) fn status(&self) -> &[u8] {
        self.bytes.get(self.status.clone()).unwrap_or_default()
    }
}

/// What a container is within its object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Metadata,
    EnvironmentList,
    EnvironmentEntry,
    Other,
}

/// Walks the input, and copies what is kept in as few pieces as possible.
struct Copy<'a> {
    input: &'a [u8],
    at: usize,
    /// The input before this is in the output, or was dropped.
    copied: usize,
    out: Redacted,
}

/// What a member's name means, wherever it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    LastApplied,
    ManagedFields,
    Metadata,
    Env,
    Value,
    Spec,
    Status,
    Other,
}

impl Key {
    fn of(text: &[u8]) -> Self {
        match text {
            b"managedFields" => Self::ManagedFields,
            b"metadata" => Self::Metadata,
            b"env" => Self::Env,
            b"value" => Self::Value,
            b"spec" => Self::Spec,
            b"status" => Self::Status,
            _ if text == LAST_APPLIED.as_bytes() => Self::LastApplied,
            _ => Self::Other,
        }
    }
}

impl Copy<'_> {
    fn value(&mut self, role: Role, depth: u32) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.peek()? {
            b'{' => self.object(role, depth),
            b'[' => self.array(role, depth),
            _ => self.skip_scalar().map(drop),
        }
    }

    fn object(&mut self, role: Role, depth: u32) -> Option<()> {
        self.at += 1;
        // The place of the comma before this member, after the first that was kept.
        let mut comma = None;
        let mut is_first = true;
        while self.peek()? != b'}' {
            let key = self.skip_scalar()?;
            self.expect(b':')?;
            let is_kept = self.member(&key, role, depth)?;
            let end = self.at;
            let has_next = self.peek()? == b',';
            if is_kept {
                is_first = false;
            } else if is_first {
                self.drop_between(key.start, if has_next { self.at + 1 } else { end })?;
            } else {
                self.drop_between(comma.unwrap_or(key.start), end)?;
            }
            if has_next {
                comma = Some(self.at);
                self.at += 1;
            }
        }
        self.at += 1;
        Some(())
    }

    /// Whether the member is kept.
    fn member(&mut self, key: &Range<usize>, role: Role, depth: u32) -> Option<bool> {
        let key = self.key(key)?;
        if key == Key::LastApplied || (role == Role::Metadata && key == Key::ManagedFields) {
            self.peek()?;
            let start = self.at;
            self.skip_value()?;
            if key == Key::ManagedFields && depth == 1 {
                self.out.managed = start..self.at;
            }
            return Some(false);
        }
        self.peek()?;
        let (start, start_out) = (self.at, self.out_len());
        if role == Role::EnvironmentEntry && key == Key::Value {
            self.skip_value()?;
            self.drop_between(start, self.at)?;
            self.out.bytes.push(b'"');
            self.out.bytes.extend_from_slice(MASK.as_bytes());
            self.out.bytes.push(b'"');
            return Some(true);
        }
        let child = match key {
            Key::Metadata => Role::Metadata,
            Key::Env => Role::EnvironmentList,
            _ => Role::Other,
        };
        self.value(child, depth + 1)?;
        let range = start_out..self.out_len();
        match key {
            Key::Metadata if role == Role::Root => self.out.metadata = range,
            Key::Spec if role == Role::Root => self.out.spec = range,
            Key::Status if role == Role::Root => self.out.status = range,
            _ => {}
        }
        Some(true)
    }

    fn array(&mut self, role: Role, depth: u32) -> Option<()> {
        let child = if role == Role::EnvironmentList { Role::EnvironmentEntry } else { Role::Other };
        self.at += 1;
        while self.peek()? != b']' {
            self.value(child, depth + 1)?;
            if self.peek()? == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Some(())
    }

    /// The output's length once everything up to here is copied.
    fn out_len(&self) -> usize {
        self.out.bytes.len() + (self.at - self.copied)
    }

    fn copy_up_to(&mut self, end: usize) -> Option<()> {
        self.out.bytes.extend_from_slice(self.input.get(self.copied..end)?);
        self.copied = end;
        Some(())
    }

    fn drop_between(&mut self, start: usize, end: usize) -> Option<()> {
        self.copy_up_to(start)?;
        self.copied = end;
        Some(())
    }

    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_u32;
        loop {
            match self.peek()? {
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                _ => {
                    self.skip_scalar()?;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Skips white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.input.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// A string with its quotes, a number or a word.
    fn skip_scalar(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let start = self.at;
        self.at += 1;
        if first != b'"' {
            while self
                .input
                .get(self.at)
                .is_some_and(|b| !matches!(b, b',' | b':' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
            {
                self.at += 1;
            }
            return Some(start..self.at);
        }
        loop {
            let place = memchr2(b'"', b'\\', self.input.get(self.at..)?)?;
            let is_end = self.input.get(self.at + place) == Some(&b'"');
            self.at += place + if is_end { 1 } else { 2 };
            if is_end {
                return Some(start..self.at);
            }
        }
    }

    /// A key with escapes is compared by its meaning.
    fn key(&self, key: &Range<usize>) -> Option<Key> {
        let quoted = self.input.get(key.clone())?;
        let plain = quoted.get(1..quoted.len().checked_sub(1)?)?;
        match Key::of(plain) {
            Key::Other if plain.contains(&b'\\') => Some(
                serde_json::from_slice::<String>(quoted).map_or(Key::Other, |text| Key::of(text.as_bytes())),
            ),
            key => Some(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn redact(object: &Value) -> Value {
        let redacted = Redacted::of(&object.to_string()).expect("redacted");
        serde_json::from_slice(&redacted.bytes).expect("JSON")
    }

    #[test]
    fn managed_fields_and_last_applied_are_dropped_and_environment_values_masked() {
        let pod = json!({
            "metadata": {
                "name": "a",
                "managedFields": [{"manager": "canary"}],
                "annotations": {LAST_APPLIED: "{\"data\":\"canary\"}", "kept": "yes"},
            },
            "spec": {"containers": [{"name": "c", "env": [
                {"name": "PASSWORD", "value": "canary"},
                {"name": "EMPTY", "value": ""},
                {"name": "REF", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            ], "value": "not an environment"}]},
            "template": {"metadata": {"managedFields": "canary"}},
        });
        assert_eq!(
            redact(&pod),
            json!({
                "metadata": {"name": "a", "annotations": {"kept": "yes"}},
                "spec": {"containers": [{"name": "c", "env": [
                    {"name": "PASSWORD", "value": MASK},
                    {"name": "EMPTY", "value": MASK},
                    {"name": "REF", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                ], "value": "not an environment"}]},
                "template": {"metadata": {}},
            })
        );
    }

    #[test]
    fn everything_else_is_copied_as_it_was_and_its_parts_are_found() {
        let text = r#"{ "metadata" : {"name":"\u0041\"}{"}, "n":[1, -2.5e3,true ,null,[],{}],"status":{"a":{"status":1}} }"#;
        let redacted = Redacted::of(text).expect("redacted");
        let copied: Value = serde_json::from_slice(&redacted.bytes).expect("JSON");
        assert_eq!(copied, serde_json::from_str::<Value>(text).expect("JSON"));
        assert_eq!(redacted.metadata(), br#"{"name":"\u0041\"}{"}"#);
        assert_eq!(redacted.status(), br#"{"a":{"status":1}}"#);
        assert_eq!(redacted.spec(), b"");
    }

    #[test]
    fn a_key_that_hides_behind_escapes_is_dropped_too() {
        let text = r#"{"metadata":{"managed\u0046ields":"canary","a":1}}"#;
        let redacted = Redacted::of(text).expect("redacted");
        assert_eq!(redacted.bytes, br#"{"metadata":{"a":1}}"#);
    }

    #[test]
    fn what_is_dropped_takes_one_comma_with_it_wherever_it_stands() {
        for (text, expected) in [
            (r#"{"metadata":{"managedFields":[]}}"#, r#"{"metadata":{}}"#),
            (r#"{"metadata":{"managedFields":[],"a":1}}"#, r#"{"metadata":{"a":1}}"#),
            (r#"{"metadata":{"a":1,"managedFields":[]}}"#, r#"{"metadata":{"a":1}}"#),
            (r#"{"metadata":{"a":1,"managedFields":[],"b":2}}"#, r#"{"metadata":{"a":1,"b":2}}"#),
            (r#"{"metadata":{"managedFields":[],"managedFields":{},"a":1}}"#, r#"{"metadata":{"a":1}}"#),
            (r#"{"metadata":{"a":1,"managedFields":[],"managedFields":{}}}"#, r#"{"metadata":{"a":1}}"#),
            (
                r#"{"env":[{"value":"x"},{"value":{"y":1},"b":2}]}"#,
                r#"{"env":[{"value":"MASK"},{"value":"MASK","b":2}]}"#,
            ),
        ] {
            let redacted = Redacted::of(text).expect("redacted");
            assert_eq!(String::from_utf8_lossy(&redacted.bytes), expected.replace("MASK", MASK), "{text}");
        }
    }

    #[test]
    fn what_nests_too_deep_or_is_cut_is_refused() {
        assert!(Redacted::of(&"[".repeat(1000)).is_none());
        for text in ["", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "\"a", "\"a\\"] {
            assert!(Redacted::of(text).is_none(), "{text}");
        }
    }
}
