//! The rules and receivers of the configuration file, and what they mean.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::Uri;
use serde::{Deserialize, Serialize};
use shared::name::{ClusterName, Namespace};
use shared::problem::Problem;
use shared::rollout::Workload;
use shared::scope::Namespaces;
use shared::selector::{FieldSelector, LabelSelector};

use super::wrong;
use crate::limits::{RECEIVERS_MAX, RULE_NAME_BYTES_MAX, RULES_MAX};
use crate::past::Place;
use crate::plain_file;
use crate::rbac::built_in_named;
use crate::rules::{
    Expression, Form, FormPath, Grouping, ReceiverKind, ReceiverSettings, Rule, RulesSettings, Scope,
};
use crate::since::PastTime;

/// An entry of the list `rules`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RuleEntry {
    name: String,
    kind: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    clusters: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    namespaces: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    labels: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fields: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cel: Option<String>,
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    lasts: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    once_per: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    severity: Option<String>,
    #[serde(default = "yes")]
    resolved: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    to: Vec<String>,
}

/// An entry of the list `receivers`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ReceiverEntry {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    webhook: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alertmanager: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret_file: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ca_file: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_file: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

impl ReceiverEntry {
    /// A relative path starts at the folder of the configuration.
    pub(super) fn below(&mut self, folder: &Path) {
        for file in [&mut self.secret_file, &mut self.ca_file, &mut self.token_file].into_iter().flatten() {
            *file = folder.join(&*file);
        }
    }
}

/// The kinds that rules are of, as a record names those that it keeps.
pub(super) fn kinds(entries: &[RuleEntry]) -> Vec<String> {
    let kinds: BTreeSet<&str> = entries.iter().map(|entry| &*entry.kind).collect();
    kinds.into_iter().map(ToOwned::to_owned).collect()
}

/// The rules of a configuration, whatever else is in it. They need no receivers.
///
/// # Errors
/// It can't be read, or a rule is wrong.
pub fn rules_of_file(path: &Path) -> Result<RulesSettings, Problem> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct File {
        rules: Vec<RuleEntry>,
        receivers: Vec<ReceiverEntry>,
    }
    let said = |why: String| wrong(format!("the configuration {} is wrong: {why}", path.display()));
    let text = plain_file::read_to_string(path)
        .map_err(|error| wrong(format!("the configuration {} can't be read: {error}", path.display())))?;
    let file: File = serde_saphyr::from_str(&text)
        .map_err(|error| said(error.to_string().lines().next().unwrap_or_default().to_owned()))?;
    if file.rules.is_empty() {
        return Err(said("it has no rules".to_owned()));
    }
    let receivers: Vec<ReceiverSettings> = file.receivers.iter().map(receiver).collect::<Result<_, _>>()?;
    let with_all = |entry: &RuleEntry| {
        let to = if receivers.is_empty() { Vec::new() } else { entry.to.clone() };
        rule(&RuleEntry { to, ..entry.clone() }, &receivers).map(Arc::new)
    };
    let rules = file.rules.iter().map(with_all).collect::<Result<_, _>>()?;
    Ok(RulesSettings { rules, receivers })
}

/// Several gateways agree in their database which of them tells webhooks.
pub(super) fn check_replicas(
    settings: &RulesSettings,
    replicas: usize,
    place: &Place,
) -> Result<(), Problem> {
    let is_alone = replicas == 1 || settings.rules.is_empty() || matches!(place, Place::Postgres(_));
    match settings.receivers.iter().find(|receiver| receiver.is_webhook()) {
        Some(webhook) if !is_alone => Err(wrong(format!(
            "with {replicas} replicas each would tell the webhook {}: name a PostgreSQL database as history, in which they \
             agree on one, or set replicas to 1",
            webhook.name
        ))),
        _ => Ok(()),
    }
}

pub(super) fn of(rules: &[RuleEntry], receivers: &[ReceiverEntry]) -> Result<RulesSettings, Problem> {
    if rules.len() > RULES_MAX || receivers.len() > RECEIVERS_MAX {
        return Err(wrong(format!(
            "there are {} rules and {} receivers; there can be {RULES_MAX} and {RECEIVERS_MAX}",
            rules.len(),
            receivers.len()
        )));
    }
    let receivers: Vec<ReceiverSettings> = receivers.iter().map(receiver).collect::<Result<_, _>>()?;
    unique("receivers", receivers.iter().map(|it| &*it.name))?;
    if !rules.is_empty() && receivers.is_empty() {
        return Err(wrong("rules tell nobody: name a webhook or an Alertmanager in receivers"));
    }
    let rules: Vec<Arc<Rule>> =
        rules.iter().map(|entry| rule(entry, &receivers).map(Arc::new)).collect::<Result<_, _>>()?;
    unique("rules", rules.iter().map(|it| &*it.name))?;
    Ok(RulesSettings { rules, receivers })
}

