//! R-RO-1: every request of a gateway that reached a real API server while the tests ran, by the audit logs of those
//! servers. One that does more than read fails the run, and is named.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The folder of the audit logs while the tests run.
pub(crate) struct Requests {
    folder: PathBuf,
    read: u64,
}

impl Requests {
    pub(crate) fn new(folder: PathBuf) -> Result<Self> {
        // What an earlier run left says nothing of this one.
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        Ok(Self { folder, read: 0 })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads what was logged since the last call, and removes it, because a fleet's log is large: R-RO-1. Against: API
    /// server
    pub(crate) fn check(&mut self) -> Result<()> {
        let mut others = Vec::new();
        for entry in fs::read_dir(&self.folder).context("read the audit logs")? {
            let path = entry.context("read the audit logs")?.path();
            let file = fs::File::open(&path).with_context(|| format!("open {}", path.display()))?;
            for line in BufReader::new(file).lines() {
                let line = line.with_context(|| format!("read {}", path.display()))?;
                match Request::of(&line) {
                    Some(Request::Reads) => self.read += 1,
                    Some(Request::Other(what)) => others.push(what),
                    None => {}
                }
            }
            fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
        }
        others.sort_unstable();
        others.dedup();
        ensure!(others.is_empty(), "a gateway did more than read:\n{}", others.join("\n"));
        Ok(())
    }

    /// At the end: no request at all means that nothing was recorded.
    pub(crate) fn finish(&self) -> Result<()> {
        ensure!(self.read > 0, "no request of a gateway is in the audit logs of {}", self.folder.display());
        println!("{} requests of gateways to real API servers, all of which only read", self.read);
        Ok(())
    }
}

#[derive(Debug, PartialEq)]
enum Request {
    Reads,
    Other(String),
}

impl Request {
    /// `None`: not a gateway's, or the half line of a server that was killed.
    fn of(line: &str) -> Option<Self> {
        let event: Value = serde_json::from_str(line).ok()?;
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        if !text("/userAgent").starts_with("dogwatch/") {
            return None;
        }
        let (verb, uri) = (text("/verb"), text("/requestURI"));
        let resource = (text("/objectRef/apiGroup"), text("/objectRef/resource"));
        let path = uri.split('?').next().unwrap_or_default();
        let reads = match (verb, event.get("objectRef")) {
            ("get", None) => path == "/version" || path.starts_with("/api"),
            ("get" | "list" | "watch", Some(at)) => at.get("subresource").is_none(),
            ("create", Some(at)) => at.get("subresource").is_none() && REVIEWS.contains(&resource),
            _ => false,
        };
        Some(if reads { Self::Reads } else { Self::Other(format!("{verb} {uri}")) })
    }
}

const REVIEWS: [(&str, &str); 5] = [
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(verb: &str, uri: &str, object: Value, expected: Option<bool>) {
        let agent = if expected.is_some() { "dogwatch/0.1.0" } else { "kubectl/v1.36.3" };
        let mut event = json!({ "userAgent": agent, "verb": verb, "requestURI": uri });
        if !object.is_null() {
            event["objectRef"] = object;
        }
        let request = Request::of(&event.to_string());
        assert_eq!(request.map(|request| request == Request::Reads), expected, "{verb} {uri}");
    }

    #[test]
    fn r_ro_1_only_requests_that_read_are_no_finding() {
        let pods = json!({ "resource": "pods", "apiVersion": "v1" });
        let review = json!({ "apiGroup": "authorization.k8s.io", "resource": "selfsubjectaccessreviews" });
        for verb in ["get", "list", "watch"] {
            check(verb, "/api/v1/pods?limit=1", pods.clone(), Some(true));
        }
        check("get", "/version", Value::Null, Some(true));
        check("get", "/apis/apps/v1?timeout=32s", Value::Null, Some(true));
        check("create", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review.clone(), Some(true));
        for verb in ["create", "update", "patch", "delete", "deletecollection", "connect"] {
            check(verb, "/api/v1/pods", pods.clone(), Some(false));
        }
        for subresource in ["exec", "attach", "portforward", "proxy", "log", "ephemeralcontainers", "status"]
        {
            let object = json!({ "resource": "pods", "subresource": subresource });
            check("get", "/api/v1/namespaces/a/pods/b/x", object.clone(), Some(false));
            check("create", "/api/v1/namespaces/a/pods/b/x", object, Some(false));
        }
        let account = json!({ "resource": "serviceaccounts", "subresource": "token" });
        check("create", "/api/v1/namespaces/a/serviceaccounts/b/token", account, Some(false));
        check("update", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review, Some(false));
        check("get", "/logs/kube-apiserver.log", Value::Null, Some(false));
        check("create", "/api/v1/pods", pods, None);
    }

    #[test]
    fn r_ro_1_what_was_recorded_is_named_once_and_an_empty_record_is_no_proof() {
        let folder = std::env::temp_dir().join(format!("dogwatch-requests-{}", std::process::id()));
        let mut requests = Requests::new(folder.clone()).expect("a folder");
        assert!(requests.finish().is_err(), "nothing was recorded");
        let event = |verb: &str| json!({ "userAgent": "dogwatch/1", "verb": verb, "requestURI": "/api/v1/pods", "objectRef": {} });
        let lines = [event("list"), event("delete"), event("delete")].map(|event| event.to_string());
        fs::write(folder.join("a.jsonl"), lines.join("\n") + "\n{\"userAg").expect("written");
        let said = requests.check().expect_err("a finding").to_string();
        assert_eq!(said, "a gateway did more than read:\ndelete /api/v1/pods");
        requests.check().expect("it was read and removed");
        requests.finish().expect("one was recorded");
        fs::remove_dir_all(folder).expect("removed");
    }
}
