//! The tabs of the panel. This table is their only list: [`Tab`] is made from it here, what the panel holds of each tab
//! in `panel/tabs.rs`, and from [`Tab`] the address, the keys, the sheet of keys and the attribute of an element. A tab is
//! the folder below here with its state and its words, and the folder of the same name in the browser's side.

pub mod logs;
pub mod overview;
pub mod timeline;
pub mod yaml;

/// Hands the table to a macro. The order is that on the screen. A row has the variant, the tab's folder,
/// which is its word in the address, and its title; then the key and what the sheet of keys says of it, and the type
/// of its actions, where it has them.
macro_rules! tab_table {
    ($made:ident) => {
        $made! {
            #[default]
            Overview in overview: "Overview";
            Timeline in timeline: "Timeline", key "t" "timeline", action TimelineAction;
            Yaml in yaml: "YAML", key "y" "YAML", action YamlAction;
            Logs in logs: "Logs", key "i" "logs", action LogsInput;
        }
    };
}

macro_rules! names {
    ($(
        $(#[$default:meta])?
        $tab:ident in $folder:ident: $title:literal
        $(, key $key:literal $does:literal)?
        $(, action $action:ident)?;
    )*) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Tab {
            $($(#[$default])? $tab,)*
        }

        impl Tab {
            pub const ALL: [Self; [$($title),*].len()] = [$(Self::$tab),*];

            /// As the address writes it.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$tab => stringify!($folder),)*
                }
            }

            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$tab => $title,)*
                }
            }

            /// Its key, and what the sheet of keys says of it.
            pub(crate) fn key(self) -> Option<KeyLine> {
                let keys: [Option<KeyLine>; Self::ALL.len()] = [$(None$(.or(Some((&[$key], $does))))?),*];
                keys.into_iter().nth(self as usize).flatten()
            }
        }
    };
}

/// Keys, and what they do.
pub type KeyLine = (&'static [&'static str], &'static str);

tab_table!(names);

impl Tab {
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.key().is_some_and(|(keys, _)| keys.contains(&key)))
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.word() == word)
    }
}

pub(crate) use tab_table;
