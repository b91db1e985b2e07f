//! What the popover of the pill shows: the way from the cluster, and from the gateway.

/// "How fresh is this?"
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProofHops {
    pub title: String,
    /// The notice line's text; empty while the view is healthy.
    pub said: String,
    pub cluster: Hop,
    pub gateway: Hop,
    pub foot: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hop {
    pub is_broken: bool,
    pub facts: Vec<(String, String)>,
}
