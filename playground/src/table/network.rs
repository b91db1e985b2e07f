//! Rows of services and what leads to them.

use serde_json::{Value, json};

use super::workload::{age, labels, name, selector_or_none, text_or};
use crate::json::{int, list, text, text_opt};

/// More than this many endpoints are summed up.
const ENDPOINTS_SHOWN_MAX: usize = 3;

pub(super) fn service(object: &Value, now_s: i64) -> Vec<Value> {
    let ports: Vec<String> = list(object, "/spec/ports")
        .iter()
        .map(|port| {
            let protocol = text_opt(port, "/protocol").unwrap_or("TCP");
            match (int(port, "/port"), int(port, "/nodePort")) {
                (port, 0) => format!("{port}/{protocol}"),
                (port, on_node) => format!("{port}:{on_node}/{protocol}"),
            }
        })
        .collect();
    vec![
        name(object),
        json!(text(object, "/spec/type")),
        text_or(object, "/spec/clusterIP", "<none>"),
        json!(external(object)),
        json!(or_none(&ports, ",")),
        age(object, now_s),
        json!(labels(object, "/spec/selector")),
    ]
}

fn external(object: &Value) -> String {
    let mut found: Vec<String> =
        list(object, "/spec/externalIPs").iter().filter_map(|ip| ip.as_str().map(str::to_owned)).collect();
    match text(object, "/spec/type") {
        "ExternalName" => text(object, "/spec/externalName").to_owned(),
        "LoadBalancer" => {
            let mut balanced = addresses(object);
            balanced.append(&mut found);
            if balanced.is_empty() { "<pending>".to_owned() } else { balanced.join(",") }
        }
        _ => or_none(&found, ","),
    }
}

fn addresses(object: &Value) -> Vec<String> {
    list(object, "/status/loadBalancer/ingress")
        .iter()
        .map(|found| text_opt(found, "/ip").unwrap_or_else(|| text(found, "/hostname")).to_owned())
        .collect()
}

fn or_none(found: &[String], separator: &str) -> String {
    if found.is_empty() { "<none>".to_owned() } else { found.join(separator) }
}

pub(super) fn ingress(object: &Value, now_s: i64) -> Vec<Value> {
    let hosts: Vec<String> = list(object, "/spec/rules")
        .iter()
        .filter_map(|rule| text_opt(rule, "/host").map(str::to_owned))
        .collect();
    let ports = if list(object, "/spec/tls").is_empty() { "80" } else { "80, 443" };
    vec![
        name(object),
        text_or(object, "/spec/ingressClassName", "<none>"),
        json!(if hosts.is_empty() { "*".to_owned() } else { hosts.join(",") }),
        json!(addresses(object).join(",")),
        json!(ports),
        age(object, now_s),
    ]
}

pub(super) fn network_policy(object: &Value, now_s: i64) -> Vec<Value> {
    vec![name(object), selector_or_none(object, "/spec/podSelector"), age(object, now_s)]
}

pub(super) fn endpoints(object: &Value, now_s: i64) -> Vec<Value> {
    let mut found = Vec::new();
    for subset in list(object, "/subsets") {
        for port in list(subset, "/ports") {
            for address in list(subset, "/addresses") {
                found.push(format!("{}:{}", text(address, "/ip"), int(port, "/port")));
            }
        }
    }
    vec![name(object), json!(summed(&found, " + ")), age(object, now_s)]
}

pub(super) fn endpoint_slice(object: &Value, now_s: i64) -> Vec<Value> {
    let ports: Vec<String> =
        list(object, "/ports").iter().map(|port| int(port, "/port").to_string()).collect();
    let found: Vec<String> = list(object, "/endpoints")
        .iter()
        .flat_map(|endpoint| list(endpoint, "/addresses"))
        .filter_map(|address| address.as_str().map(str::to_owned))
        .collect();
    let unset = |list: &[String], told: String| {
        if list.is_empty() { "<unset>".to_owned() } else { told }
    };
    vec![
        name(object),
        json!(text(object, "/addressType")),
        json!(unset(&ports, summed(&ports, " + "))),
        json!(unset(&found, summed(&found, " + "))),
        age(object, now_s),
    ]
}

fn summed(found: &[String], plus: &str) -> String {
    let shown: Vec<String> = found.iter().take(ENDPOINTS_SHOWN_MAX).cloned().collect();
    match found.len().saturating_sub(ENDPOINTS_SHOWN_MAX) {
        0 => or_none(&shown, ","),
        more => format!("{}{plus}{more} more...", shown.join(",")),
    }
}
