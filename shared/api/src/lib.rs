//! The words of a Kubernetes API server, for those that answer as one: the playground, and the gateway where it serves
//! Kubernetes' own clients. Requests are read here, and refusals and the parts of a Table are written. Pure; it knows no
//! object, no socket and no clock.
//!
//! Reading order: [`query`], [`options`], [`log_options`], [`accept`](representation), [`failure`], [`page_token`], [`table`].

mod accept;
mod attributes;
mod failure;
mod log_options;
mod options;
mod page_token;
mod query;
mod representation;
mod served;
mod table;

pub use accept::{representation, wants_aggregated};
pub use attributes::{Attributes, Requested};
pub use failure::{Cause, Failure};
pub use log_options::{LogOptions, Since};
pub use options::{ListOptions, revision};
pub use page_token::{PageToken, prefix_of};
pub use query::{Query, decoded};
pub use representation::{Include, Representation};
pub use served::Served;
pub use table::{cell_value, column_definition, pod_conditions, table_head};
