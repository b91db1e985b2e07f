//! What the pickers of namespaces and of clusters have in common: a typed text, and the mark among the options that fit
//! it. Never what is chosen.

use crate::action::PickerAction;

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

impl AsMut<Typed> for Typed {
    fn as_mut(&mut self) -> &mut Typed {
        self
    }
}

/// What an action asks of the options of an open picker.
pub(crate) enum Asked {
    Move(isize),
    /// The option of this number. `None`: the marked one.
    Choose(Option<usize>),
}

/// Opens or closes a picker, or takes the typed text. Returns what else the action asks of an open one.
pub(crate) fn update<P: Default + AsMut<Typed>>(
    picker: &mut Option<P>,
    action: PickerAction,
) -> Option<Asked> {
    match (action, picker) {
        (PickerAction::Open, picker) => *picker = Some(P::default()),
        (PickerAction::Close, picker) => *picker = None,
        (PickerAction::Type(text), Some(open)) => open.as_mut().set(text),
        (PickerAction::Move(by), Some(_)) => return Some(Asked::Move(by)),
        (PickerAction::Choose(number), Some(_)) => return Some(Asked::Choose(number)),
        (PickerAction::Type(_) | PickerAction::Move(_) | PickerAction::Choose(_), None) => {}
    }
    None
}

/// What becomes of an open picker after the options were asked.
pub(crate) enum Answer<T> {
    StaysOpen,
    Closes,
    /// It stays open, for the reader may choose more.
    Chose(T),
}

impl<T> Answer<T> {
    /// Returns what the reader chose.
    pub(crate) fn carry_out<P>(self, picker: &mut Option<P>) -> Option<T> {
        match self {
            Self::StaysOpen => None,
            Self::Closes => {
                *picker = None;
                None
            }
            Self::Chose(chosen) => Some(chosen),
        }
    }
}
