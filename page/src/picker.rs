//! What the pickers of namespaces and of clusters have in common: a typed text, and the mark among the options that fit
//! it. Never what is chosen.

/// The text and the mark of an open picker.
#[derive(Debug, Default)]
pub(crate) struct Typed {
    pub(crate) text: String,
    /// The option that the Enter key takes.
    pub(crate) active: Option<usize>,
}

impl Typed {
    /// The first option that fits is marked.
    pub(crate) fn set(&mut self, text: String) {
        self.active = (!text.trim().is_empty()).then_some(0);
        self.text = text;
    }

    /// The mark stays at the ends. `count`: the options.
    pub(crate) fn move_by(&mut self, by: isize, count: usize) {
        let Some(last) = count.checked_sub(1) else { return };
        self.active = Some(match self.active {
            Some(at) => at.saturating_add_signed(by).min(last),
            None if by < 0 => last,
            None => 0,
        });
    }
}

/// What becomes of an open picker after an action in it.
pub(crate) enum Answer<T> {
    StaysOpen,
    Closes,
    /// It stays open, for the reader may choose more.
    Chose(T),
}
