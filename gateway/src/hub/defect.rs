//! Deliberate mistakes of the hub, for the simulation to find; without the feature `defects` none of
//! them can be made.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    HorizonForgotten,
    NaiveReset,
    DigestIgnored,
}

#[cfg(feature = "defects")]
thread_local! {
    static DEFECT: std::cell::Cell<Option<Defect>> = const { std::cell::Cell::new(None) };
}

/// For this thread.
#[cfg(feature = "defects")]
pub fn switch(defect: Option<Defect>) {
    DEFECT.set(defect);
}

#[cfg(feature = "defects")]
pub(super) fn is_on(defect: Defect) -> bool {
    DEFECT.get() == Some(defect)
}

#[cfg(not(feature = "defects"))]
pub(super) const fn is_on(_: Defect) -> bool {
    false
}
