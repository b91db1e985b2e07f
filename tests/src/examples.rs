//! The examples of `element/examples`: what each is, how it is built, the site that serves it, and the script that all
//! of them pass.

mod acceptance;
mod built;
mod host;
mod rig;

pub use acceptance::accept;
pub use built::built;
pub use host::{Host, Site};
pub use rig::{Cluster, Rig, of_playground};

/// A small portal around the elements, in one framework.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The folder in `element/examples`.
    pub name: &'static str,
    /// Where its build writes the site. `None`: the folder is the site.
    pub output: Option<&'static str>,
    pub policy: Policy,
    pub view: View,
}

/// What the site's content policy says of Trusted Types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They are required, and these policies may be made: `'none'`, or the framework's own.
    TrustedTypes(&'static str),
    /// The framework makes markup from text.
    AnyMarkup,
}

/// Where the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// In an element of the portal's own page.
    Element,
    /// In a frame of the gateway's.
    Frame,
}

impl Example {
    const fn new(name: &'static str, output: Option<&'static str>, policy: Policy) -> Self {
        Self { name, output, policy, view: View::Element }
    }
}

pub const PLAIN: Example = Example::new("plain", None, Policy::TrustedTypes("'none'"));
pub const REACT_18: Example = Example::new("react-18", Some("dist"), Policy::TrustedTypes("'none'"));
pub const REACT_19: Example = Example::new("react-19", Some("dist"), Policy::TrustedTypes("'none'"));
pub const VUE: Example = Example::new("vue", Some("dist"), Policy::TrustedTypes("vue"));
pub const SVELTE: Example = Example::new("svelte", Some("dist"), Policy::TrustedTypes("svelte-trusted-html"));
pub const ANGULAR: Example = Example::new("angular", Some("dist"), Policy::TrustedTypes("angular"));

pub const ALL: [Example; 6] = [PLAIN, REACT_18, REACT_19, VUE, SVELTE, ANGULAR];
