//! One conversation for each transition, in the order of a watch's life: the first list, the watch, its ends,
//! refusals, proofs.

mod first_list;
mod proofs;
mod refusals;
mod resume;
mod script;
mod viewers;
mod watch;
