//! Two threads that evaluate expressions. One that takes too long can't be interrupted, so the thread of the rules goes on
//! without its answer; a rule for which that comes twice is switched off.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use shared::duration::UnixSeconds;

use super::super::feed_rules::Expressions;
use super::super::form::Form;
use super::super::rule::Rule;
use super::cel::Expression;
use crate::limits::{EXPRESSION_MS, EXPRESSION_THREADS, EXPRESSION_TOO_LONG_MAX};
use crate::metrics::Metrics;

pub struct ExpressionThreads {
    jobs: SyncSender<Job>,
    read: HashMap<Box<str>, Arc<Expression>>,
    /// How often each rule took too long.
    too_long: HashMap<Box<str>, u32>,
    is_off: HashSet<Box<str>>,
    metrics: Metrics,
}

/// One expression to be evaluated for one object, and where the answer goes.
struct Job {
    expression: Arc<Expression>,
    object: Bytes,
    old: Option<Bytes>,
    now_s: UnixSeconds,
    has_begun: Arc<AtomicBool>,
    answer: SyncSender<(bool, Duration)>,
}

impl ExpressionThreads {
    /// # Errors
    /// There is no thread to be had.
    pub fn start(metrics: Metrics) -> std::io::Result<Self> {
        let (jobs, waiting) = sync_channel::<Job>(EXPRESSION_THREADS);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..EXPRESSION_THREADS {
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new().name("expressions".into()).spawn(move || evaluate(&waiting))?;
        }
        let (read, too_long, is_off) = (HashMap::new(), HashMap::new(), HashSet::new());
        Ok(Self { jobs, read, too_long, is_off, metrics })
    }

    fn expression(&mut self, text: &str) -> Option<Arc<Expression>> {
        if let Some(known) = self.read.get(text) {
            return Some(Arc::clone(known));
        }
        // The configuration was refused otherwise.
        let read = Arc::new(Expression::parse(text).ok()?);
        self.read.insert(text.into(), Arc::clone(&read));
        Some(read)
    }

    fn took_too_long(&mut self, rule: &Rule) {
        let count = self.too_long.entry(rule.name.clone()).or_default();
        *count += 1;
        if *count >= EXPRESSION_TOO_LONG_MAX && self.is_off.insert(rule.name.clone()) {
            self.metrics.rules_off.inc();
            tracing::error!(
                rule = %rule.name,
                "the rule is switched off, because its expression took more than {EXPRESSION_MS} ms {count} times; make \
                 it cheaper and start the gateway again"
            );
        }
    }
}

impl Expressions for ExpressionThreads {
    fn holds(&mut self, rule: &Rule, object: &[u8], old: Option<&[u8]>, now_s: UnixSeconds) -> Option<bool> {
        let Form::Expression { text, .. } = &rule.form else { return None };
        if self.is_off.contains(&rule.name) {
            return None;
        }
        let expression = self.expression(text)?;
        let (answer, answered) = sync_channel(1);
        let has_begun = Arc::<AtomicBool>::default();
        let (object, old) = (Bytes::copy_from_slice(object), old.map(Bytes::copy_from_slice));
        let begun = Arc::clone(&has_begun);
        // While both threads are busy with what took too long, nothing can be said.
        self.jobs.try_send(Job { expression, object, old, now_s, has_begun, answer }).ok()?;
        let allowed = Duration::from_millis(EXPRESSION_MS);
        match answered.recv_timeout(allowed) {
            Ok((holds, took)) if took <= allowed => Some(holds),
            Ok((holds, _)) => {
                self.took_too_long(rule);
                Some(holds)
            }
            Err(RecvTimeoutError::Timeout) if begun.load(Ordering::Relaxed) => {
                self.took_too_long(rule);
                None
            }
            Err(_) => None,
        }
    }
}

fn evaluate(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        // The rules have ended.
        let Ok(job) = job else { return };
        job.has_begun.store(true, Ordering::Relaxed);
        let begun = Instant::now();
        let holds = job.expression.holds(&job.object, job.old.as_deref(), job.now_s);
        // The thread of the rules may have gone on.
        let _ = job.answer.try_send((holds, begun.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::rule;
    use super::super::super::{Grouping, Rule};
    use super::*;

    fn of(name: &str, text: &str) -> Rule {
        let form = Form::Expression { text: text.into(), is_of_change: false, reads_now: false };
        Rule { name: name.into(), form, ..rule("created", 0, Grouping::default()) }
    }

    #[test]
    fn a_rule_that_takes_too_long_twice_is_switched_off_and_the_others_go_on() {
        let metrics = Metrics::new();
        let mut threads = ExpressionThreads::start(metrics.clone()).expect("threads");
        let slow = of("slow", "object.a.all(x, object.a.all(y, x != y || x == y))");
        let quick = of("quick", "object.a.size() == 600");
        let many: Vec<u32> = (0..600).collect();
        let object = serde_json::json!({ "a": many }).to_string();
        for _ in 0..2 {
            assert_eq!(threads.holds(&slow, object.as_bytes(), None, 0), None);
        }
        assert_eq!(metrics.rules_off.get(), 1);
        assert_eq!(threads.holds(&slow, br#"{"a":[1]}"#, None, 0), None, "it is off");
        // Both threads may still be busy with it.
        let answered = (0..).map(|_| threads.holds(&quick, object.as_bytes(), None, 0)).find(Option::is_some);
        assert_eq!(answered, Some(Some(true)));
        assert_eq!(metrics.rules_off.get(), 1);
    }
}