fn unique<'a>(list: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
    let mut known = BTreeSet::new();
    for name in names {
        if !known.insert(name) {
            return Err(wrong(format!("{list}: two are called {name}; give each a name of its own")));
        }
    }
    Ok(())
}

fn name(list: &str, name: &str) -> Result<Box<str>, Problem> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    if name.is_empty() || name.len() > RULE_NAME_BYTES_MAX || !name.bytes().all(is_plain) {
        return Err(wrong(format!(
            "{list}: {name:?} is no name; it is up to {RULE_NAME_BYTES_MAX} letters, digits, dashes, dots and underscores"
        )));
    }
    Ok(name.into())
}

fn rule(entry: &RuleEntry, receivers: &[ReceiverSettings]) -> Result<Rule, Problem> {
    let own_name = name("rules", &entry.name)?;
    let said = |why: String| wrong(format!("rules, {own_name}: {why}"));
    let because = |problem: Problem| said(problem.message);
    let form = match (&entry.when, &entry.cel) {
        (Some(text), None) => Form::parse(text).map_err(because)?,
        (None, Some(text)) => expression(text).map_err(|why| said(format!("cel: {why}")))?,
        (Some(_), Some(_)) => return Err(said("it has both when and cel; leave one out".to_owned())),
        (None, None) => return Err(said("it needs when, such as health=failing, or cel".to_owned())),
    };
    let for_s = entry.lasts.as_deref().map(|text| seconds(text).map_err(said)).transpose()?.unwrap_or(0);
    if for_s > 0 && !form.is_of_state() {
        return Err(said(format!("{form} happens once, so leave out for")));
    }
    let by_owner = match entry.group.as_deref() {
        None => false,
        Some("owner") => true,
        Some(other) => return Err(said(format!("group can't be {other}; it is owner, or left out"))),
    };
    let once_per = entry.once_per.as_deref().map(FormPath::parse).transpose().map_err(because)?;
    let severity = entry.severity.as_deref().map(|word| name("rules, severity", word)).transpose()?;
    let to = match entry.to.as_slice() {
        [] => receivers.iter().map(|it| it.name.clone()).collect(),
        named => named
            .iter()
            .map(|name| {
                let known = receivers.iter().find(|it| *it.name == **name);
                known.map(|it| it.name.clone()).ok_or_else(|| {
                    let all: Vec<&str> = receivers.iter().map(|it| &*it.name).collect();
                    said(format!("there is no receiver {name}; there are {}", all.join(", ")))
                })
            })
            .collect::<Result<Vec<_>, _>>()?,
    };
    let clusters = entry.clusters.iter().map(|name| ClusterName::parse(name));
    let scope = Scope {
        clusters: clusters.collect::<Result<_, _>>().map_err(because)?,
        kind: kind(&entry.kind).map_err(said)?,
        namespaces: namespaces(&entry.namespaces).map_err(because)?,
        labels: entry.labels.as_deref().map(LabelSelector::parse).transpose().map_err(because)?,
        fields: entry.fields.as_deref().map(fields).transpose().map_err(because)?,
    };
    if matches!(form, Form::Rollout) && Workload::named(&scope.kind).is_none() {
        let kinds = "deployments.apps, statefulsets.apps and daemonsets.apps";
        return Err(said(format!("{} have no rollouts; {kinds} have", scope.kind)));
    }
    let grouping = Grouping { by_owner, once_per };
    Ok(Rule {
        name: own_name.clone(),
        scope,
        form,
        for_s,
        grouping,
        severity,
        tells_resolved: entry.resolved,
        receivers: to,
    })
}

fn expression(text: &str) -> Result<Form, String> {
    let Expression { is_of_change, reads_now, .. } = Expression::parse(text)?;
    Ok(Form::Expression { text: text.into(), is_of_change, reads_now })
}

fn namespaces(names: &[String]) -> Result<Namespaces, Problem> {
    if names.is_empty() {
        return Ok(Namespaces::All);
    }
    Namespaces::these(names.iter().map(|name| Namespace::parse(name)).collect::<Result<_, _>>()?)
}

