//! All tabs of an open object, made from the table in `tab.rs`. Never what one of them does.

use std::mem::discriminant;

use replica::client::ViewKey;
use replica::now::Now;
use shared::state::UnixMillis;

use super::object::PanelObject;
use super::outcome::PanelOutcome;
use super::part::{ActionContext, ObjectChange, TabContext, TabInput, TabPart};
use crate::fields::model;
use crate::location::Tab;
use crate::tab::tab_table;
use crate::table_view::Client;

macro_rules! tabs {
    ($(
        $(#[$default:meta])?
        $tab:ident in $folder:ident: $title:literal
        $(, key $key:literal $does:literal)?
        $(, action $action:ident)?;
    )*) => {
        model! {
            /// What each tab shows.
            pub struct TabsModel = TabsFields {
            } shared {
            } nested {
                $($folder: crate::tab::$folder::Fields,)*
            }
        }

        /// An action in one of the tabs.
        #[derive(Clone, Debug, PartialEq)]
        pub enum TabAction {
            $($($tab(crate::tab::$folder::$action),)?)*
        }

        /// The state of each tab.
        pub(super) struct Tabs {
            $(pub(super) $folder: crate::tab::$folder::$tab,)*
        }

        impl Tabs {
            pub(super) fn new(opened_ms: UnixMillis) -> Self {
                Self { $($folder: TabPart::new(opened_ms),)* }
            }

            pub(super) fn keys(&self) -> Vec<ViewKey> {
                [$(self.$folder.keys()),*].concat()
            }

            pub(super) fn object_changed(&mut self, change: &ObjectChange<'_>) {
                $(self.$folder.object_changed(change);)*
            }

            pub(super) fn observe(&mut self, object: &PanelObject, client: &mut Client, now: Now) -> Vec<ViewKey> {
                [$(self.$folder.observe(object, client, now)),*].concat()
            }

            pub(super) fn render(&mut self, tab: Tab, model: &mut TabsModel, at: TabContext<'_>) {
                match tab {
                    $(Tab::$tab => self.$folder.render(&mut model.$folder, at),)*
                }
            }

            pub(super) fn update(&mut self, action: TabAction, at: ActionContext<'_>) -> PanelOutcome {
                match action {
                    $($(TabAction::$tab(action) => {
                        let action: crate::tab::$folder::$action = action;
                        self.$folder.update(action, at)
                    })?)*
                }
            }

            pub(super) fn close_part(&mut self, tab: Tab, at: ActionContext<'_>) -> PanelOutcome {
                match tab {
                    $(Tab::$tab => self.$folder.close_part(at),)*
                }
            }
        }

        pub(super) fn has_open_part(tab: Tab, model: &TabsModel) -> bool {
            match tab {
                $(Tab::$tab => crate::tab::$folder::$tab::has_open_part(&model.$folder),)*
            }
        }

        impl TabAction {
            fn input(&self) -> &dyn TabInput {
                match self {
                    $($(Self::$tab(action) => {
                        let action: &crate::tab::$folder::$action = action;
                        action
                    })?)*
                }
            }
        }
    };
}

tab_table!(tabs);

impl TabAction {
    pub(crate) fn waits_for_frame(&self) -> bool {
        self.input().waits_for_frame()
    }
}

/// The last size that each tab reported, for the next object.
#[derive(Default)]
pub(super) struct Sizes(Vec<TabAction>);

impl Sizes {
    pub(super) fn note(&mut self, action: &TabAction) {
        if action.input().is_size() {
            self.0.retain(|held| discriminant(held) != discriminant(action));
            self.0.push(action.clone());
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TabAction> {
        self.0.iter()
    }
}
