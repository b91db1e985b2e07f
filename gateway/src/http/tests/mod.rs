//! The edge against real connections: what SECURITY.md promises, row by row. Behind it stands a
//! session that says one word, so that a test sees whether anything of a cluster got out.

mod authentication;
mod bounds;
mod browsers;
mod connections;
mod ending;
mod running;