/// Only names and namespaces are looked at here.
fn fields(text: &str) -> Result<FieldSelector, Problem> {
    let fields = FieldSelector::parse(text)?;
    match fields.beyond_names(true) {
        Some(left) => Err(Problem::bad_request(format!(
            "fields can select by metadata.name and metadata.namespace, and not by {}; when can look at it",
            left.as_str()
        ))),
        None => Ok(fields),
    }
}

/// A kind by its whole name: another one could come between a short one and what it meant.
fn kind(text: &str) -> Result<Box<str>, String> {
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-');
    if text.is_empty() || !text.bytes().all(is_name) {
        return Err(format!("{text:?} is no kind; it is one such as pods or deployments.apps"));
    }
    if text == "secrets" {
        return Err("no rule can be of Secrets, whose content the gateway never reads".to_owned());
    }
    let known = built_in_named(text);
    if text.contains('.') || known.iter().any(|name| name == text) {
        return Ok(text.into());
    }
    Err(match known.first() {
        Some(whole) => format!("the kind {text} needs its group: {whole}"),
        None => format!("the kind {text} needs its group, such as {text}.example.com"),
    })
}

fn seconds(text: &str) -> Result<i64, String> {
    let ms = PastTime::length_ms(text).filter(|ms| *ms >= 0);
    let ms = ms.ok_or_else(|| format!("for {text} is no duration; it is one such as 90s, 10m or 2h"))?;
    Ok(ms / 1_000)
}

fn receiver(entry: &ReceiverEntry) -> Result<ReceiverSettings, Problem> {
    let own_name = name("receivers", &entry.name)?;
    let said = |why: &str| wrong(format!("receivers, {own_name}: {why}"));
    let (kind, url) = match (&entry.webhook, &entry.alertmanager, &entry.secret_file) {
        (Some(url), None, Some(file)) => (ReceiverKind::Webhook { secret_file: file.clone() }, url.clone()),
        (Some(_), None, None) => {
            return Err(said(
                "a webhook needs secret-file, a file with a key as `echo whsec_$(openssl rand -base64 32)` prints it, by \
                 which the receiver knows that a message is from here",
            ));
        }
        (None, Some(_), Some(_)) => {
            return Err(said("an Alertmanager takes no secret-file; it takes a token-file"));
        }
        (None, Some(url), None) => {
            (ReceiverKind::Alertmanager, format!("{}/api/v2/alerts", url.trim_end_matches('/')))
        }
        _ => return Err(said("it needs the URL of either a webhook or an alertmanager")),
    };
    let url = address(&url).map_err(said)?;
    let (ca_file, token_file) = (entry.ca_file.clone(), entry.token_file.clone());
    Ok(ReceiverSettings { name: own_name.clone(), kind, url, ca_file, token_file })
}

