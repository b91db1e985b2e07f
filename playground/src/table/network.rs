//! Columns of services and of what leads to them.

use serde_json::{Value, json};

use super::column::Cell::{Made, Text, TextOr};
use super::column::{AGE, BuiltInColumn, NAME, or_none, shown, wide};
use super::workload::{labels, selector_or_none};
use crate::json::{int, list, text, text_opt};

/// More than this many endpoints are summed up.
const ENDPOINTS_SHOWN_MAX: usize = 3;

pub(super) const SERVICE: &[BuiltInColumn] = &[
    NAME,
    shown("Type", Text("/spec/type")),
    shown("Cluster-IP", TextOr("/spec/clusterIP", "<none>")),
    shown("External-IP", Made(|it, _| json!(external(it)))),
    shown("Port(s)", Made(|it, _| json!(service_ports(it)))),
    AGE,
    wide("Selector", Made(|it, _| labels(it, "/spec/selector"))),
];

pub(super) const INGRESS: &[BuiltInColumn] = &[
    NAME,
    shown("Class", TextOr("/spec/ingressClassName", "<none>")),
    shown("Hosts", Made(|it, _| json!(hosts(it)))),
    shown("Address", Made(|it, _| json!(addresses(it).join(",")))),
    shown("Ports", Made(|it, _| json!(if list(it, "/spec/tls").is_empty() { "80" } else { "80, 443" }))),
    AGE,
];

pub(super) const NETWORK_POLICY: &[BuiltInColumn] =
    &[NAME, shown("Pod-Selector", Made(|it, _| selector_or_none(it, "/spec/podSelector"))), AGE];

pub(super) const ENDPOINTS: &[BuiltInColumn] =
    &[NAME, shown("Endpoints", Made(|it, _| json!(summed(&endpoints(it), no_endpoints(it))))), AGE];

pub(super) const ENDPOINT_SLICE: &[BuiltInColumn] = &[
    NAME,
    shown("AddressType", Text("/addressType")),
    shown("Ports", Made(|it, _| json!(summed(&slice_ports(it), "<unset>")))),
    shown("Endpoints", Made(|it, _| json!(summed(&slice_addresses(it), "<unset>")))),
    AGE,
];

fn service_ports(service: &Value) -> String {
    let ports: Vec<String> = list(service, "/spec/ports")
        .iter()
        .map(|port| {
            let protocol = text_opt(port, "/protocol").unwrap_or("TCP");
            match (int(port, "/port"), int(port, "/nodePort")) {
                (port, 0) => format!("{port}/{protocol}"),
                (port, on_node) => format!("{port}:{on_node}/{protocol}"),
            }
        })
        .collect();
    or_none(&ports)
}

fn external(service: &Value) -> String {
    let own = list(service, "/spec/externalIPs").iter().filter_map(|ip| ip.as_str().map(str::to_owned));
    match text(service, "/spec/type") {
        "ExternalName" => text(service, "/spec/externalName").to_owned(),
        "LoadBalancer" => {
            let all: Vec<String> = addresses(service).into_iter().chain(own).collect();
            if all.is_empty() { "<pending>".to_owned() } else { all.join(",") }
        }
        _ => or_none(&own.collect::<Vec<_>>()),
    }
}

fn addresses(object: &Value) -> Vec<String> {
    list(object, "/status/loadBalancer/ingress")
        .iter()
        .map(|found| text_opt(found, "/ip").unwrap_or_else(|| text(found, "/hostname")).to_owned())
        .collect()
}

fn hosts(ingress: &Value) -> String {
    let hosts: Vec<&str> =
        list(ingress, "/spec/rules").iter().filter_map(|rule| text_opt(rule, "/host")).collect();
    if hosts.is_empty() { "*".to_owned() } else { hosts.join(",") }
}

/// Pods that aren't ready are subsets without an address.
fn no_endpoints(object: &Value) -> &'static str {
    if list(object, "/subsets").is_empty() { "<none>" } else { "" }
}

fn endpoints(object: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for subset in list(object, "/subsets") {
        for port in list(subset, "/ports") {
            for address in list(subset, "/addresses") {
                found.push(format!("{}:{}", text(address, "/ip"), int(port, "/port")));
            }
        }
    }
    found
}

fn slice_ports(slice: &Value) -> Vec<String> {
    list(slice, "/ports").iter().map(|port| int(port, "/port").to_string()).collect()
}

fn slice_addresses(slice: &Value) -> Vec<String> {
    let all = list(slice, "/endpoints").iter().flat_map(|endpoint| list(endpoint, "/addresses"));
    all.filter_map(|address| address.as_str().map(str::to_owned)).collect()
}

fn summed(found: &[String], none: &str) -> String {
    let shown = found.get(..ENDPOINTS_SHOWN_MAX.min(found.len())).unwrap_or_default().join(",");
    match found.len().saturating_sub(ENDPOINTS_SHOWN_MAX) {
        _ if found.is_empty() => none.to_owned(),
        0 => shown,
        more => format!("{shown} + {more} more..."),
    }
}
