//! Where the page begins.
