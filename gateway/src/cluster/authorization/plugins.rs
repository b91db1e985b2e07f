//! Which plugins there are: one for each way of calling it, so that a plugin that asks a person does so once for all contexts,
//! clusters and attempts to connect.

use std::sync::{Arc, Mutex, PoisonError};

use super::plugin::Plugin;
use crate::cluster::kubeconfig::Exec;

/// The plugins of this process, the one that was asked for last at the end.
static PLUGINS: Mutex<Vec<Arc<Plugin>>> = Mutex::new(Vec::new());

/// The plugin that is called in this way, with the answer that it gave before. `user` is for messages.
pub(super) fn shared(exec: Exec, user: String) -> Arc<Plugin> {
    let mut plugins = PLUGINS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = plugins.iter().position(|plugin| plugin.is_called(&exec));
    let plugin = match known {
        Some(position) => plugins.remove(position),
        None => Arc::new(Plugin::new(exec, user)),
    };
    if plugins.len() >= PLUGINS_MAX {
        plugins.remove(0);
    }
    plugins.push(plugin.clone());
    plugin
}

/// More users than a kubeconfig has. One that is forgotten is called once more.
const PLUGINS_MAX: usize = 256;
