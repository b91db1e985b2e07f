//! One expression: what it may be, and whether it holds of an object. Pure.
//!
//! What an expression can cost is bounded by its text, by how deeply its macros nest and by the length of an object's
//! lists: two nested macros look at the pairs of one list.

use std::collections::HashMap;
use std::sync::Arc;

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, IdedExpr};
use cel::objects::{Key, Map};
use cel::{Context, Program, Value};
use jiff::Timestamp;
use shared::duration::UnixSeconds;

use crate::limits::{EXPRESSION_BYTES_MAX, EXPRESSION_LIST_MAX, EXPRESSION_MACROS_MAX};

/// An expression that was read.
pub struct Expression {
    program: Program,
    /// It reads `oldObject`, so it is true of a change and not of a state.
    pub is_of_change: bool,
    pub reads_now: bool,
}

impl Expression {
    /// # Errors
    /// It can't be read, or could cost too much; in one sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > EXPRESSION_BYTES_MAX {
            return Err(format!("it has {} bytes; it can have {EXPRESSION_BYTES_MAX}", text.len()));
        }
        let program = Program::compile(text).map_err(|error| {
            let why = error.to_string();
            format!("it can't be read: {}", why.lines().next().unwrap_or_default())
        })?;
        let nesting = nesting(&program.expression().expr);
        if nesting > EXPRESSION_MACROS_MAX {
            return Err(format!(
                "its macros (all, exists, map, filter) nest {nesting} deep; they can nest {EXPRESSION_MACROS_MAX} deep"
            ));
        }
        let references = program.references();
        let own = ["object", "oldObject", "now"];
        let unknown =
            references.variables().into_iter().find(|name| !own.contains(name) && !name.starts_with('@'));
        if let Some(unknown) = unknown.filter(|name| !is_bound(&program.expression().expr, name)) {
            return Err(format!("it names {unknown}, and what there is are {}", own.join(", ")));
        }
        let (is_of_change, reads_now) =
            (references.has_variable("oldObject"), references.has_variable("now"));
        drop(references);
        Ok(Self { program, is_of_change, reads_now })
    }

    /// Whether it is true of an object. One that ends with an error, such as for a field that isn't there, isn't.
    #[must_use]
    pub fn holds(&self, object: &[u8], old: Option<&[u8]>, now_s: UnixSeconds) -> bool {
        let mut context = Context::default();
        let read = |body: &[u8]| serde_json::from_slice(body).ok().and_then(value);
        let Some(object) = read(object) else { return false };
        context.add_variable_from_value("object", object);
        if self.is_of_change {
            let Some(old) = old.and_then(read) else { return false };
            context.add_variable_from_value("oldObject", old);
        }
        if self.reads_now {
            let Some(now) = instant(now_s) else { return false };
            context.add_variable_from_value("now", now);
        }
        matches!(self.program.execute(&context), Ok(Value::Bool(true)))
    }
}

/// CEL's own timestamp.
fn instant(now_s: UnixSeconds) -> Option<Value> {
    let text = Timestamp::from_second(now_s).ok()?.to_string();
    Program::compile(&format!("timestamp('{text}')")).ok()?.execute(&Context::default()).ok()
}

/// As Kubernetes has objects in its own expressions: whole numbers are `int`. `None`: a list is too long.
fn value(json: serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(truth),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Float(number.as_f64()?),
        },
        serde_json::Value::String(text) => Value::String(Arc::new(text)),
        serde_json::Value::Array(items) if items.len() > EXPRESSION_LIST_MAX => return None,
        serde_json::Value::Array(items) => {
            Value::List(Arc::new(items.into_iter().map(value).collect::<Option<_>>()?))
        }
        serde_json::Value::Object(fields) if fields.len() > EXPRESSION_LIST_MAX => return None,
        serde_json::Value::Object(fields) => {
            let field = |(key, field)| Some((Key::String(Arc::new(key)), value(field)?));
            let map: HashMap<Key, Value> = fields.into_iter().map(field).collect::<Option<_>>()?;
            Value::Map(Map { map: Arc::new(map) })
        }
    })
}

