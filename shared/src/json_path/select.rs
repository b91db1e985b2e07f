//! The values that a path leads to within an object. If an object doesn't fit the path (an index into something that
//! isn't an array, a number compared with a text), `kubectl` ends with an error. Here the path selects nothing,
//! because one object must never stop the others.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Comparison, Condition, JsonPath, Right, Slice, Step};

/// How many values may still be looked at: viewers choose the paths, and some of them (`..[*]`) look at
/// everything again at each step.
#[derive(Clone, Copy, Debug)]
pub struct Effort(pub usize);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selected<'v> {
    pub values: Vec<&'v Value>,
    /// The effort ended before the path did: there may be more.
    pub is_cut: bool,
}

impl JsonPath {
    /// All that it selects, in the order of the object.
    pub fn select<'v>(&self, value: &'v Value, effort: &mut Effort) -> Selected<'v> {
        let mut walk = Walk { effort, is_cut: false };
        let mut values = vec![value];
        for step in &self.0 {
            let mut next = Vec::new();
            for value in values {
                walk.step(step, value, &mut next);
            }
            values = next;
        }
        Selected { values, is_cut: walk.is_cut }
    }

    /// The first value that it selects.
    pub fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.select(value, &mut Effort(FIRST_EFFORT)).values.first().copied()
    }
}

/// Above the size of any object: the path of a definition needs no bound.
const FIRST_EFFORT: usize = 1_000_000;

struct Walk<'e> {
    effort: &'e mut Effort,
    is_cut: bool,
}

impl Walk<'_> {
    fn may_look(&mut self) -> bool {
        match self.effort.0.checked_sub(1) {
            Some(left) => self.effort.0 = left,
            None => self.is_cut = true,
        }
        !self.is_cut
    }

    fn step<'v>(&mut self, step: &Step, value: &'v Value, found: &mut Vec<&'v Value>) {
        if !self.may_look() {
            return;
        }
        match step {
            Step::Field(name) => found.extend(value.get(&**name)),
            Step::Index(index) => {
                found.extend(value.as_array().and_then(|items| items.get(place(*index, items)?)))
            }
            Step::Slice(slice) => {
                for item in slice.of(value) {
                    self.keep(item, found);
                }
            }
            Step::All => {
                for item in children(value) {
                    self.keep(item, found);
                }
            }
            Step::Descend => self.descend(value, found),
            Step::Union(steps) => {
                for step in steps {
                    self.step(step, value, found);
                }
            }
            Step::Where(condition) => {
                for item in value.as_array().into_iter().flatten() {
                    if self.may_look() && condition.holds(item, self.effort) {
                        found.push(item);
                    }
                }
            }
        }
    }

    fn keep<'v>(&mut self, value: &'v Value, found: &mut Vec<&'v Value>) {
        if self.may_look() {
            found.push(value);
        }
    }

    /// Itself and what is below it, as far as it holds anything. JSON that was read nests at most 128 deep.
    fn descend<'v>(&mut self, value: &'v Value, found: &mut Vec<&'v Value>) {
        // A leaf is looked at too.
        let mut children = children(value).peekable();
        if !self.may_look() || children.peek().is_none() {
            return;
        }
        found.push(value);
        for child in children {
            if self.is_cut {
                return;
            }
            self.descend(child, found);
        }
    }
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    let fields = value.as_object().into_iter().flat_map(|fields| fields.values());
    items.chain(fields)
}

/// The position that an index names; a negative one counts from the end.
fn place(index: i64, items: &[Value]) -> Option<usize> {
    usize::try_from(index)
        .ok()
        .or_else(|| items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?))
}

impl Slice {
    fn of<'v>(&self, value: &'v Value) -> impl Iterator<Item = &'v Value> {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let bound = |bound: Option<i64>, default| match bound {
            Some(bound) => place(bound, items).unwrap_or_default().min(items.len()),
            None => default,
        };
        let (start, end) = (bound(self.start, 0), bound(self.end, items.len()));
        items.get(start..end).unwrap_or_default().iter().step_by(self.step)
    }
}

impl Condition {
    fn holds(&self, item: &Value, effort: &mut Effort) -> bool {
        let left = self.left.select(item, effort).values;
        let Some((comparison, operand)) = &self.compared else { return !left.is_empty() };
        let [left] = left.as_slice() else { return false };
        match operand {
            Right::Literal(right) => comparison.holds(left, right),
            Right::Path(path) => match path.select(item, effort).values.as_slice() {
                [right] => comparison.holds(left, right),
                _ => false,
            },
        }
    }
}

impl Comparison {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
            (Value::Number(left), Value::Number(right)) => {
                left.as_f64().zip(right.as_f64()).and_then(|(left, right)| left.partial_cmp(&right))
            }
            (Value::Bool(left), Value::Bool(right)) if self.is_of_equality() => Some(left.cmp(right)),
            _ => None,
        };
        // What can't be compared is neither equal nor different.
        order.is_some_and(|order| match self {
            Self::Equal => order == Ordering::Equal,
            Self::NotEqual => order != Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Greater => order == Ordering::Greater,
            Self::GreaterOrEqual => order != Ordering::Less,
        })
    }

    fn is_of_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}
