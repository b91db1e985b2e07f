//! Expressions in CEL (<https://github.com/google/cel-spec>): [`cel`] reads and evaluates one, [`threads`] does so on two
//! threads of their own, and switches off a rule that takes too long.

mod cel;
mod threads;

pub use cel::Expression;
pub use threads::ExpressionThreads;
