//! The forms in which objects are written.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    Object,
    Metadata,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    Whole,
    Table(Include),
    Partial,
    /// Only of a watch, which can't print an event as a list: the stream ends at its first one.
    PartialList,
}
