//! The flags that `wait` and `tail --until` share. Never an object.

use std::time::Duration;

use super::{Form, Join, Of, Question, duration};

/// How several forms and several objects come to one answer.
#[derive(Clone, Debug, clap::Args)]
pub struct HowFlags {
    /// One of the forms is enough
    #[arg(long)]
    pub any: bool,
    /// Of how many objects it has to be so
    #[arg(long, value_name = "OBJECTS", value_enum, default_value = "all")]
    pub of: Of,
    /// All of it has to be so together and to stay so for this long; 0s: together at one moment. A view that was stale in
    /// between begins anew
    #[arg(long, value_name = "DURATION")]
    pub hold: Option<String>,
}

impl HowFlags {
    pub(crate) fn is_given(&self) -> bool {
        self.any || self.of != Of::All || self.hold.is_some()
    }

    /// Fails with one sentence about the first part that can't be used.
    pub(crate) fn question(&self, forms: &[String]) -> Result<Question, String> {
        let forms: Result<Vec<Form>, String> = forms.iter().map(|text| Form::parse(text)).collect();
        let join = if self.any { Join::Any } else { Join::All };
        Ok(Question::new(forms?, join, self.of, self.hold()?))
    }

    fn hold(&self) -> Result<Option<Duration>, String> {
        let Some(text) = &self.hold else { return Ok(None) };
        let hold = duration::parse(text).map_err(|why| format!("--hold: {why}"))?;
        match hold.is_negative {
            true => Err(format!("--hold {text}: a time to hold is 0s or more")),
            false => Ok(Some(hold.length)),
        }
    }
}
