//! Drops and masks what must not be kept of an object while it is copied: managedFields and copies of the whole object in
//! annotations are dropped; values of environments, of ConfigMaps, of names that announce a credential, and what looks
//! like a key are masked. A Secret is copied as its metadata alone. The input is valid JSON, or is found not to be, and
//! the output is valid JSON.
//!
//! [`super::names`] says which names, [`super::credentials`] what is found within a text.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

use super::credentials::{found_in, found_in_argument, may_hold};
use super::names::{describes, is_more_than_a_name, may_count};
use super::role::{AskedKind, Key, Role};
use super::scan::Scan;
use crate::feed::masks::{MaskWriter, Masks};
use crate::feed::redaction::Rules;

/// serde_json's own bound; no kind of Kubernetes nests half as deep.
const DEPTH_MAX: u32 = 128;
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Members whose text a value of their object is masked for: `{name: PASSWORD, value: x}`.
const SIBLINGS: [&str; 2] = ["name", "key"];

/// An entry of an environment has one of these members.
const ENTRY_MEMBERS: [&[u8]; 4] = [b"name", b"key", b"value", b"valueFrom"];

/// An object's JSON as it may be kept, and where its parts are.
#[derive(Default)]
pub(super) struct Redacted {
    pub(super) bytes: Vec<u8>,
    masks: MaskWriter,
    /// Whether anything was dropped besides managedFields.
    has_dropped: bool,
    /// Its namespace is shown as it is, so nothing was looked for in it.
    pub(super) is_open: bool,
    metadata: Range<usize>,
    spec: Range<usize>,
    status: Range<usize>,
    /// A range of the input, because the output doesn't contain it.
    managed: Range<usize>,
}

impl Redacted {
    /// `None`: it nests deeper than anything that Kubernetes has, or isn't JSON alone.
    pub(super) fn of(json: &str, rules: &Rules, kind: AskedKind) -> Option<Self> {
        let rules = if kind == AskedKind::Secret { rules } else { rules.of_object(json) };
        Self::at_depth(json, rules, kind, 0)
    }

    /// The object that begins at this place of a text without control characters, and where it ends. `None`: as above,
    /// or what is kept of it isn't valid JSON, or the rules tell namespaces apart, so that it has to be read first.
    pub(super) fn within(json: &str, at: usize, rules: &Rules, kind: AskedKind) -> Option<(Self, usize)> {
        if rules.tell_namespaces_apart() {
            return None;
        }
        let mut copy = Copy::new(json, rules, kind);
        (copy.scan.at, copy.copied, copy.validates) = (at, at, true);
        copy.value(Role::Root, 0)?;
        let end = copy.scan.at;
        copy.copy_up_to(end)?;
        Some((copy.out, end))
    }

    /// Copies JSON that is the text of a value, `depth` levels of such texts deep in the object.
    fn at_depth(json: &str, rules: &Rules, kind: AskedKind, depth: u32) -> Option<Self> {
        let mut copy = Copy::new(json, rules, kind);
        copy.value(Role::Root, depth)?;
        // A text may have one JSON value after the other, as the lines of a log do.
        while depth > 0 && matches!(copy.scan.peek(), Some(b'{' | b'[')) {
            copy.value(Role::Root, depth)?;
        }
        copy.copy_up_to(copy.scan.at)?;
        copy.scan.peek().is_none().then_some(copy.out)
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

    /// Whether it lacks anything besides managedFields.
    pub(super) fn hides_anything(&self) -> bool {
        self.has_dropped || !self.masks.is_empty()
    }

    /// Whether a value that is masked is this one, as JSON or as the text in it.
    pub(super) fn hides(&self, json: &str, rules: &Rules) -> bool {
        let text = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
        let is_masked = |value: &str| self.masks.hides(value.as_bytes(), &rules.key);
        is_masked(json) || text.is_some_and(is_masked)
    }

    /// The body, and what is behind its masks.
    pub(super) fn finish(self) -> (Vec<u8>, Masks) {
        (self.bytes, self.masks.finish())
    }
}

/// Whether there is anything to hide in a text, which may be JSON. `depth`: of the text within its object.
pub(super) fn holds_credential(text: &str, rules: &Rules, depth: u32) -> bool {
    json_holds_credential(text, rules, depth).unwrap_or_else(|| !found_in(text, &rules.names).is_empty())
}

/// `None`: it isn't JSON.
fn json_holds_credential(text: &str, rules: &Rules, depth: u32) -> Option<bool> {
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
    if !trimmed.starts_with(['{', '[']) {
        return None;
    }
    let inner = Redacted::at_depth(trimmed, rules, AskedKind::Other, depth + 1)?;
    let holds = !inner.masks.is_empty() || inner.bytes.len() < trimmed.len();
    // `[password=x]` and `{password: x}` look like JSON to the scanner, but have no quotes around their names.
    (holds || is_json(trimmed)).then_some(holds)
}

/// Whether a text is JSON, or several values of it.
fn is_json(text: &str) -> bool {
    serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().all(|value| value.is_ok())
}

/// Walks the input, and copies what is kept in as few pieces as possible.
struct Copy<'a> {
    json: &'a str,
    scan: Scan<'a>,
    /// The input before this is in the output, or was dropped.
    copied: usize,
    rules: &'a Rules,
    kind: AskedKind,
    /// Whether what is kept is checked to be JSON, because nothing has read it before.
    validates: bool,
    out: Redacted,
}

