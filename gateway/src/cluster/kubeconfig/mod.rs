//! Reading kubeconfigs as kubectl does: files, their merge, the server's address, the proxy. The
//! reference is client-go 1.36; `tests/conformance/kubeconfig/` asks kubectl itself. Never a request, and never a process.

mod base64_data;
mod chosen;
mod cluster;
mod credential;
mod field;
mod files;
mod proxy_url;
mod shape;
mod user;

pub(super) use chosen::{Chosen, choose};
pub(super) use credential::Credential;
pub(super) use files::{paths_of, read_all};
pub(super) use shape::{Exec, read_text};

use shared::problem::{Problem, Reason};

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}
