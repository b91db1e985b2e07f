//! The panel as plain values: what stands around the tabs, and the model of each tab.

use super::head::{PanelHead, PanelNote, TopFact};
use super::strip::Strip;
use super::tabs::TabsFields;
use crate::fields::model;
use crate::location::Tab;
use crate::logs::LogsShown;
use crate::model::ProofHops;
use crate::pill::Pill;
use crate::tab::overview::OverviewPart;
use crate::theme::Theme;

model! {
    /// The panel of one object, as it is on the screen.
    pub struct PanelModel = PanelFields {
        /// `None`: no panel is open.
        head: Option<PanelHead>,
        pill: Pill,
        proof: ProofHops,
        top: Vec<TopFact>,
        note: Option<PanelNote>,
        strip: Option<Strip>,
        tab: Tab,
        /// What is shown may be over.
        is_stale: bool,
        /// How many changes the timeline has.
        changes: String,
        /// The part of the overview that a key scrolls to, with the number of that request.
        jump: (u32, OverviewPart),
        /// The panel takes the keyboard's focus when the first number grows, if its generation is the second.
        focus: (u32, u32),
        width_px: f64,
        theme: Theme,
    } shared {
    } nested {
        tabs: TabsFields,
    }
}

impl PanelModel {
    /// Nothing that was made from an object is left.
    pub(super) fn purge(&mut self) {
        let Self { head, pill, tab, jump, focus, width_px, theme, .. } = std::mem::take(self);
        let head = head.map(|head| PanelHead { logs: LogsShown::default(), ..head });
        *self = Self { head, pill, tab, jump, focus, width_px, theme, ..Self::default() };
    }
}
