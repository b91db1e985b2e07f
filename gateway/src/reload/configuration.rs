//! What a configuration that was read again changes in a gateway that runs. Never how it is read.

use std::sync::Arc;

use shared::problem::Problem;

use crate::config::{Reloaded, Reloading};
use crate::feed::Redaction;
use crate::session::Context;

/// What every page is told at once, and which no view depends on.
const OF_TEAM: [&str; 2] = ["boards", "pinned"];

/// Reads the configuration again and says in the log what came of it.
pub fn reread(mut reloading: Reloading, context: Arc<Context>) -> impl FnMut() + Send + 'static {
    move || match reloading.read().and_then(|reloaded| take_effect(reloaded, &context)) {
        Ok(said) => tracing::info!("{said}"),
        Err(problem) => tracing::error!("the configuration stays as it is: {problem}"),
    }
}

fn take_effect(reloaded: Reloaded, context: &Context) -> Result<String, Problem> {
    let Reloaded { config, changed, needs_restart } = reloaded;
    let (of_team, of_views): (Vec<&str>, Vec<&str>) =
        changed.iter().map(String::as_str).partition(|key| OF_TEAM.contains(key));
    if !of_views.is_empty() {
        context.show(config.ceiling, Redaction::of(&config.redaction))?;
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
