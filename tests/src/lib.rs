//! What the scenarios share: a running gateway, a browser, a real control plane's contents, and the
//! comparison of two tables. Never an assertion about the product itself: those stand in the tests.

pub mod bare;
pub mod browser;
pub mod chaos;
pub mod chromedriver;
mod console;
pub mod contents;
pub mod devtools;
pub mod dogwatch;
pub mod every_kind;
pub mod exemplar;
pub mod hand;
pub mod holder;
pub mod kubectl_table;
pub mod kubectl_watch;
pub mod paced;
pub mod page;
pub mod process;
pub mod proxy;
pub mod raw;
pub mod recorder;
pub mod spread;
pub mod trace;
pub mod viewer;
