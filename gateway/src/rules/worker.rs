//! The thread that asks the rules: hubs bring it what they heard, and it hands on what is to be told.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use super::feed_rules::{Expressions, FeedRules};
use super::notification::{FeedPlace, Notification};
use super::outbox::Firing;
use super::rule::Rule;
use crate::feed::FeedKey;
use crate::hub::{Heard, Listen};
use crate::limits::{RULES_JSON_BYTES_MAX, RULES_QUEUE, RULES_SLEEP_MS};
use crate::metrics::Metrics;

/// What the thread hands on.
pub trait Tell: Send {
    fn tell(&mut self, told: &Arc<Notification>);
    /// A proof of this feed was heard.
    fn proven(&mut self, key: &FeedKey);
}

/// The thread, and what waits for it.
pub struct Worker {
    waiting: Arc<Mutex<Waiting>>,
    sleeper: Thread,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Waiting {
    brought: VecDeque<Brought>,
    /// The bytes of bodies that aren't compressed.
    json_bytes: usize,
}

enum Brought {
    /// A feed begins with these rules; one that is known goes on. `forgets`: what is shown of it is another by now.
    Begins {
        key: FeedKey,
        rules: Vec<Arc<Rule>>,
        forgets: bool,
    },
    /// A feed that is known has other rules from now on; without any it is over.
    Rules {
        key: FeedKey,
        rules: Vec<Arc<Rule>>,
    },
    Heard {
        key: FeedKey,
        heard: Vec<Heard>,
    },
    End,
}

/// Listens to one hub for the rules.
struct Listener {
    waiting: Arc<Mutex<Waiting>>,
    sleeper: Thread,
    key: FeedKey,
    state: Arc<Listening>,
}

/// How the listener of a feed is.
#[derive(Default)]
pub struct Listening {
    pub is_on: AtomicBool,
    /// No rule is left that needs it.
    pub is_over: AtomicBool,
}

impl Worker {
    /// # Errors
    /// There is no thread to be had.
    pub fn start(
        expressions: Box<dyn Expressions + Send>,
        tell: Box<dyn Tell>,
        remembered: Vec<Firing>,
        metrics: Metrics,
    ) -> std::io::Result<Self> {
        let waiting = Arc::<Mutex<Waiting>>::default();
        let brought = Arc::clone(&waiting);
        let thread = std::thread::Builder::new().name("rules".into());
        let thread = thread.spawn(move || {
            Asking { feeds: HashMap::new(), expressions, tell, remembered, metrics }.run(&brought);
        })?;
        let sleeper = thread.thread().clone();
        Ok(Self { waiting, sleeper, thread: Mutex::new(Some(thread)) })
    }

    /// A listener for the hub of a feed, with the rules of that feed. Its state is off again when it has ended.
    pub fn listener(
        &self,
        key: &FeedKey,
        rules: Vec<Arc<Rule>>,
        forgets: bool,
        state: Arc<Listening>,
    ) -> Box<dyn Listen> {
        lock(&self.waiting).brought.push_back(Brought::Begins { key: key.clone(), rules, forgets });
        state.is_on.store(true, Ordering::Relaxed);
        let (waiting, sleeper) = (Arc::clone(&self.waiting), self.sleeper.clone());
        Box::new(Listener { waiting, sleeper, key: key.clone(), state })
    }

    /// A feed has other rules from now on; without any it is over.
    pub fn replace(&self, key: &FeedKey, rules: Vec<Arc<Rule>>) {
        lock(&self.waiting).brought.push_back(Brought::Rules { key: key.clone(), rules });
    }

