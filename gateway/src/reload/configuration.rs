//! What a configuration that was read again changes in a gateway that runs. Never how it is read.

use std::sync::Arc;

use shared::problem::{Problem, Reason};

use super::rules::{LiveRules, admit_none};
use crate::audit::Audit;
use crate::config::{Config, Reloaded, Reloading};
use crate::feed::{Redaction, RedactionSettings};
use crate::session::Context;

/// What every page is told at once, and which no view depends on.
const OF_TEAM: [&str; 3] = ["boards", "child-kinds", "pinned"];

/// What the clusters' own task takes over.
const OF_CLUSTERS: &str = "clusters";

/// What the rules' own task takes over.
const OF_RULES: &str = "rules";

/// Reads the configuration again and says in the log what came of it.
pub fn reread(
    mut reloading: Reloading,
    context: Arc<Context>,
    (audit, rules): (Audit, Option<LiveRules>),
) -> impl FnMut() + Send + 'static {
    let mut reread = move || {
        let reloaded = reloading.read()?;
        let said = take_effect(reloaded, &context, (&audit, rules.as_ref()))?;
        reloading.keep();
        Ok::<_, Problem>(said)
    };
    move || match reread() {
        Ok(said) => tracing::info!("{said}"),
        Err(problem) => tracing::error!("the configuration stays as it is: {problem}"),
    }
}

fn take_effect(
    reloaded: Reloaded,
    context: &Context,
    (audit, rules): (&Audit, Option<&LiveRules>),
) -> Result<String, Problem> {
    let Reloaded { config, changed, needs_restart } = reloaded;
    let changes_rules = changed.iter().any(|key| key == OF_RULES);
    match rules.filter(|_| changes_rules) {
        Some(rules) => rules.admit(&config.rules)?,
        None if changes_rules => admit_none(&config.rules)?,
        None => {}
    }
    configure(&config, context)?;
    if let Some(rules) = rules.filter(|_| changes_rules) {
        rules.replace(&config.rules).iter().for_each(|rule| audit.rule(rule.in_words()));
    }
    let own = [OF_CLUSTERS, OF_RULES];
    let views_changed = changed.iter().map(String::as_str).filter(|key| !own.contains(key));
    let (of_team, of_views): (Vec<&str>, Vec<&str>) = views_changed.partition(|key| OF_TEAM.contains(key));
    if !of_views.is_empty() {
        context.show(config.ceiling, Redaction::of(&config.redaction))?;
        say_what_is_unmasked(&config.redaction, audit);
    }
    if !of_team.is_empty() {
        context.team.send_replace(config.team);
    }
    if !needs_restart.is_empty() {
        tracing::warn!("only a restart changes {}", needs_restart.join(", "));
    }
    let what = if changed.is_empty() { "nothing".to_owned() } else { changed.join(", ") };
    Ok(format!("the configuration was read again; changed: {what}"))
}

/// Says in the log and in the audit log which namespaces the operator has shown as they are, if any.
pub fn say_what_is_unmasked(settings: &RedactionSettings, audit: &Audit) {
    if let Some(said) = settings.unmasked_in_words() {
        tracing::warn!("{said}");
        audit.unmasked(said);
    }
}

/// The clusters that are to be shown from now on; the contexts of a kubeconfig are read each time. The home cluster is
/// the one that every link without a cluster means, so it stays.
fn configure(config: &Config, context: &Context) -> Result<(), Problem> {
    let Some(entries) = config.cluster.entries()? else { return Ok(()) };
    let home = context.clusters.find(None).map(|home| home.name);
    if entries.first().map(|entry| &entry.name) == home.as_ref() {
        context.clusters.configure(entries);
        return Ok(());
    }
    let home = home.map(|name| name.to_string()).unwrap_or_default();
    let message =
        format!("the home cluster {home} must stay the first of the clusters; only a restart changes it");
    Err(Problem::new(Reason::Configuration, message))
}
