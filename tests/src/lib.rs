//! The one harness of all scenarios and benches: a gateway with a home of its own, a client of its
//! WebSocket, a browser, a real control plane's contents, and what is compared with them. It asserts
//! nothing about the product: that stands in the tests.

pub mod answering;
pub mod api;
pub mod arguments;
pub mod browser;
pub mod chaos;
pub mod client;
pub mod clients;
pub mod collector;
pub mod contents;
mod devtools;
pub mod dogwatch;
mod driver;
pub mod every_kind;
pub mod examples;
pub mod exemplar;
pub mod gateways;
pub mod helm;
pub mod identities;
pub mod input;
pub mod kubectl_table;
pub mod ledger;
pub mod load;
pub mod metrics;
pub mod nginx;
pub mod oracle;
pub mod page;
pub mod planes;
pub mod pod;
pub mod ports;
pub mod process;
pub mod provider;
pub mod proxy;
pub mod recorder;
pub mod replicas;
pub mod roll;
pub mod spread;
pub mod states;
pub mod stream;
pub mod tail;
pub mod teams;
pub mod trace;
pub mod upgrade;
pub mod viewer;
pub mod webhook;
pub mod whole_page;
