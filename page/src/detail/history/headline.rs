//! What an entry of the timeline is about, in one line. Read from the fields and their context; an entry that nothing
//! stands out of has the path of its first field.

use serde_json::Value;
use shared::diff;
use shared::frame::timeline::{Entry, EntryType, Field};

use super::field::{condition_in_words, is_behind_mask, path_of, value_in_a_line};
use super::routine::is_routine;
use super::words;
use crate::cells::shown;
use crate::messages;
use crate::status::Class;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Headline {
    pub class: Class,
    /// The first words, bold.
    pub strong: String,
    pub rest: String,
    /// The path of the field that the words have whole, if they are about one field.
    pub says: Option<String>,
}

impl Headline {
    pub fn new(class: Class, strong: impl Into<String>, rest: impl Into<String>) -> Self {
        Self { class, strong: strong.into(), rest: rest.into(), says: None }
    }

    /// What stands between the first words and the rest.
    pub fn gap(&self) -> &'static str {
        if self.strong.is_empty() || self.rest.is_empty() || self.rest.starts_with(',') { "" } else { " " }
    }

    /// `CrashLoopBackOff, restart 40, exit code 1`
    pub fn text(&self) -> String {
        format!("{}{}{}", self.strong, self.gap(), self.rest)
    }

    /// It begins with the path of its field.
    pub fn is_field(&self) -> bool {
        self.says.as_ref() == Some(&self.strong)
    }

    /// Nothing stands out.
    pub fn is_routine(&self) -> bool {
        self.strong == words::ROUTINE_CHANGE
    }

    fn of(self, field: &Field, entry: &Entry) -> Self {
        Self { says: Some(path_of(&field.path, entry)), ..self }
    }
}

/// Characters of a value in a headline.
const HEADLINE_CHARACTERS_MAX: usize = 160;

/// What an Event says, and of which object: `BackOff pod/web-1: Back-off restarting, 62 times`. `None`: the entry is of
/// another kind, or of a gateway that doesn't say it.
pub fn event_headline(entry: &Entry) -> Option<Headline> {
    let said = |part: &str| Some(shown(entry.context.get(part)?.as_str()?).into_owned());
    let about =
        |part: &str| said(&format!("/involvedObject/{part}")).or_else(|| said(&format!("/regarding/{part}")));
    let reason = said("/reason")?;
    let object = about("kind").zip(about("name"));
    let message = said("/message").or_else(|| said("/note")).unwrap_or_default();
    let count = entry.context.get("/count").and_then(Value::as_i64).filter(|count| *count > 1);
    let class = if said("/type").as_deref() == Some("Warning") { Class::Warn } else { Class::Idle };
    let words = words::event(object.as_ref().map(|(kind, name)| (&**kind, &**name)), &message, count);
    let headline = Headline::new(class, reason, words);
    Some(match entry.kind {
        EntryType::Deleted => Headline { rest: words::event_deleted(&headline.rest), ..headline },
        _ => headline,
    })
}

pub fn headline(entry: &Entry) -> Headline {
    if let Some(headline) = event_headline(entry) {
        return headline;
    }
    match entry.kind {
        // A list shows what is there, and not since when.
        EntryType::Added if entry.relisted => return Headline::new(Class::Idle, words::FIRST_SEEN, ""),
        EntryType::Added => return Headline::new(Class::Idle, words::CREATED, ""),
        EntryType::Deleted => return Headline::new(Class::Unknown, words::DELETED_WORD, ""),
        _ => {}
    }
    let telling: Vec<&Field> = entry.fields.iter().filter(|field| !is_routine(&field.path)).collect();
    let found = container(&telling, entry)
        .or_else(|| first_states(&telling))
        .or_else(|| scaled(&telling, entry))
        .or_else(|| image(&telling, entry))
        .or_else(|| deleting(&entry.fields))
        .or_else(|| phase(&telling, entry))
        .or_else(|| condition(&telling, entry))
        .or_else(|| named(&telling, entry));
    found.unwrap_or_else(|| match telling.first() {
        Some(field) => of_field(field, entry),
        None => Headline::new(Class::Idle, words::ROUTINE_CHANGE, ""),
    })
}

