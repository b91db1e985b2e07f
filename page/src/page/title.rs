//! The document's title. It is also set while the page is hidden, so that a tab shows that a view is stale.

#[derive(Default)]
pub(super) struct Title {
    written: String,
}

impl Title {
    /// `None`: the title is the same as before.
    pub(super) fn write(&mut self, shown: String, cluster: &str, state: &str) -> Option<String> {
        let parts = [&*shown, cluster, "Dogwatch"];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let title = format!("{state}{}", parts.join(" · "));
        let is_new = self.written != title;
        self.written.clone_from(&title);
        is_new.then_some(title)
    }
}
