//! The HTTP side over real connections: what SECURITY.md promises, row by row. The session behind it sends
//! one text, so that a test sees whether anything of a cluster got out.

mod api_clients;
mod authentication;
mod base_path;
mod bounds;
mod browsers;
mod clients;
mod connections;
mod names;
mod published;
mod running;
