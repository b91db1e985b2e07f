//! Credentials, discovery and requests: the only module that knows `kube`. Never a hub, a session or a
//! page, and never a request that could change anything: see [`allow`].
//!
//! Read in this order: [`source`] (where the cluster is), [`kubeconfig`] (how kubectl reads that), [`authority`] (whose
//! certificates change), [`authorization`] (what a request proves itself with), [`client`] (the connection), [`request`] (every
//! request there is), [`failure`] (how one goes wrong), [`discovery`] (which kinds the cluster serves),
//! [`ceiling`] (what of it is shown), [`review`] (whose a token is, and what they may see), [`children`] (which kinds the children of a kind have), [`roles`] (that this may
//! have changed), [`own_rights`] (what the gateway itself may do and needn't, or needs and may not), [`rule`] (a right that it needs), [`upstream`] (as whom it is asked),
//! [`tokens`] and [`as_viewer`] (requests in a viewer's name), [`handle`] (what the other modules use).

mod allow;
mod answer;
mod as_viewer;
mod authority;
mod authorization;
mod ceiling;
mod certificate;
mod children;
mod client;
mod connect;
mod credentials;
mod discovery;
mod environment;
mod failure;
mod handle;
mod identify;
mod inflate;
mod kubeconfig;
mod own_rights;
mod profiles;
mod rediscover;
mod request;
mod review;
mod roles;
mod rule;
mod served;
mod source;
mod subject;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tokens;
mod upstream;

pub use allow::NotAllowed;
pub use answer::Answer;
pub use ceiling::{Ceiling, Choice, Pattern};
pub use children::{ChildrenQuestion, FoundChildren};
pub use connect::{IN_CLUSTER, cluster_name};
pub use environment::refuse_debug_environment;
pub use failure::{Failure, Refusal};
pub use handle::Cluster;
pub use profiles::{Plugins, Profile, ProfileWatch};
pub use request::{Accept, ApiRequest, Document, Selection};
pub use review::{Access, Decision, OwnQuestion};
pub use roles::RoleWatch;
pub use rule::Rule;
pub use source::{Contexts, Source, contexts_of};
pub use subject::Subject;
pub use tokens::TokenGuard;
pub use upstream::{Impersonation, UpstreamIdentity};
