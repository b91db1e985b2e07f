//! The rules that no compiler holds: module walls, import circles, file headers, words that may not stand
//! in the source. It reads the tree as text, and never builds or runs anything.
#![cfg(test)]

mod circles;
mod documents;
mod files;
mod tree;
mod walls;
mod words;
