//! Rules for a team: when what a rule names holds, its receivers are told.
//!
//! Read in this order: [`rule`] (what a rule is), [`form`] and [`expressions`] (what it can ask of an object), [`group`] (what is told as
//! one), [`feed_rules`] (the rules of one feed: what a hub tells goes in, notifications come out; pure),
//! [`notification`] (what is told), [`worker`] (the thread that asks the rules), [`attend`] (which hubs they listen to),
//! [`delivery`] (how receivers are told), [`outbox`] (what outlives the gateway). Rules are evaluated with the gateway's own rights, and nothing is ever written to
//! a cluster.
//!
//! A rule looks at a version of an object when the hub hears it, and tells what of it still holds at the next proof: a
//! feed without a proof fires nothing and resolves nothing.

mod attend;
pub mod delivery;
mod expressions;
mod feed_rules;
mod form;
mod group;
mod notification;
pub mod outbox;
mod rule;
mod settings;
mod worker;

#[cfg(test)]
mod tests;

pub use attend::attend;
pub use expressions::{Expression, ExpressionThreads};
pub use feed_rules::{Expressions, FeedRules};
pub use form::Form;
pub use form::FormPath;
pub use notification::{FeedPlace, FieldChange, Notification, ToldObject, Turn};
pub use rule::{Grouping, Rule, Scope};
pub use settings::{ReceiverKind, ReceiverSettings, RulesSettings};
pub use worker::{Tell, Worker};

#[cfg(test)]
pub(crate) use tests::{place as place_of_test, row as row_of_test, rule as rule_of_test};
