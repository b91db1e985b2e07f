//! What an entry of the timeline is about, in one line, and which of its fields always change with it. Read from the
//! fields alone; an entry that nothing stands out of has the path of its first field.

use serde_json::Value;
use shared::diff;
use shared::frame::timeline::{Entry, EntryType, Field};

use super::field::{spoken_path, value_in_a_line};
use super::routine::is_routine;
use crate::cells::shown;
use crate::messages;
use crate::status::Class;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Headline {
    pub class: Class,
    /// The first words, bold.
    pub strong: String,
    pub rest: String,
}

impl Headline {
    fn new(class: Class, strong: impl Into<String>, rest: impl Into<String>) -> Self {
        Self { class, strong: strong.into(), rest: rest.into() }
    }
}

/// Characters of a value in a headline.
const HEADLINE_CHARACTERS_MAX: usize = 60;

pub(super) fn headline(entry: &Entry, object: Option<&Value>) -> Headline {
    match entry.kind {
        EntryType::Added => return Headline::new(Class::Idle, messages::CREATED, ""),
        EntryType::Deleted => return Headline::new(Class::Unknown, messages::DELETED_WORD, ""),
        _ => {}
    }
    let telling: Vec<&Field> = entry.fields.iter().filter(|field| !is_routine(&field.path)).collect();
    let found = container(&telling, object)
        .or_else(|| scaled(&telling))
        .or_else(|| image(&telling))
        .or_else(|| deleting(&entry.fields))
        .or_else(|| phase(&telling))
        .or_else(|| condition(&telling, object))
        .or_else(|| named(&telling));
    found.unwrap_or_else(|| match telling.first() {
        Some(field) => of_field(field, object),
        None => Headline::new(Class::Idle, messages::ROUTINE_CHANGE, ""),
    })
}

fn text(value: Option<&Value>) -> Option<String> {
    value.map(|value| value_in_a_line(value, HEADLINE_CHARACTERS_MAX))
}

fn at<'a>(fields: &[&'a Field], is_it: impl Fn(&str) -> bool) -> Option<&'a Field> {
    fields.iter().copied().find(|field| is_it(&field.path))
}

/// `CrashLoopBackOff, restart 40, exit code 1`
fn container(fields: &[&Field], object: Option<&Value>) -> Option<Headline> {
    let of_container = |field: &&&Field| field.path.contains("ontainerStatuses/");
    let own: Vec<&Field> = fields.iter().filter(of_container).copied().collect();
    let path = own.iter().find_map(|field| {
        let from = field.path.find("ontainerStatuses/")? + "ontainerStatuses/".len();
        let end = field.path.get(from..)?.find('/').map_or(field.path.len(), |end| from + end);
        field.path.get(..end)
    })?;
    let changed =
        |part: &str| at(&own, |field| field.strip_prefix(path) == Some(part)).and_then(|f| f.new.as_ref());
    let now = |part: &str| changed(part).or_else(|| object?.pointer(&format!("{path}{part}")));
    let restarts = now("/restartCount").and_then(Value::as_i64).filter(|count| *count > 0);
    let restart = restarts.map(messages::restart_number);
    let code = |state: &Value| state.get("exitCode").and_then(Value::as_i64).map(messages::exit_code);
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
        let ended = now("/lastState/terminated").filter(|_| restarts.is_some());
        let is_start = matches!(&*word, "ContainerCreating" | "PodInitializing");
        let class = if is_start { Class::Busy } else { Class::Bad };
        return Some(Headline::new(class, word, joined([restart, ended.and_then(code)])));
    }
    if let Some(ended) = changed("/state/terminated") {
        let is_well = ended.get("exitCode").and_then(Value::as_i64) == Some(0);
        let word = reason(ended).unwrap_or_else(|| messages::TERMINATED.to_owned());
        let class = if is_well { Class::Done } else { Class::Bad };
        let code = code(ended).filter(|_| !is_well);
        return Some(Headline::new(class, word, joined([code, None])));
    }
    if changed("/state/running").is_some() {
        return Some(Headline::new(Class::Ok, messages::STARTED, joined([restart, None])));
    }
    None
}

