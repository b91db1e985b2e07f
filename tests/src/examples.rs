//! The examples of `element/examples`: what each is, how it is built, the site that serves it, and the script that all
//! of them pass.

mod acceptance;
mod built;
mod host;
mod real;
mod rig;

pub use acceptance::accept;
pub use built::{built, package, types};
pub use host::{Host, Site};
pub use real::{RealCluster, of_real_cluster};
pub use rig::{Cluster, PortalRig, of_playground};

/// A small portal around the elements, in one framework.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The folder in `element/examples`.
    pub name: &'static str,
    /// Where its build writes the site. `None`: the folder is the site.
    pub output: Option<&'static str>,
    pub policy: Policy,
    pub view: View,
    /// The label of the pods that it shows. `None`: it shows all.
    pub label: Option<Label>,
}

/// Name and value.
pub type Label = (&'static str, &'static str);

/// What the site's content policy says of Trusted Types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They are required, and these policies may be made: `'none'`, or the framework's own.
    TrustedTypes(&'static str),
    /// The template of Grafana's own configuration.
    Grafana,
    /// What a Backstage backend sends, with the gateway in it: its style sheets are written by scripts.
    Backstage,
    /// They are required, and of the gateway the page takes nothing but its socket.
    OwnProgram,
}

/// Where the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// In an element of the portal's own page.
    Element,
    /// In a frame of the gateway's, which is made anew when another namespace is chosen.
    Frame,
}

impl View {
    /// How many programs the script starts. Each asks for a token and opens a socket.
    pub fn programs(self) -> usize {
        match self {
            Self::Element => 1,
            // The first, the one of the chosen namespace, and the one that returns.
            Self::Frame => 3,
        }
    }
}

impl Example {
    const fn new(name: &'static str, output: Option<&'static str>, policy: Policy) -> Self {
        Self { name, output, policy, view: View::Element, label: None }
    }
}

pub const PLAIN: Example = Example::new("plain", None, Policy::TrustedTypes("'none'"));
pub const REACT_19: Example = Example::new("react-19", Some("dist"), Policy::TrustedTypes("'none'"));
pub const VUE: Example = Example::new("vue", Some("dist"), Policy::TrustedTypes("vue"));
pub const ANGULAR: Example = Example::new("angular", Some("dist"), Policy::TrustedTypes("angular"));
pub const GRAFANA: Example = Example { view: View::Frame, ..Example::new("grafana", None, Policy::Grafana) };
pub const BACKSTAGE: Example = Example {
    label: Some(("backstage.io/kubernetes-id", "shop")),
    ..Example::new("backstage", Some("dist"), Policy::Backstage)
};

/// Those that run on a real API server as well.
pub const REAL: [Example; 2] = [PLAIN, REACT_19];
pub const ALL: [Example; 6] = [PLAIN, REACT_19, VUE, ANGULAR, BACKSTAGE, GRAFANA];
