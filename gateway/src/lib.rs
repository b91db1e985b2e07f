//! The gateway: it authenticates to a cluster, watches it once for all viewers, and relays what changed over
//! one WebSocket per page. It only ever reads.
//!
//! The modules stand in the order of the flow, and each may use only those before it: [`cluster`] → [`feed`]
//! → [`hub`] → [`session`] → [`stream`] → [`http`]; the last three use [`access`]
//! and [`audit`]. Below all of them stand [`address`], `forward_proxy`, [`since`] and [`subscription_request`]. Above them stand [`config`], which has the flags of every auth
//! mode, and [`run`], which binds and begins everything.

pub mod address;
mod cloud_event;
pub mod cluster;
pub mod feed;
pub mod hub;
pub mod subscription_request;

pub mod access;
pub mod audit;
pub mod history_command;
pub mod http;
pub mod inventory;
pub mod kubernetes;
pub mod logs;
pub mod logs_command;
pub mod session;
pub mod since;
pub mod stream;

mod causes;
mod clock;
pub mod config;
pub mod credential_command;
pub mod demo;
mod forward_proxy;
pub mod kubeconfig_command;
pub mod limits;
pub mod log;
pub mod metrics;
pub mod past;
mod pem;
mod plain_file;
mod rate_limiter;
pub mod rbac;
pub mod ready_command;
pub mod reload;
pub mod rules;
pub mod rules_command;
pub mod run;
mod running_gateway;
pub mod same_user;
pub mod sessions_command;
mod team_gateway;
#[cfg(test)]
mod test_log;
pub mod traces;
pub mod url;
mod waited_for;

/// Viewers in a terminal: the only modules that use the replica, and nothing of the server.
pub mod question;
pub mod tail;
pub mod wait;
