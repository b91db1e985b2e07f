//! A question of objects over time: is it so, of all of them, of any or of none, at once or for so long? Pure: rows, how
//! well they are proven and a clock go in, a [`Verdict`] comes out. `dogwatch wait` and `dogwatch tail --until` ask.
//!
//! Nothing is decided by rows that aren't proven. Several forms are asked as `kubectl wait` asks them: in their order, and
//! what was so once counts. With a time to hold they have to be so together, and stay so.
//!
//! Read in this order: [`form`] (what is asked of one object), [`asking`] (what became of it so far), [`observed`] (how
//! a view's rows come to it).

mod asking;
pub(crate) mod duration;
mod flags;
mod form;
mod observed;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub(crate) use asking::{Asking, Fired, Place, Proof, Verdict, Waits};
pub use flags::HowFlags;
pub(crate) use form::Form;
pub(crate) use observed::{Observed, proof_of};

#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) forms: Vec<Form>,
    pub(crate) join: Join,
    pub(crate) of: Of,
    /// `None`: each form counts as soon as it was so once.
    pub(crate) hold: Option<Duration>,
}

/// How many of the forms have to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    All,
    Any,
}

/// How many objects it has to be so of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Of {
    /// Each of them
    All,
    /// One of them, whichever
    Any,
    /// None of them
    None,
}

impl Question {
    pub(crate) fn new(mut forms: Vec<Form>, join: Join, of: Of, hold: Option<Duration>) -> Self {
        // As for kubectl, which always waits for the creation first.
        forms.sort_by_key(|form| !matches!(form.asks(), form::Asks::Created));
        Self { forms, join, of, hold }
    }

    pub(crate) fn asks_for_creation(&self) -> bool {
        self.forms.iter().any(|form| matches!(form.asks(), form::Asks::Created))
    }

    pub(crate) fn asks_for_deletion(&self) -> bool {
        self.forms.iter().any(|form| matches!(form.asks(), form::Asks::Deleted))
    }

    /// Whether the rows need their objects.
    pub(crate) fn reads_objects(&self) -> bool {
        self.forms.iter().any(Form::reads_object)
    }
}
