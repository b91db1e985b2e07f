//! The chart, as Helm renders and installs it on a real API server, and the gateway as its pods would run it: with their
//! arguments, files, user and rights; and the workflows of the forge. Needs Go on first use, and to be root or to have user
//! namespaces.

mod chart;
mod identity;
mod install;
mod released;
mod workflows;