fn text(value: Option<&Value>) -> Option<String> {
    value.map(|value| value_in_a_line(value, HEADLINE_CHARACTERS_MAX))
}

fn at<'a>(fields: &[&'a Field], is_it: impl Fn(&str) -> bool) -> Option<&'a Field> {
    fields.iter().copied().find(|field| is_it(&field.path))
}

/// `CrashLoopBackOff, restart 40, exit code 1`
fn container(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let of_container = |field: &&&Field| field.path.contains("ontainerStatuses/");
    let own: Vec<&Field> = fields.iter().filter(of_container).copied().collect();
    let path = own.iter().find_map(|field| {
        let from = field.path.find("ontainerStatuses/")? + "ontainerStatuses/".len();
        let end = field.path.get(from..)?.find('/').map_or(field.path.len(), |end| from + end);
        field.path.get(..end)
    })?;
    let changed =
        |part: &str| at(&own, |field| field.strip_prefix(path) == Some(part)).and_then(|f| f.new.as_ref());
    let now = |part: &str| changed(part).or_else(|| entry.context.get(&*format!("{path}{part}")));
    let restarts = now("/restartCount").and_then(Value::as_i64).filter(|count| *count > 0);
    let restart = restarts.map(words::restart_number);
    let code = |state: &Value| state.get("exitCode").and_then(Value::as_i64).map(words::exit_code);
    let joined = |parts: [Option<String>; 2]| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.iter().map(|part| format!(", {part}")).collect::<String>()
    };
    let reason =
        |state: &Value| state.get("reason").and_then(Value::as_str).map(|word| shown(word).into_owned());
    let waiting = changed("/state/waiting").and_then(reason);
    let waiting =
        waiting.or_else(|| changed("/state/waiting/reason")?.as_str().map(|word| shown(word).into_owned()));
    if let Some(word) = waiting {
        let is_start = matches!(&*word, "ContainerCreating" | "PodInitializing");
        let class = if is_start { Class::Busy } else { Class::Bad };
        let ended = changed("/lastState/terminated").and_then(code);
        let before = || now("/lastState/terminated/exitCode")?.as_i64().map(words::exit_code);
        let ended = ended.or_else(before).filter(|_| !is_start);
        return Some(Headline::new(class, word, joined([restart, ended])));
    }
    if let Some(ended) = changed("/state/terminated") {
        let is_well = ended.get("exitCode").and_then(Value::as_i64) == Some(0);
        let word = reason(ended).unwrap_or_else(|| words::TERMINATED.to_owned());
        let class = if is_well { Class::Done } else { Class::Bad };
        let code = code(ended).filter(|_| !is_well);
        return Some(Headline::new(class, word, joined([code, None])));
    }
    if changed("/state/running").is_some() {
        return Some(Headline::new(Class::Ok, words::STARTED, joined([restart, None])));
    }
    None
}

/// `ContainerCreating`: the states of the containers come all at once, when a kubelet has taken the pod.
fn first_states(fields: &[&Field]) -> Option<Headline> {
    let field = at(fields, |path| path == "/status/containerStatuses").filter(|field| field.old.is_none())?;
    let states = field.new.as_ref()?.as_array()?.iter().filter_map(|status| status.get("state"));
    let reason = states.filter_map(|state| state.pointer("/waiting/reason")?.as_str()).next()?;
    Some(Headline::new(Class::Busy, shown(reason), ""))
}

/// `Scaled 3 → 4`
fn scaled(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let field = at(fields, |path| path == "/spec/replicas")?;
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, words::SCALED, words::from_to(&was, &now)).of(field, entry))
}

/// `Image web:1 → web:2`
fn image(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let is_image =
        |path: &str| path.starts_with("/spec/") && path.contains("ontainers/") && path.ends_with("/image");
    let field = at(fields, is_image)?;
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, words::IMAGE, words::from_to(&was, &now)).of(field, entry))
}

