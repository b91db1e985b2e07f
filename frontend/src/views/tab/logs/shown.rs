//! What is drawn, as the views of the tab read it: part by part, so that each wakes for its own alone.

use crate::prelude::*;
use page::logs::LogsView;

use super::super::super::fetched::PanelHeadField;

/// What is drawn, and parts of it that wake their readers alone.
#[derive(Clone, Copy)]
pub(super) struct Shown(PanelHeadField);

impl Shown {
    pub(super) fn new(head: PanelHeadField) -> Self {
        Self(head)
    }

    pub(super) fn part<T: Clone + PartialEq + Send + Sync + 'static>(
        self,
        read: impl Fn(&LogsView) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        Memo::new(move |_| self.with(&read))
    }

    pub(super) fn with<T>(self, read: impl FnOnce(&LogsView) -> T) -> T {
        let held = super::shown(self.0);
        match held.read::<LogsView>() {
            Some(view) => read(view),
            None => read(&LogsView::default()),
        }
    }
}
