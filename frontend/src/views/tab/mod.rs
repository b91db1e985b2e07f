//! The tabs of the panel, each in a folder of its own. Never the panel's head.

mod overview;
mod timeline;
mod yaml;

use leptos::prelude::*;
use page::location::Tab;

use crate::dispatch::Dispatch;
use crate::signals::PanelSignals;

/// What stands below the head.
pub(super) fn tab(tab: Tab, signals: PanelSignals, act: Dispatch) -> AnyView {
    match tab {
        Tab::Overview => overview::overview(signals.tabs.overview, signals.jump).into_any(),
        Tab::Timeline => timeline::timeline(signals.tabs.timeline, act).into_any(),
        Tab::Yaml => yaml::yaml(signals.tabs.yaml, act).into_any(),
    }
}