/// `Scaled 3 → 4`
fn scaled(fields: &[&Field]) -> Option<Headline> {
    let field = at(fields, |path| path == "/spec/replicas")?;
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, messages::SCALED, messages::from_to(&was, &now)))
}

/// `Image web:1 → web:2`
fn image(fields: &[&Field]) -> Option<Headline> {
    let is_image =
        |path: &str| path.starts_with("/spec/") && path.contains("ontainers/") && path.ends_with("/image");
    let field = at(fields, is_image)?;
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, messages::IMAGE, messages::from_to(&was, &now)))
}

fn deleting(fields: &[Field]) -> Option<Headline> {
    let field = fields.iter().find(|field| *field.path == *"/metadata/deletionTimestamp")?;
    field.new.as_ref()?;
    Some(Headline::new(Class::Unknown, messages::DELETING, ""))
}

/// `Pending → Running`
fn phase(fields: &[&Field]) -> Option<Headline> {
    let field = at(fields, |path| path == "/status/phase")?;
    let now = text(field.new.as_ref())?;
    let class = if now == "Failed" { Class::Bad } else { Class::Idle };
    Some(match text(field.old.as_ref()) {
        Some(was) => Headline::new(class, "", messages::from_to(&was, &now)),
        None => Headline::new(class, now, ""),
    })
}

/// `Ready → not ready`, `Progressing True → False`; Ready before the others.
fn condition(fields: &[&Field], object: Option<&Value>) -> Option<Headline> {
    let is_status = |path: &str| path.starts_with("/status/conditions/") && path.ends_with("/status");
    let name = |field: &Field| {
        let at = field.path.strip_suffix("/status")?;
        object?.pointer(at)?.get("type")?.as_str().map(str::to_owned)
    };
    let flipped = || fields.iter().copied().filter(|field| is_status(&field.path));
    let ready = flipped().find(|field| name(field).as_deref() == Some("Ready"));
    if let Some(field) = ready {
        let is_ready = field.new.as_ref().and_then(Value::as_str) == Some("True");
        let class = if is_ready { Class::Ok } else { Class::Warn };
        return Some(Headline::new(class, "", messages::readiness(is_ready)));
    }
    let field = flipped().next()?;
    let (was, now) = (text(field.old.as_ref())?, text(field.new.as_ref())?);
    Some(Headline::new(Class::Idle, shown(&name(field)?), messages::from_to(&was, &now)))
}

/// `Label debug set to true`
fn named(fields: &[&Field]) -> Option<Headline> {
    let field = fields.first().filter(|_| fields.len() == 1)?;
    let (word, key) =
        [("/metadata/labels/", messages::LABEL), ("/metadata/annotations/", messages::ANNOTATION)]
            .iter()
            .find_map(|(at, word)| Some((*word, field.path.strip_prefix(at)?)))?;
    let key = diff::keys(&format!("/{key}")).collect::<Vec<_>>().join("/");
    let rest = match text(field.new.as_ref()) {
        Some(now) => messages::named_set(&shown(&key), &now),
        None => messages::named_removed(&shown(&key)),
    };
    Some(Headline::new(Class::Idle, word, rest))
}

fn of_field(field: &Field, object: Option<&Value>) -> Headline {
    let path = spoken_path(&field.path, object);
    let rest = match (text(field.old.as_ref()), text(field.new.as_ref())) {
        (Some(was), Some(now)) => messages::from_to(&was, &now),
        (None, Some(now)) => format!("{} {now}", messages::SET_TO),
        _ => messages::REMOVED_WORD.to_owned(),
    };
    Headline::new(Class::Idle, path, rest)
}