/// The parts of an expression. Those of a macro come with what it binds.
fn parts(expression: &Expr) -> Vec<&IdedExpr> {
    match expression {
        Expr::Call(call) => call.target.iter().map(|target| &**target).chain(&call.args).collect(),
        Expr::Comprehension(it) => {
            vec![&it.iter_range, &it.accu_init, &it.loop_cond, &it.loop_step, &it.result]
        }
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => entries(&map.entries),
        Expr::Select(select) => vec![&select.operand],
        Expr::Struct(it) => entries(&it.entries),
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
    }
}

fn entries(entries: &[IdedEntryExpr]) -> Vec<&IdedExpr> {
    let parts = entries.iter().flat_map(|entry| match &entry.expr {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    });
    parts.collect()
}

/// How deeply macros nest.
fn nesting(expression: &Expr) -> usize {
    let inner = parts(expression).into_iter().map(|part| nesting(&part.expr)).max().unwrap_or(0);
    inner + usize::from(matches!(expression, Expr::Comprehension(_)))
}

/// Whether a macro binds this name.
fn is_bound(expression: &Expr, name: &str) -> bool {
    let binds = match expression {
        Expr::Comprehension(it) => {
            it.iter_var == name || it.accu_var == name || it.iter_var2.as_deref() == Some(name)
        }
        _ => false,
    };
    binds || parts(expression).into_iter().any(|part| is_bound(&part.expr, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = r#"{"metadata":{"name":"a","creationTimestamp":"2026-11-29T12:00:00Z"},"spec":{"replicas":3},
        "status":{"phase":"Failed","share":0.5,"containers":[{"name":"x","restarts":7},{"name":"y","restarts":0}]}}"#;
    /// 2026-11-29T14:00:00Z
    const NOW_S: UnixSeconds = 1_795_960_800;

    fn holds(text: &str) -> bool {
        let old = POD.replace("\"replicas\":3", "\"replicas\":2");
        Expression::parse(text).expect(text).holds(POD.as_bytes(), Some(old.as_bytes()), NOW_S)
    }

    #[test]
    fn an_expression_reads_the_object_the_former_one_and_the_time() {
        for (text, expected) in [
            ("object.status.phase == 'Failed'", true),
            ("object.spec.replicas > 2 && object.status.share < 0.6", true),
            ("object.status.containers.exists(c, c.restarts > 5)", true),
            ("object.status.containers.all(c, c.restarts > 5)", false),
            ("object.spec.replicas != oldObject.spec.replicas", true),
            ("now - timestamp(object.metadata.creationTimestamp) > duration('1h')", true),
            ("now - timestamp(object.metadata.creationTimestamp) > duration('3h')", false),
            ("has(object.status.reason)", false),
            ("object.status.reason == 'Evicted'", false),
            ("object.spec.replicas", false),
            ("object.metadata.name.matches('^a$')", true),
        ] {
            assert_eq!(holds(text), expected, "{text}");
        }
        let reads = |text: &str| {
            let expression = Expression::parse(text).expect(text);
            (expression.is_of_change, expression.reads_now)
        };
        assert_eq!(reads("object.a == oldObject.a"), (true, false));
        assert_eq!(reads("now > timestamp(object.a)"), (false, true));
    }

    #[test]
    fn what_could_cost_too_much_or_can_not_be_read_is_refused() {
        let long = format!("object.a == '{}'", "x".repeat(EXPRESSION_BYTES_MAX));
        let deep = "object.a.all(x, object.a.all(y, object.a.all(z, x == y && y == z)))";
        for (text, says) in [
            (&*long, "it can have 2048"),
            (deep, "nest 3 deep"),
            ("object.a ==", "can't be read"),
            ("pod.status.phase == 'Failed'", "it names pod"),
        ] {
            let said = Expression::parse(text).map(drop).expect_err(text);
            assert!(said.contains(says), "{text}: {said}");
        }
        assert!(Expression::parse("object.a.all(x, object.b.all(y, x == y))").is_ok());
        let many = format!("{{\"a\":[{}1]}}", "1,".repeat(EXPRESSION_LIST_MAX));
        assert!(!Expression::parse("object.a.size() > 1").expect("read").holds(many.as_bytes(), None, 0));
    }
}
