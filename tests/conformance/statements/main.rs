//! What a Kubernetes API server does, statement by statement: each is asked of the playground and of a
//! real kube-apiserver, so that the playground can't drift from the truth. What a server of the pinned
//! version can't show stands in `playground_only`, and nowhere else.
//!
//! A module lists its statements at the top; the compiler complains of one that isn't listed.

/// Every statement becomes two tests: `MODULE::playground::STATEMENT`, `MODULE::apiserver::STATEMENT`.
/// Before a semicolon stand the two makers of a case, where they aren't the usual ones.
macro_rules! statements {
    ($playground:ident, $apiserver:ident; $($statement:ident),* $(,)?) => {
        mod playground {
            $(
                #[tokio::test]
                async fn $statement() {
                    super::$statement(crate::case::Case::$playground().await).await;
                }
            )*
        }
        mod apiserver {
            $(
                #[tokio::test]
                async fn $statement() {
                    super::$statement(crate::case::Case::$apiserver().await).await;
                }
            )*
        }
    };
    ($($statement:ident),* $(,)?) => {
        statements![on_playground, on_apiserver; $($statement),*];
    };
}

mod bookmarks;
mod case;
mod changes;
mod definitions;
mod discovery;
mod field_selectors;
mod label_selectors;
mod lists;
mod logs;
mod other_servers;
mod playground_only;
mod representations;
mod resource_versions;
mod status_codes;
mod tables;
mod times;
mod watch_lists;
mod writes;
