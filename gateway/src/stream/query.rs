//! What a stream is asked for: one list of parameters, from which the query is read and the OpenAPI document is made.

use percent_encoding::percent_decode_str;
use shared::frame::client::{self, RowDetail};
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};
use shared::selector::{FieldSelector, LabelSelector};

use super::logs::LogParameters;
use super::resume::Resume;
use crate::since::PastTime;

/// What is said of each object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// The cells of kubectl's table.
    #[default]
    Cells,
    /// The whole of it.
    Object,
    /// Every event as it came, with the fields that changed.
    Timeline,
    /// What the containers of pods write.
    Log,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A line of JSON for each event.
    #[default]
    Ndjson,
    /// Server-Sent Events.
    Sse,
    /// A CloudEvent in a line.
    CloudEvents,
    /// A CloudEvent in a Server-Sent Event.
    CloudEventsSse,
}

/// One request of the stream without a page, with every parameter read and checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamRequest {
    /// As after `kubectl get`.
    pub word: String,
    pub cluster: Option<ClusterName>,
    pub namespaces: Namespaces,
    pub name: Option<ObjectName>,
    pub labels: Option<LabelSelector>,
    pub fields: Option<FieldSelector>,
    pub projection: Projection,
    pub format: Format,
    pub resume: Option<Resume>,
    pub past: PastAsked,
    pub log: LogParameters,
}

/// Which part of the past is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PastAsked {
    #[default]
    Nothing,
    /// The view as of a time, and then the end.
    At(PastTime),
    /// What changed since a time, and then the present.
    Since(PastTime),
}

pub struct Parameter {
    pub name: &'static str,
    pub about: &'static str,
    /// All values that it may have; empty where those aren't listed.
    pub values: &'static [&'static str],
    pub example: &'static str,
    read: fn(&mut Draft, &str) -> Result<(), Problem>,
}

/// A request under construction.
#[derive(Default)]
struct Draft {
    request: StreamRequest,
    format: Option<Format>,
}

pub static PARAMETERS: [Parameter; 15] = [
    Parameter {
        name: "resource",
        about: "What to show, as after `kubectl get`: its plural, singular or short name, with its group or its version and group where several have that name. Always needed.",
        values: &[],
        example: "deployments.v1.apps",
        read: |draft, text| {
            draft.request.word = text.to_owned();
            Ok(())
        },
    },
    Parameter {
        name: "cluster",
        about: "The cluster's name. Left out: the gateway's home cluster.",
        values: &[],
        example: "prod",
        read: |draft, text| {
            draft.request.cluster = Some(ClusterName::parse(text)?);
            Ok(())
        },
    },
    Parameter {
        name: "namespaces",
        about: "Namespaces with commas between them. Left out: all that you may see.",
        values: &[],
        example: "shop,payments",
        read: |draft, text| {
            let names = text.split(',').map(Namespace::parse).collect::<Result<_, _>>()?;
            draft.request.namespaces = Namespaces::these(names)?;
            Ok(())
        },
    },
    Parameter {
        name: "name",
        about: "One object, with its namespace.",
        values: &[],
        example: "cart-0",
        read: |draft, text| {
            draft.request.name = Some(ObjectName::parse(text)?);
            Ok(())
        },
    },
    Parameter {
        name: "labelSelector",
        about: "As for kubectl; evaluated by the gateway.",
        values: &[],
        example: "app=cart,tier in (web,api)",
        read: |draft, text| {
            draft.request.labels = Some(LabelSelector::parse(text)?);
            Ok(())
        },
    },
    Parameter {
        name: "fieldSelector",
        about: "As for kubectl; evaluated by the API server.",
        values: &[],
        example: "status.phase!=Running",
        read: |draft, text| {
            draft.request.fields = Some(FieldSelector::parse(text)?);
            Ok(())
        },
    },
    Parameter {
        name: "projection",
        about: "What is said of each object: kubectl's cells (if left out), the whole object, or a timeline of every change; or the log of its containers, of pods or of what has pods, in one namespace.",
        values: &["cells", "object", "timeline", "log"],
        example: "object",
        read: |draft, text| {
            let all = [Projection::Cells, Projection::Object, Projection::Timeline, Projection::Log];
            draft.request.projection = one_of("projection", text, &all, Projection::word)?;
            Ok(())
        },
    },
    Parameter {
        name: "format",
        about: "How events are written. Left out: as the header Accept says, and as ndjson where that takes anything.",
        values: &["ndjson", "sse", "cloudevents", "cloudevents-sse"],
        example: "sse",
        read: |draft, text| {
            draft.format = Some(one_of("format", text, &Format::ALL, Format::word)?);
            Ok(())
        },
    },
    Parameter {
        name: "resume",
        about: "Where an earlier stream of the same parameters ended: `resume` of its last event that had one. The header Last-Event-ID says the same, and counts first.",
        values: &[],
        example: "eyJvIjoiMGYxZTJkM2M0YjVhNjk3OCIsImMiOiI1ZjZjMWY4ZSIsInAiOltdfQ",
        read: |draft, text| {
            draft.request.resume = Some(Resume::parse(text)?);
            Ok(())
        },
    },
    Parameter {
        name: "at",
        about: "The view as of a time, from the gateway's record, and then the end: an instant in RFC 3339, milliseconds since 1970, or so long ago.",
        values: &[],
        example: "2026-11-29T14:02:10Z",
        read: |draft, text| draft.past("at", PastAsked::At(PastTime::parse(text)?)),
    },
    Parameter {
        name: "since",
        about: "The changes that were recorded since a time first, then the present, each version once. After a resume the past isn't told again. Of logs, the lines since that time.",
        values: &[],
        example: "2h",
        read: |draft, text| draft.past("since", PastAsked::Since(PastTime::parse(text)?)),
    },
    Parameter {
        name: "containers",
        about: "Of logs: the names of the containers, with commas between them. Left out: all.",
        values: &[],
        example: "cart,proxy",
        read: |draft, text| {
            let names = text.split(',').map(|name| ObjectName::parse(name).map(|name| name.as_str().into()));
            draft.request.log.containers = names.collect::<Result<_, _>>()?;
            Ok(())
        },
    },
    Parameter {
        name: "tail",
        about: "Of logs: how many of the last lines of each container that are there already. Left out: all.",
        values: &[],
        example: "100",
        read: |draft, text| {
            let lines = text.parse();
            let wrong =
                |_| Problem::bad_request(format!("tail={text:?} isn't a number of lines; 100 is one"));
            draft.request.log.tail = Some(lines.map_err(wrong)?);
            Ok(())
        },
    },
    Parameter {
        name: "previous",
        about: "Of logs: the run of each container before the present one, and then the end.",
        values: &["true", "false"],
        example: "true",
        read: |draft, text| {
            draft.request.log.previous = Some(one_of("previous", text, &[true, false], yes_or_no)?);
            Ok(())
        },
    },
    Parameter {
        name: "follow",
        about: "Of logs: false for what is there already, and then the end.",
        values: &["true", "false"],
        example: "false",
        read: |draft, text| {
            draft.request.log.follow = Some(one_of("follow", text, &[true, false], yes_or_no)?);
            Ok(())
        },
    },
];

fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "true" } else { "false" }
}

impl Draft {
    fn past(&mut self, name: &str, asked: PastAsked) -> Result<(), Problem> {
        if self.request.past != PastAsked::Nothing {
            let message = format!("at ends where since begins: leave {name} out, or the other one");
            return Err(Problem::bad_request(message));
        }
        self.request.past = asked;
        Ok(())
    }
}

/// What the head of the request says beside the query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head<'a> {
    /// `None`: anything.
    pub accept: Option<&'a str>,
    pub last_event_id: Option<&'a str>,
}

impl StreamRequest {
    /// Fails with one sentence about the first part that can't be used.
    pub fn parse(query: &str, head: Head<'_>) -> Result<Self, Problem> {
        let mut draft = Draft::default();
        let mut given: Vec<&str> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            let parameter =
                PARAMETERS.iter().find(|known| known.name == name).ok_or_else(|| unknown(&name))?;
            if given.contains(&parameter.name) {
                return Err(Problem::bad_request(format!("the parameter {name} is there twice")));
            }
            if value.is_empty() {
                return Err(Problem::bad_request(format!("the parameter {name} is empty; leave it out")));
            }
            given.push(parameter.name);
            (parameter.read)(&mut draft, &value)?;
        }
        let mut request = draft.request;
        if request.word.is_empty() {
            return Err(Problem::bad_request("the parameter resource is missing, such as resource=pods"));
        }
        // A browser that comes back says it beside the address that it was given at first.
        if let Some(last) = head.last_event_id.filter(|last| !last.is_empty()) {
            request.resume = Some(Resume::parse(last)?);
        }
        request.is_of_past_possible()?;
        request.is_of_logs_possible()?;
        request.format = match draft.format {
            Some(format) => format,
            None => Format::accepted(head.accept)?,
        };
        Ok(request)
    }

    fn is_of_past_possible(&self) -> Result<(), Problem> {
        let message = match (self.past, self.projection, &self.resume) {
            (PastAsked::Nothing, ..) => return Ok(()),
            (_, Projection::Timeline, _) => {
                "a timeline begins now: ask for projection=cells or object with at and since, which tell each version"
            }
            (PastAsked::At(_), _, Some(_)) => {
                "a view as of a time ends, so it isn't resumed; leave resume out"
            }
            _ => return Ok(()),
        };
        Err(Problem::bad_request(message))
    }

    fn is_of_logs_possible(&self) -> Result<(), Problem> {
        let is_log = self.projection == Projection::Log;
        let message = match (&self.past, &self.resume) {
            _ if !is_log && self.log.are_given() => {
                "containers, tail, previous and follow are for projection=log; leave them out, or say that"
            }
            (PastAsked::At(_), _) if is_log => {
                "logs aren't recorded, so there are none as of a time; leave at out, or say since"
            }
            (_, Some(_)) if is_log => "logs aren't resumed; leave resume out, and say since",
            _ => return Ok(()),
        };
        Err(Problem::bad_request(message))
    }

    pub fn scope(&self, kind: &Kind) -> Scope {
        let Self { cluster, namespaces, name, labels, fields, .. } = self.clone();
        Scope { cluster, resource: kind.resource.clone(), namespaces, name, labels, fields }
    }
}