impl<'a> Copy<'a> {
    fn new(json: &'a str, rules: &'a Rules, kind: AskedKind) -> Self {
        let out =
            Redacted { bytes: Vec::with_capacity(json.len()), is_open: rules.is_open, ..Redacted::default() };
        Self { json, scan: Scan::of(json), copied: 0, rules, kind, validates: false, out }
    }

    fn value(&mut self, role: Role, depth: u32) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.scan.peek()? {
            b'{' => self.object(role, depth),
            b'[' => self.array(role, depth),
            first => {
                let range = self.skip_scalar()?;
                let is_value = first == b'"' || first == b'-' || first.is_ascii_digit();
                if role == Role::Whole && is_value {
                    return self.mask(range);
                }
                if first == b'"' && role != Role::Plain && self.may_hold(&range) {
                    return self.mask_text(range, depth);
                }
                Some(())
            }
        }
    }

    fn object(&mut self, role: Role, depth: u32) -> Option<()> {
        let begin = self.scan;
        self.scan.at += 1;
        // The place of the comma before this member, after the first that was kept.
        let mut comma = None;
        let mut is_first = true;
        while self.scan.peek()? != b'}' {
            let key = self.skip_key()?;
            let name = self.name(&key);
            self.scan.expect(b':')?;
            let is_kept = self.member(&name, (role, begin), depth)?;
            let end = self.scan.at;
            let has_next = self.has_next(b'}')?;
            if is_kept {
                is_first = false;
            } else if is_first {
                self.drop_between(key.start, if has_next { self.scan.at + 1 } else { end })?;
            } else {
                self.drop_between(comma.unwrap_or(key.start), end)?;
            }
            if has_next {
                comma = Some(self.scan.at);
                self.scan.at += 1;
            }
        }
        self.scan.at += 1;
        Some(())
    }

    /// A name with its quotes, or what stands in its place in a text that isn't JSON.
    fn skip_key(&mut self) -> Option<Range<usize>> {
        if self.validates && self.scan.peek()? != b'"' {
            return None;
        }
        self.skip_scalar()
    }

    fn skip_scalar(&mut self) -> Option<Range<usize>> {
        let range = self.scan.skip_scalar()?;
        if self.validates && !self.is_valid(self.scan.slice(range.clone())) {
            return None;
        }
        Some(range)
    }

    /// Most texts have no escape, and most other values are words or whole numbers.
    fn is_valid(&self, scalar: &[u8]) -> bool {
        match scalar {
            [b'"', ..] if !self.scan.is_escaped => true,
            b"true" | b"false" | b"null" | [b'0'..=b'9'] => true,
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => true,
            other => serde_json::from_slice::<IgnoredAny>(other).is_ok(),
        }
    }

    /// Whether a comma follows, and not this bracket.
    fn has_next(&mut self, bracket: u8) -> Option<bool> {
        let next = self.scan.peek()?;
        if self.validates {
            let mut behind = self.scan;
            behind.at += 1;
            match next {
                b',' if behind.peek()? != bracket => {}
                _ if next == bracket => {}
                _ => return None,
            }
        }
        Some(next == b',')
    }

    /// Whether the member is kept. `begin`: where its object begins.
    fn member(&mut self, name: &[u8], (role, begin): (Role, Scan<'a>), depth: u32) -> Option<bool> {
        let is_message = role == Role::Root && self.kind == AskedKind::Event && name == b"message";
        let key = if is_message { Key::Message } else { Key::of(name, role, self.rules) };
        let first = self.scan.peek()?;
        let (start, start_out) = (self.scan.at, self.out_len());
        let is_beyond = role == Role::Root && self.kind.drops(name);
        if is_beyond || key == Key::Dropped || (role == Role::Metadata && key == Key::ManagedFields) {
            self.scan.skip_value()?;
            if key == Key::ManagedFields && depth == 1 {
                self.out.managed = start..self.scan.at;
            } else {
                self.out.has_dropped = true;
            }
            return Some(false);
        }
        if matches!(first, b'{' | b'[') {
            if role.is_of_credentials() && key == Key::Value {
                self.scan.skip_value()?;
                self.mask(start..self.scan.at)?;
                return Some(true);
            }
            let child = match key {
                Key::Value | Key::Default if self.is_beside_a_credentials_name(begin) => Role::Whole,
                // Its annotations hold texts alone, unless the server is at fault.
                _ if role == Role::Annotations && self.kind == AskedKind::Secret => Role::Whole,
                // Not in JSON that is the text of a value, at a depth of its own.
                Key::Status if role == Role::Root && depth == 0 => Role::Status,
                Key::Data if role.is_of_credentials() || self.hides_data(role, begin) => Role::Whole,
                key => key.child(role),
            };
            self.value(child, depth + 1)?;
            let range = start_out..self.out_len();
            match key {
                Key::Metadata if role == Role::Root => self.out.metadata = range,
                Key::Spec if role == Role::Root => self.out.spec = range,
                Key::Status if role == Role::Root => self.out.status = range,
                _ => {}
            }
        } else {
            self.scalar((key, name), (role, begin), first, depth)?;
        }
        Some(true)
    }

    fn scalar(
        &mut self,
        (key, name): (Key, &[u8]),
        (role, begin): (Role, Scan<'a>),
        first: u8,
        depth: u32,
    ) -> Option<()> {
        let range = self.skip_scalar()?;
        let (is_text, is_number) = (first == b'"', first == b'-' || first.is_ascii_digit());
        match (role, key) {
            (role, Key::Value | Key::Default) if role.is_of_credentials() => self.mask(range),
            (Role::Whole | Role::Environment, _) if is_text || is_number => self.mask(range),
            (Role::Credentials, _) if (is_text || is_number) && !describes(name) => self.mask(range),
            (Role::Labels | Role::Plain, _) | (_, Key::Message) => Some(()),
            (_, Key::Kubeconfig) if is_text && is_more_than_a_name(self.scan.slice(range.clone())) => {
                self.mask(range)
            }
            (_, Key::Credential | Key::Credentials | Key::Whole)
                if is_text || (is_number && !may_count(name)) =>
            {
                self.mask(range)
            }
            // Nothing tells a copy of the data from any other text.
            (Role::Annotations, _) if self.kind == AskedKind::Secret => self.mask(range),
            (Role::Annotations, _) if is_text => self.annotation(range, depth),
            (_, Key::Value | Key::Default) if is_text || is_number => {
                if self.is_beside_a_credentials_name(begin) {
                    return self.mask(range);
                }
                if is_text { self.mask_text(range, depth) } else { Some(()) }
            }
            (Role::Texts, _) | (_, Key::Texts) if is_text => self.mask_text(range, depth),
            _ if is_text && self.may_hold(&range) => self.mask_text(range, depth),
            _ => Some(()),
        }
    }

    /// `{name: password, value: x}`, in any order. `begin`: where the object begins.
    fn is_beside_a_credentials_name(&self, begin: Scan<'_>) -> bool {
        let says_so = |name: String| self.rules.names.announce(name.as_bytes());
        SIBLINGS.iter().any(|sibling| begin.member(sibling).is_some_and(says_so))
    }

    /// Whether `data` of this object is a Secret's, or a ConfigMap's that isn't shown.
    fn hides_data(&self, role: Role, begin: Scan<'_>) -> bool {
        let kind = if role == Role::Root && self.kind == AskedKind::ConfigMap {
            Some("ConfigMap".to_owned())
        } else {
            begin.member("kind")
        };
        match kind.as_deref() {
            Some("Secret") => true,
            Some("ConfigMap") => !self.rules.config_map_values,
            _ => false,
        }
    }

    fn array(&mut self, role: Role, depth: u32) -> Option<()> {
        self.scan.at += 1;
        let mut follows = false;
        while self.scan.peek()? != b']' {
            let first = self.scan.peek()?;
            let is_text = first == b'"';
            match role {
                Role::Environment | Role::Credential | Role::Credentials
                    if is_text || first == b'-' || first.is_ascii_digit() =>
                {
                    let range = self.skip_scalar()?;
                    self.mask(range)?;
                }
                Role::Texts if is_text => {
                    let range = self.skip_scalar()?;
                    self.mask_argument(range, &mut follows)?;
                }
                Role::Whole | Role::Plain | Role::Credential | Role::Status => self.value(role, depth + 1)?,
                // `env: [{A: x}]`: the entry is a map.
                Role::Environment if first == b'{' && !self.scan.has_any(&ENTRY_MEMBERS) => {
                    self.value(Role::Environment, depth + 1)?;
                }
                // The objects in the list are entries, so their own names decide.
                Role::Environment | Role::Credentials => self.value(Role::Credential, depth + 1)?,
                _ => self.value(Role::Other, depth + 1)?,
            }
            if self.has_next(b']')? {
                self.scan.at += 1;
            }
        }
        self.scan.at += 1;
        Some(())
    }

    /// An annotation with anything to hide in it is masked whole, because it is often JSON or code.
    fn annotation(&mut self, range: Range<usize>, depth: u32) -> Option<()> {
        let text = self.text(range.clone())?;
        if holds_credential(&text, self.rules, depth) { self.mask(range) } else { Some(()) }
    }

    /// Masks a text that is JSON whole, and the credentials within another one.
    fn mask_text(&mut self, range: Range<usize>, depth: u32) -> Option<()> {
        let text = self.text(range.clone())?;
        match json_holds_credential(&text, self.rules, depth) {
            Some(true) => self.mask(range),
            Some(false) => Some(()),
            None => self.mask_within(range, &text, found_in(&text, &self.rules.names)),
        }
    }

    /// `follows`: the argument before it was a flag.
    fn mask_argument(&mut self, range: Range<usize>, follows: &mut bool) -> Option<()> {
        let text = self.text(range.clone())?;
        let found = found_in_argument(&text, &self.rules.names, follows);
        self.mask_within(range, &text, found)
    }

    fn mask_within(&mut self, range: Range<usize>, text: &str, found: Vec<Range<usize>>) -> Option<()> {
        if found.is_empty() || self.rules.is_open {
            return Some(());
        }
        self.drop_between(range.start, range.end)?;
        self.out.bytes.push(b'"');
        let mut copied = 0;
        for hidden in found {
            self.write_text(text.get(copied..hidden.start)?)?;
            copied = hidden.end;
            self.out.masks.write(&mut self.out.bytes, text.get(hidden)?.as_bytes(), &self.rules.key);
        }
        self.write_text(text.get(copied..)?)?;
        self.out.bytes.push(b'"');
        Some(())
    }

    /// A part of a JSON text, without quotes.
    fn write_text(&mut self, text: &str) -> Option<()> {
        let quoted = serde_json::to_string(text).ok()?;
        self.out.bytes.extend_from_slice(quoted.get(1..quoted.len() - 1)?.as_bytes());
        Some(())
    }

    fn mask(&mut self, range: Range<usize>) -> Option<()> {
        if self.rules.is_open {
            return Some(());
        }
        self.drop_between(range.start, range.end)?;
        self.out.bytes.push(b'"');
        self.out.masks.write(&mut self.out.bytes, self.scan.slice(range), &self.rules.key);
        self.out.bytes.push(b'"');
        Some(())
    }

    /// The output's length once everything up to here is copied.
    fn out_len(&self) -> usize {
        self.out.bytes.len() + (self.scan.at - self.copied)
    }

    fn copy_up_to(&mut self, end: usize) -> Option<()> {
        self.out.bytes.extend_from_slice(self.scan.input.get(self.copied..end)?);
        self.copied = end;
        Some(())
    }

    fn drop_between(&mut self, start: usize, end: usize) -> Option<()> {
        self.copy_up_to(start)?;
        self.copied = end;
        Some(())
    }

    /// Whether a quoted text, the last that was skipped, may hold a credential.
    fn may_hold(&self, quoted: &Range<usize>) -> bool {
        let text = self.scan.slice(quoted.start + 1..quoted.end);
        may_hold(text, self.scan.is_escaped, self.scan.has_equals)
    }

    /// The meaning of a quoted text, the last that was skipped.
    fn text(&self, quoted: Range<usize>) -> Option<Cow<'a, str>> {
        if self.scan.is_escaped {
            return serde_json::from_slice(self.scan.slice(quoted)).ok().map(Cow::Owned);
        }
        self.json.get(quoted.start + 1..quoted.end.checked_sub(1)?).map(Cow::Borrowed)
    }

    /// The key without escapes, because escapes may hide a name.
    fn name(&self, key: &Range<usize>) -> Cow<'a, [u8]> {
        let plain = self.scan.slice(key.start + 1..key.end - 1);
        if !self.scan.is_escaped {
            return Cow::Borrowed(plain);
        }
        self.text(key.clone()).map_or(Cow::Borrowed(plain), |text| Cow::Owned(text.into_owned().into_bytes()))
    }
}
