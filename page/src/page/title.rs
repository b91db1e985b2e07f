//! The document's title. It is also set while the page is hidden, so that a tab shows that a view is stale.

#[derive(Default)]
pub(super) struct Title {
    written: String,
}

impl Title {
    /// `None`: the title is the same as before.
    pub(super) fn write(&mut self, shown: String, cluster: Option<String>, is_stale: bool) -> Option<String> {
        let parts = [Some(shown), cluster, Some("Dogwatch".to_owned())].into_iter().flatten();
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        let title = format!("{}{}", if is_stale { "(stale) " } else { "" }, parts.join(" · "));
        if self.written == title {
            return None;
        }
        self.written.clone_from(&title);
        Some(title)
    }
}