impl Projection {
    pub fn word(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Object => "object",
            Self::Timeline => "timeline",
            Self::Log => "log",
        }
    }

    /// The projection that the session is asked for. The stream keeps no rows, so they come whole.
    pub fn on_the_wire(self) -> (client::Projection, RowDetail) {
        match self {
            // Logs have a frame of their own.
            Self::Cells | Self::Log => (client::Projection::Rows, RowDetail::Whole),
            Self::Object => (client::Projection::Rows, RowDetail::Objects),
            Self::Timeline => (client::Projection::Timeline, RowDetail::Changes),
        }
    }
}

impl Format {
    const ALL: [Self; 4] = [Self::Ndjson, Self::Sse, Self::CloudEvents, Self::CloudEventsSse];

    fn word(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Sse => "sse",
            Self::CloudEvents => "cloudevents",
            Self::CloudEventsSse => "cloudevents-sse",
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson | Self::CloudEvents => "application/x-ndjson",
            Self::Sse | Self::CloudEventsSse => "text/event-stream",
        }
    }

    /// The first of the header's that there is. Weights aren't read: a client of streams names one.
    fn accepted(accept: Option<&str>) -> Result<Self, Problem> {
        let Some(accept) = accept else { return Ok(Self::Ndjson) };
        let types = accept.split(',').map(|part| part.split(';').next().unwrap_or_default().trim());
        let format = |name: &str| match name.to_ascii_lowercase().as_str() {
            "application/x-ndjson" | "application/*" | "*/*" => Some(Self::Ndjson),
            "text/event-stream" | "text/*" => Some(Self::Sse),
            "application/cloudevents+json" => Some(Self::CloudEvents),
            _ => None,
        };
        types.into_iter().find_map(format).ok_or_else(|| {
            let message = "a stream is application/x-ndjson, text/event-stream or application/cloudevents+json; \
                ask for one of them in Accept, or say format=ndjson";
            Problem::new(Reason::NotAcceptable, message)
        })
    }
}

fn one_of<T: Copy>(name: &str, text: &str, all: &[T], word: fn(T) -> &'static str) -> Result<T, Problem> {
    all.iter().copied().find(|one| word(*one) == text).ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|one| word(*one)).collect();
        Problem::bad_request(format!("there is no {name} {text:?}; it is one of {}", words.join(", ")))
    })
}

fn unknown(name: &str) -> Problem {
    let names: Vec<&str> = PARAMETERS.iter().map(|known| known.name).collect();
    Problem::bad_request(format!("there is no parameter {name:?}; there are {}", names.join(", ")))
}

fn decoded(text: &str) -> Result<String, Problem> {
    let spaces = text.replace('+', " ");
    let text = percent_decode_str(&spaces).decode_utf8().map(|text| text.into_owned());
    text.map_err(|_| Problem::bad_request("the query isn't UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_and_last_event_id_stand_for_their_parameters() {
        let of = |accept| {
            let head = Head { accept: Some(accept), last_event_id: None };
            StreamRequest::parse("resource=pods", head).map(|request| request.format)
        };
        assert_eq!(of("text/event-stream"), Ok(Format::Sse));
        assert_eq!(of("text/html, application/cloudevents+json;q=0.9"), Ok(Format::CloudEvents));
        assert_eq!(of("*/*"), Ok(Format::Ndjson));
        assert_eq!(of("image/png").expect_err("none of these").reason, Reason::NotAcceptable);
        let spoilt = Head { accept: None, last_event_id: Some("no token") };
        assert!(StreamRequest::parse("resource=pods", spoilt).is_err());
    }
}
