//! What a Kubernetes API server does, statement by statement: each is asked of the playground and of a
//! real kube-apiserver, so that the playground can't drift from the truth. What a server of the pinned
//! version can't show stands in `playground_only`, and nowhere else.
//!
//! A module lists its statements at the top; the compiler complains of one that isn't listed.

/// Every statement becomes two tests: `MODULE::playground::STATEMENT`, `MODULE::apiserver::STATEMENT`.
macro_rules! statements {
    ($($statement:ident),* $(,)?) => {
        mod playground {
            $(
                #[tokio::test]
                async fn $statement() {
                    super::$statement(crate::case::Case::on_playground().await).await;
                }
            )*
        }
        mod apiserver {
            $(
                #[tokio::test]
                async fn $statement() {
                    super::$statement(crate::case::Case::on_apiserver().await).await;
                }
            )*
        }
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
mod representations;
mod resource_versions;
mod status_codes;
mod tables;
mod times;
mod watch_lists;
mod writes;
