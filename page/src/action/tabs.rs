//! An action in a tab of the panel is one of the page, made from the table in `tab.rs`.

use super::{Action, PanelAction};
use crate::logs::LogsAction;
use crate::panel::TabAction;
use crate::tab::logs::LogsInput;
use crate::tab::tab_table;

macro_rules! from_tabs {
    ($(
        $(#[$default:meta])?
        $tab:ident in $folder:ident: $title:literal
        $(, key $key:literal $does:literal)?
        $(, action $action:ident)?;
    )*) => {
        $($(impl From<crate::tab::$folder::$action> for Action {
            fn from(action: crate::tab::$folder::$action) -> Self {
                Self::Panel(PanelAction::In(TabAction::$tab(action)))
            }
        })?)*
    };
}

tab_table!(from_tabs);

impl From<LogsAction> for Action {
    fn from(action: LogsAction) -> Self {
        LogsInput::from(action).into()
    }
}
