//! What stands in place of the rows of a view that has none.

pub fn no_namespace(names: &[&str]) -> String {
    match names {
        [one] => format!("There is no namespace {one}"),
        several => format!("There are no namespaces {}", several.join(", ")),
    }
}

/// Where no namespace of a view exists.
pub fn appear_with_namespace(resource: &str, namespaces: usize) -> String {
    let are = if namespaces == 1 { "If it is created, its" } else { "If they are created, their" };
    format!("{are} {resource} will appear here.")
}

pub const ELEMENT_SIGNED_OUT: &str = "Not signed in";

pub const LINK_NO_VIEW: &str = "This link names no view";

pub fn link_no_view(path: &str) -> String {
    format!("{path} can't be read. A view's link is /v/pods@CLUSTER/NAMESPACE.")
}

pub const OTHER_VERSION: &str = "This page is of another version";

pub fn unknown_resource(resource: &str) -> String {
    format!("This cluster serves no {resource}")
}

pub fn cluster_not_served(named: &str) -> String {
    format!("This gateway doesn't serve {named}")
}

pub fn cluster_served(served: &str) -> String {
    format!("It serves {served}. The link asks for another cluster; nothing else is shown in its place.")
}

pub const NOT_SERVED_PILL: &str = "Not served";
