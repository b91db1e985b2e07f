//! The tabs of the panel, each in a folder of its own. Never the panel's head.

pub(crate) mod logs;
mod overview;
mod timeline;
mod yaml;

use crate::prelude::*;
use page::location::Tab;

use crate::dispatch::Dispatch;
use crate::signals::PanelSignals;

/// What stands below the head. `jumped`: the last jump to a part that was carried out.
pub(super) fn tab(tab: Tab, signals: PanelSignals, jumped: StoredValue<u32>, act: Dispatch) -> AnyView {
    match tab {
        Tab::Overview => overview::overview(
            signals.tabs.overview,
            (signals.jump, jumped),
            logs::last_lines(signals.head, act),
        )
        .into_any(),
        Tab::Timeline => timeline::timeline(signals.tabs.timeline, act).into_any(),
        Tab::Yaml => yaml::yaml(signals.tabs.yaml, act).into_any(),
        Tab::Logs => logs::logs(signals.head, act),
    }
}
