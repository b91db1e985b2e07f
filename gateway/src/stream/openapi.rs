//! The stream as an OpenAPI 3.1 document, from the lists by which it is read and written.

use serde_json::{Map, Value, json};

use super::event::EventType;
use super::query::PARAMETERS;

/// What each status says before the first byte.
const REFUSALS: [(&str, &str); 9] = [
    ("400", "A parameter that can't be used, or a credential in the query."),
    ("401", "No credential, or not a valid one."),
    ("403", "You may not see it, the gateway shows it to nobody, or another site's page asks."),
    ("404", "The cluster serves no such resource, or the gateway no such cluster."),
    ("406", "Accept names no format that there is."),
    ("410", "The cluster doesn't serve it any more."),
    ("429", "A limit of connections, subscriptions or feeds."),
    ("500", "The gateway failed."),
    ("503", "The gateway ends, or can't find out who you are."),
];

#[must_use]
pub fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Dogwatch",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Live Kubernetes resources as a stream. It only ever reads.",
        },
        "paths": { "/api/v1/stream": { "get": {
            "operationId": "stream",
            "summary": "A live view: what is there, and then every change, until either side ends it.",
            "parameters": parameters(),
            "security": [{ "bearer": [] }, { "cookie": [] }, {}],
            "responses": responses(),
        } } },
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": "__Host-dogwatch",
                    "description": "The session of a login, for the gateway's own pages." },
            },
            "schemas": { "Event": event(), "CloudEvent": cloud_event(), "Problem": problem() },
        },
    })
}

fn parameters() -> Vec<Value> {
    let in_query = PARAMETERS.iter().map(|parameter| {
        let mut schema = json!({ "type": "string" });
        if let (false, Some(schema)) = (parameter.values.is_empty(), schema.as_object_mut()) {
            schema.insert("enum".to_owned(), json!(parameter.values));
        }
        json!({ "name": parameter.name, "in": "query", "required": parameter.name == "resource",
            "description": parameter.about, "schema": schema, "example": parameter.example })
    });
    let last = json!({ "name": "Last-Event-ID", "in": "header", "required": false,
        "description": "As resume; a browser's EventSource sends it by itself.", "schema": { "type": "string" } });
    in_query.chain([last]).collect()
}

fn responses() -> Map<String, Value> {
    let of = |schema: &str| json!({ "schema": { "$ref": format!("#/components/schemas/{schema}") } });
    let stream = json!({
        "description": "Events, one after the other: a line each, or a message each.",
        "content": {
            "application/x-ndjson": of("Event"),
            "text/event-stream": of("Event"),
            "application/cloudevents+json": of("CloudEvent"),
        },
    });
    let refusals = REFUSALS.iter().map(|(status, about)| {
        let content = json!({ "application/json": of("Problem") });
        ((*status).to_owned(), json!({ "description": about, "content": content }))
    });
    [("200".to_owned(), stream)].into_iter().chain(refusals).collect()
}

fn event() -> Value {
    let types: Vec<Value> = EventType::ALL
        .iter()
        .map(|(_, word, about)| json!({ "const": word, "description": about }))
        .collect();
    json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": { "oneOf": types },
            "namespace": { "type": "string" },
            "name": { "type": "string" },
            "row": { "type": "string", "description": "A hash of the object's uid." },
            "resource_version": { "type": "string" },
            "cells": { "type": "object", "description": "By the names of the columns." },
            "object": { "type": "object", "description": "Without managedFields, and with masked values." },
            "time_ms": { "type": "integer", "description": "When a recorded change was heard, in milliseconds since 1970." },
            "namespaces": { "type": "array", "items": { "type": "string" },
                "description": "What the event holds for, where that isn't the whole stream." },
            "resume": { "type": "string", "description": "Where another stream of these parameters goes on." },
        },
        "additionalProperties": true,
    })
}

fn cloud_event() -> Value {
    let required = ["specversion", "id", "source", "type", "subject", "time", "datacontenttype", "data"];
    let mut properties: Map<String, Value> =
        required.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    properties.insert("data".to_owned(), json!({ "$ref": "#/components/schemas/Event" }));
    json!({ "type": "object", "required": required, "properties": properties })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["reason", "message"],
        "properties": { "reason": { "type": "string" }, "message": { "type": "string" } },
    })
}

#[cfg(test)]
mod tests {
    use shared::problem::Problem;

    use super::*;
    use crate::stream::query::{Head, StreamRequest};

    fn parsed(query: &str) -> Result<StreamRequest, Problem> {
        StreamRequest::parse(query, Head::default())
    }

    #[test]
    fn the_openapi_document_has_the_parameters_that_are_accepted_and_no_other() {
        let document = document();
        let described = document["paths"]["/api/v1/stream"]["get"]["parameters"].as_array().expect("a list");
        let in_query: Vec<&Value> = described.iter().filter(|parameter| parameter["in"] == "query").collect();
        assert_eq!(in_query.len(), PARAMETERS.len());
        for (parameter, known) in in_query.into_iter().zip(&PARAMETERS) {
            let name = parameter["name"].as_str().expect("a name");
            assert_eq!(name, known.name);
            let values = parameter["schema"]["enum"].as_array().cloned();
            let values = values.unwrap_or_else(|| vec![parameter["example"].clone()]);
            let given = match name {
                "resource" => "",
                "containers" | "tail" | "previous" | "follow" => "resource=pods&projection=log&",
                _ => "resource=pods&",
            };
            for value in values {
                let value = value.as_str().expect("text").replace(' ', "+").replace('=', "%3D");
                let asked = parsed(&format!("{given}{name}={value}"));
                assert!(asked.is_ok(), "{name}={value}: {asked:?}");
            }
            let other = parsed(&format!("{given}{name}=%2F%20%2C%2C"));
            // A resource is looked up among the kinds of the cluster.
            assert!(other.is_err() || name == "resource", "{name}: {other:?}");
        }
        for (query, said) in [
            ("", "resource"),
            ("resource=pods&resource=nodes", "twice"),
            ("resource=", "empty"),
            ("resource=pods&watch=true", "\"watch\""),
            ("resource=%ff", "UTF-8"),
            ("resource=pods&projection=all", "cells, object, timeline, log"),
        ] {
            let problem = parsed(query).expect_err(query);
            assert!(problem.message.contains(said), "{query}: {}", problem.message);
        }
    }
}
