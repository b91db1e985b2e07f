//! Requests that leave through a proxy: which one the environment names for a server, and the connections through it. API
//! servers, identity providers, servers of keys and the collector of traces are reached so; other gateways never are.

mod address;
mod connection;
mod connector;
mod no_proxy;
mod variables;

pub(crate) use address::{Address, Parsed};
pub(crate) use connection::{ProxyFailure, socks, tunnel};
pub(crate) use connector::Connector;
pub(crate) use variables::{NamedBy, Proxy, ProxyVariables};
