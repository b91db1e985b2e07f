//! One conversation for each transition. The order is that of KUBERNETES' own life of a watch:
//! the first list, the watch, its ends, refusals, proofs.

mod first_list;
mod proofs;
mod refusals;
mod resume;
mod script;
mod viewers;
mod watch;