    /// What was brought is looked at, and the thread has ended.
    pub fn end(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        lock(&self.waiting).brought.push_back(Brought::End);
        self.sleeper.unpark();
        if thread.join().is_err() {
            tracing::error!("the thread of the rules panicked; what came after that was told to no receiver");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        lock(&self.waiting).brought.push_back(Brought::End);
        self.sleeper.unpark();
    }
}

impl Listen for Listener {
    fn hear(&mut self, mut heard: Vec<Heard>) -> bool {
        let mut waiting = lock(&self.waiting);
        if waiting.brought.len() >= RULES_QUEUE {
            return false;
        }
        if waiting.json_bytes + json_bytes(&heard) > RULES_JSON_BYTES_MAX {
            for version in heard.iter_mut().filter_map(version) {
                version.drop_json();
            }
        }
        waiting.json_bytes += json_bytes(&heard);
        let is_urgent =
            waiting.json_bytes > RULES_JSON_BYTES_MAX / 2 || waiting.brought.len() >= RULES_QUEUE / 2;
        waiting.brought.push_back(Brought::Heard { key: self.key.clone(), heard });
        drop(waiting);
        if is_urgent {
            self.sleeper.unpark();
        }
        true
    }

    fn is_over(&self) -> bool {
        self.state.is_over.load(Ordering::Relaxed)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.state.is_on.store(false, Ordering::Relaxed);
    }
}

/// What the thread has.
struct Asking {
    feeds: HashMap<FeedKey, FeedRules>,
    expressions: Box<dyn Expressions + Send>,
    tell: Box<dyn Tell>,
    /// What fired before this gateway began.
    remembered: Vec<Firing>,
    metrics: Metrics,
}

impl Asking {
    fn run(mut self, waiting: &Mutex<Waiting>) {
        loop {
            std::thread::park_timeout(Duration::from_millis(RULES_SLEEP_MS));
            while let Some(brought) = next(waiting) {
                match brought {
                    Brought::End => return,
                    Brought::Begins { key, rules, forgets } => self.begin(key, rules, forgets),
                    Brought::Rules { key, rules } => self.replace(key, rules),
                    Brought::Heard { key, heard } => self.hear(&key, heard),
                }
            }
        }
    }

    fn begin(&mut self, key: FeedKey, rules: Vec<Arc<Rule>>, forgets: bool) {
        let of = self.feeds.entry(key);
        let remembered = &self.remembered;
        let feed = of.or_insert_with_key(|key| {
            let mut feed = FeedRules::new(FeedPlace::from(key), rules);
            feed.remember(remembered);
            feed
        });
        if forgets {
            feed.forget_changes();
        }
    }

    fn replace(&mut self, key: FeedKey, rules: Vec<Arc<Rule>>) {
        let is_over = rules.is_empty();
        let Some(feed) = self.feeds.get_mut(&key) else { return };
        for told in feed.take_over(rules, &mut *self.expressions) {
            self.tell.tell(&Arc::new(told));
        }
        if is_over {
            self.feeds.remove(&key);
            self.count();
        }
    }

    fn hear(&mut self, key: &FeedKey, heard: Vec<Heard>) {
        let Some(feed) = self.feeds.get_mut(key) else { return };
        let mut is_proven = false;
        for heard in heard {
            is_proven |= matches!(heard, Heard::Proof(..));
            for told in feed.hear(heard, &mut *self.expressions) {
                self.tell.tell(&Arc::new(told));
            }
        }
        if is_proven {
            self.tell.proven(key);
            self.count();
        }
    }

    fn count(&self) {
        let firing: usize = self.feeds.values().map(FeedRules::firing_count).sum();
        let proven = self.feeds.values().filter(|feed| feed.is_proven()).count();
        self.metrics.rules_feeds.set(i64::try_from(proven).unwrap_or(i64::MAX));
        self.metrics.rules_firing.set(i64::try_from(firing).unwrap_or(i64::MAX));
    }
}

fn next(waiting: &Mutex<Waiting>) -> Option<Brought> {
    let mut waiting = lock(waiting);
    let brought = waiting.brought.pop_front()?;
    if let Brought::Heard { heard, .. } = &brought {
        waiting.json_bytes = waiting.json_bytes.saturating_sub(json_bytes(heard));
    }
    Some(brought)
}

fn version(heard: &mut Heard) -> Option<&mut crate::hub::HeardVersion> {
    match heard {
        Heard::Version(version) => Some(version),
        _ => None,
    }
}

fn json_bytes(heard: &[Heard]) -> usize {
    let bytes = |heard: &Heard| match heard {
        Heard::Version(version) => version.json_bytes(),
        _ => 0,
    };
    heard.iter().map(bytes).sum()
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
