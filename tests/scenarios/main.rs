//! The binary that users get, without a browser: on the command line, on its socket and on a real
//! kube-apiserver.

mod audit;
mod authorization;
mod bad_input;
mod chaos;
mod clusters;
mod custom_columns;
mod exact;
mod failures;
mod fields;
mod odd_objects;
mod printed;
mod resume;
mod rights;
mod rollouts;
mod secrets;
mod sharing;
mod soak;
mod team;
mod third_party;
mod upstream;
mod wait;
