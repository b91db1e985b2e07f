//! The hub against an oracle that is just a map: readers that follow, stall, resume and filter, under
//! random changes, lists and ticks. At every cut a reader's rows equal the oracle's.