/// The URL isn't quoted: many hooks have a secret in their path.
fn address(text: &str) -> Result<Uri, &'static str> {
    let url: Uri =
        text.parse().map_err(|_| "its URL can't be read; it is one such as https://hooks.example.org/x")?;
    let host = url.host().ok_or("its URL names no host; it is one such as https://hooks.example.org/x")?;
    if url.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err("its URL holds a credential, which others may read; a token stands in token-file");
    }
    let host = host.trim_matches(['[', ']']);
    let is_near = host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        || host.ends_with(".svc")
        || host.ends_with(".svc.cluster.local");
    match url.scheme_str() {
        Some("https") => Ok(url),
        Some("http") if is_near => Ok(url),
        Some("http") => Err(
            "what is told must not cross a network in plain text; its URL begins with https://, or is of this machine or \
             of a Service (NAME.NAMESPACE.svc)",
        ),
        _ => Err("its URL begins with https://, or http:// for this machine and Services"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::resolve::tests::resolved;

    const RECEIVER: &str = "receivers: [{name: ops, webhook: 'https://h.example/x', secret-file: k}]\n";

    fn refused(file: &str) -> String {
        resolved(&[], file).map(drop).expect_err(file).message
    }

    #[test]
    fn a_rule_is_read_with_all_it_has() {
        let file = format!(
            "{RECEIVER}rules:\n- name: carts\n  kind: pods\n  clusters: [playground]\n  namespaces: [shop]\n  \
             labels: app=cart\n  when: health=failing\n  for: 2m\n  group: owner\n  severity: critical\n  to: [ops]\n"
        );
        let config = resolved(&[], &file).expect("read");
        let [rule] = config.rules.rules.as_slice() else { panic!("one rule") };
        assert_eq!((&*rule.name, &*rule.scope.kind, rule.for_s), ("carts", "pods", 120));
        assert!(rule.grouping.by_owner && rule.tells_resolved);
        assert_eq!(rule.receivers, ["ops".into()]);
        assert_eq!(rule.form.to_string(), "health=failing");
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_one_sentence_that_names_it() {
        for (rule, says) in [
            ("name: a, kind: pods", "it needs when"),
            ("name: a, kind: pods, when: ill", "is no form"),
            ("name: a, kind: pods, when: created, cel: 'true'", "both when and cel"),
            ("name: a, kind: pods, cel: 'object.a =='", "cel: it can't be read"),
            ("name: a, kind: pods, for: 1m, cel: 'object.a != oldObject.a'", "happens once"),
            ("name: a, kind: deployments, when: health=failing", "needs its group: deployments.apps"),
            ("name: a, kind: boats, when: health=failing", "boats.example.com"),
            ("name: a, kind: secrets, when: created", "no rule can be of Secrets"),
            ("name: a, kind: Pods, when: created", "is no kind"),
            ("name: a, kind: pods, when: created, for: 1m", "happens once"),
            ("name: a, kind: pods, when: health=failing, for: soon", "is no duration"),
            ("name: a, kind: pods, when: created, group: node", "it is owner"),
            ("name: a, kind: pods, when: created, to: [pager]", "there is no receiver pager; there are ops"),
            ("name: a, kind: pods, when: created, fields: spec.nodeName=n", "and not by spec.nodeName"),
            ("name: a, kind: pods, when: rollout", "pods have no rollouts; deployments.apps"),
            ("name: a b, kind: pods, when: created", "is no name"),
            ("name: a, kind: pods, when: created, labels: 'a in'", "unable to parse"),
        ] {
            let said = refused(&format!("{RECEIVER}rules: [{{{rule}}}]\n"));
            assert!(said.contains(says), "{rule}: {said}");
        }
        let twice = "name: a, kind: pods, when: created";
        assert!(
            refused(&format!("{RECEIVER}rules: [{{{twice}}}, {{{twice}}}]\n")).contains("two are called a")
        );
        assert!(refused("rules: [{name: a, kind: pods, when: created}]").contains("tell nobody"));
    }

    #[test]
    fn several_gateways_tell_a_webhook_only_where_they_can_agree_on_one() {
        let rules = "rules: [{name: a, kind: pods, when: created}]\nreplicas: 2\n";
        assert!(refused(&format!("{RECEIVER}{rules}")).contains("each would tell the webhook ops"));
        let pager = "receivers: [{name: pager, alertmanager: 'http://127.0.0.1:9093'}]\n";
        assert!(resolved(&[], &format!("{pager}{rules}")).is_ok(), "Alertmanager removes doubles");
        let database = "history: postgres://u@localhost/d\n";
        assert!(resolved(&[], &format!("{RECEIVER}{rules}{database}")).is_ok());
        assert!(resolved(&[], &format!("{RECEIVER}replicas: 2\n")).is_ok(), "no rule tells anything");
    }

    #[test]
    fn a_receiver_is_reached_safely_or_refused_without_its_url() {
        for (receiver, says) in [
            ("webhook: 'https://h.example/secret'", "needs secret-file"),
            ("webhook: 'http://h.example/secret', secret-file: k", "plain text"),
            ("webhook: 'https://u:secret@h.example/', secret-file: k", "holds a credential"),
            ("webhook: 'ftp://h.example/secret', secret-file: k", "begins with https://"),
            ("webhook: secret, secret-file: k", "its URL"),
            ("alertmanager: 'http://am.example:9093/secret'", "plain text"),
            ("alertmanager: 'http://localhost:9093', secret-file: k", "takes no secret-file"),
            ("secret-file: k", "either a webhook or an alertmanager"),
        ] {
            let said = refused(&format!("receivers: [{{name: ops, {receiver}}}]\n"));
            assert!(
                said.contains(says) && !said.contains("secret@") && !said.contains("/secret"),
                "{receiver}: {said}"
            );
        }
        for url in ["http://127.0.0.1:1", "http://[::1]:1", "http://am.mon.svc:9093/", "https://am.example"] {
            let config = resolved(&[], &format!("receivers: [{{name: ops, alertmanager: '{url}'}}]\n"));
            let config = config.expect(url);
            assert!(config.rules.receivers[0].url.path().ends_with("/api/v2/alerts"), "{url}");
        }
    }
}
