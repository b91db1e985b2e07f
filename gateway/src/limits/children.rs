//! Bounds of the look for the kinds that the children of a kind have.

/// The kinds that are looked at for one question, beside those that are known already.
pub const CHILD_KINDS_LOOKED_AT_MAX: usize = 64;
/// The kinds that the configuration names, which are looked at besides.
pub const CHILD_KINDS_NAMED_MAX: usize = 64;
/// The objects of a kind whose owners are read: one page.
pub const CHILD_LIST_OBJECTS: u32 = 500;
/// The lists that are asked for at once in one cluster, of all viewers.
pub const CHILD_LISTS_AT_ONCE_MAX: usize = 4;
/// After this a question is answered with what was found. 64 lists of 0.5 s take 8 s, four at a time.
pub const CHILD_LOOK_S: u64 = 10;
/// How long an answer holds: another kind of children is rare, and a feed that shows one tells of it at once.
pub const CHILD_LOOK_AGAIN_S: u64 = 300;
/// The answers that are remembered in one cluster: those of 64 namespaces, of some 200 bytes each.
pub const CHILD_LOOKS_KEPT_MAX: usize = 4_096;
/// The kinds of owners that are remembered in one cluster, by name, and the kinds of the children of each.
pub const OWNER_KINDS_MAX: usize = 512;
pub const CHILD_KINDS_OF_ONE_MAX: usize = 64;
