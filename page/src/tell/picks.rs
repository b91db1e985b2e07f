//! Forms that a reader chooses instead of writing them.

use super::draft::{Draft, Which};

/// A form to choose, with what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub said: &'static str,
    pub form: &'static str,
    /// The objects of a view for which it has to hold; `None`: any.
    pub which: Option<Which>,
}

impl Pick {
    /// Puts it into what is written.
    pub fn choose(self, draft: &mut Draft) {
        self.form.clone_into(&mut draft.form);
        draft.which = self.which.unwrap_or_default();
    }

    pub fn is_chosen(self, draft: &Draft) -> bool {
        draft.form == self.form && draft.which == self.which.unwrap_or_default()
    }
}

/// What may be chosen of an object, of a view, and of what is wrong.
pub(super) const OBJECT_PICKS: &[Pick] =
    &[pick("is fine", "health=fine"), pick("changes", "changes"), pick("is deleted", "deleted")];
pub(super) const VIEW_PICKS: &[Pick] =
    &[pick("fails", "health=failing"), pick("is created", "created"), pick("is deleted", "deleted")];
pub(super) const WORKLOAD_PICKS: &[Pick] = &[
    pick("ends its rollout", "rollout"),
    pick("is fine", "health=fine"),
    pick("changes", "changes"),
    pick("is deleted", "deleted"),
];
pub(super) const WORKLOADS_PICKS: &[Pick] = &[
    pick("fails", "health=failing"),
    pick("ends its rollout", "rollout"),
    pick("is created", "created"),
    pick("is deleted", "deleted"),
];
pub(super) const WRONG_PICKS: &[Pick] = &[
    pick("anything fails", "health=failing"),
    Pick { said: "all is fine again", form: "health=failing,not-ready", which: Some(Which::None) },
];

const fn pick(said: &'static str, form: &'static str) -> Pick {
    Pick { said, form, which: None }
}