fn deleting(fields: &[Field]) -> Option<Headline> {
    let field = fields.iter().find(|field| *field.path == *"/metadata/deletionTimestamp")?;
    field.new.as_ref()?;
    // The kubelet ends a deletion that has begun with one of no grace period.
    let word = if field.old.is_some() { words::DELETION_MOVED } else { words::DELETING };
    Some(Headline::new(Class::Unknown, word, ""))
}

/// `Pending → Running`
fn phase(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let field = at(fields, |path| path == "/status/phase")?;
    let now = text(field.new.as_ref())?;
    let class = if now == "Failed" { Class::Bad } else { Class::Idle };
    let headline = match text(field.old.as_ref()) {
        Some(was) => Headline::new(class, "", words::from_to(&was, &now)),
        None => Headline::new(class, now, ""),
    };
    Some(headline.of(field, entry))
}

/// `Ready → not ready`, `Progressing True → False`; Ready before the others.
fn condition(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let is_status = |path: &str| path.starts_with("/status/conditions/") && path.ends_with("/status");
    let name = |field: &Field| {
        let at = field.path.strip_suffix("/status")?;
        entry.context.get(&*format!("{at}/type"))?.as_str().map(str::to_owned)
    };
    let flipped = || fields.iter().copied().filter(|field| is_status(&field.path));
    let ready = flipped().find(|field| name(field).as_deref() == Some("Ready"));
    if let Some(field) = ready {
        let is_ready = field.new.as_ref().and_then(Value::as_str) == Some("True");
        let class = if is_ready { Class::Ok } else { Class::Warn };
        return Some(Headline::new(class, "", words::readiness(is_ready)).of(field, entry));
    }
    let Some(field) = flipped().next() else { return reason(fields, entry).or_else(|| came(fields, entry)) };
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, shown(&name(field)?), words::from_to(&was, &now)).of(field, entry))
}

/// `Progressing NewReplicaSetAvailable → NewReplicaSetCreated`: a condition that stays as it is, for another reason.
fn reason(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let field = at(fields, |path| path.starts_with("/status/conditions/") && path.ends_with("/reason"))?;
    let kind = entry.context.get(&*format!("{}/type", field.path.strip_suffix("/reason")?))?.as_str()?;
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, shown(kind), words::from_to(&was, &now)).of(field, entry))
}

/// `Available True, MinimumReplicasAvailable`: a condition that wasn't there before.
fn came(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let (field, kind, now) = fields.iter().find_map(|field| {
        let now = field.new.as_ref().filter(|_| field.old.is_none())?;
        Some((*field, now.get("type")?.as_str()?, condition_in_words(&field.path, now)?))
    })?;
    Some(Headline::new(Class::Idle, shown(kind), now).of(field, entry))
}

/// `Label debug set to true`
fn named(fields: &[&Field], entry: &Entry) -> Option<Headline> {
    let field = fields.first().filter(|_| fields.len() == 1)?;
    let (word, key) = [("/metadata/labels/", words::LABEL), ("/metadata/annotations/", words::ANNOTATION)]
        .iter()
        .find_map(|(at, word)| Some((*word, field.path.strip_prefix(at)?)))?;
    let key = diff::keys(&format!("/{key}")).collect::<Vec<_>>().join("/");
    let rest = match text(field.new.as_ref()) {
        _ if is_behind_mask(field) => format!("{} {}", shown(&key), messages::CHANGED_MASKED),
        Some(now) => words::named_set(&shown(&key), &now),
        None => words::named_removed(&shown(&key)),
    };
    Some(Headline::new(Class::Idle, word, rest).of(field, entry))
}

fn of_field(field: &Field, entry: &Entry) -> Headline {
    let rest = match (text(field.old.as_ref()), text(field.new.as_ref())) {
        _ if is_behind_mask(field) => messages::CHANGED_MASKED.to_owned(),
        (Some(was), Some(now)) => words::from_to(&was, &now),
        (None, Some(now)) => format!("{} {now}", messages::SET_TO),
        _ => messages::REMOVED_WORD.to_owned(),
    };
    Headline::new(Class::Idle, path_of(&field.path, entry), rest).of(field, entry)
}
