//! What the page shows of its clusters: the button of the picker, and the open picker.

use shared::name::ClusterName;

use crate::pill::Pill;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterList {
    /// The cluster of the active pane, or how many they are.
    pub label: String,
    /// The gateway has several, or shows a record.
    pub can_choose: bool,
    pub picker: Option<ClusterPickerModel>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterPickerModel {
    pub typed: String,
    pub options: Vec<ClusterOption>,
    /// The option that the Enter key takes.
    pub active: Option<usize>,
    pub note: String,
    /// What is said of a record that is replayed. Then there is nothing to choose.
    pub record: Vec<String>,
}

/// One line of the open picker: a cluster, or all of them, and how its part of the view stands. The view draws it and sends
/// its number.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterOption {
    /// `None`: all of them, also those that come.
    pub name: Option<ClusterName>,
    pub text: String,
    pub is_chosen: bool,
    /// One that isn't reached stays in the list, and says why it can't be chosen.
    pub can_choose: bool,
    pub pill: Option<Pill>,
    pub version: String,
    /// `83 pods`, while the view shows them.
    pub rows: String,
}
