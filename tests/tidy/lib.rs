//! The rules that no compiler holds: module walls, import circles, file headers, words that may not stand
//! in the source. It reads the tree as text, and never builds anything; it runs Node for the npm package alone.

#[cfg(test)]
mod circles;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod files;
#[cfg(test)]
mod members;
#[cfg(test)]
mod owners;
#[cfg(test)]
mod package;
pub mod requirements;
mod tree;
#[cfg(test)]
mod versions;
#[cfg(test)]
mod walls;
#[cfg(test)]
mod words;
