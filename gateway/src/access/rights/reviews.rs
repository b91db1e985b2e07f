//! Asks the API server what a viewer may see, remembers it for a while, and says when it changes: at once where the
//! cluster's roles and bindings may be watched, and otherwise when it is asked again.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use shared::name::Namespace;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::candidates::Bindings;
use super::{Grant, Question};
use crate::cluster::{Access, Cluster, Decision, RoleWatch, Subject};
use crate::limits::{
    REVIEW_AGAIN_S, REVIEW_CACHE_S, REVIEW_KEPT_S, REVIEW_SETTLE_MS, REVIEWS_AT_ONCE_MAX,
    REVIEWS_OF_A_PERSON_MAX, REVIEWS_OF_A_VIEW_MAX, REVIEWS_PER_SECOND_AT_REST, ROLES_LIST_AGAIN_S,
};
use crate::traces::{current, within};

/// Cheap to clone.
#[derive(Clone)]
pub struct Reviews {
    inner: Arc<Inner>,
    /// Ends what runs when the last clone is dropped.
    _ends: Arc<DropGuard>,
    running: CancellationToken,
}

/// What all clones share of one cluster's reviews: the decisions that are still valid, the grants that views wait for,
/// and how many reviews run at once.
struct Inner {
    cluster: Cluster,
    roles: watch::Sender<Roles>,
    decisions: Mutex<Decisions>,
    watched: Mutex<HashMap<Watched, watch::Sender<Option<Grant>>>>,
    at_once: Semaphore,
    /// What each person's views have of it, by name. One that nothing is watched for is forgotten.
    people: Mutex<HashMap<Box<str>, Weak<Person>>>,
    watches_roles: Once,
}

struct Person {
    at_once: Semaphore,
    /// The reviews that all that is watched for them needs, each time.
    needed: AtomicUsize,
}

type Watched = (Arc<Subject>, Question);

#[derive(Clone)]
struct Decided {
    at: Instant,
    decision: Decision,
}

/// What was decided of late.
#[derive(Default)]
struct Decisions {
    known: HashMap<(Arc<Subject>, Access), Decided>,
    /// Old ones are dropped when there are so many: twice what was left the last time, so that a decision costs the same
    /// however many there are.
    drop_at: usize,
}

/// What is known of the cluster's roles and bindings.
#[derive(Clone, Debug, Default)]
struct Roles {
    bindings: Arc<Bindings>,
    /// A change of them is heard of at once.
    are_watched: bool,
    /// The API server answered, with a list or a refusal.
    were_asked_for: bool,
}

/// The pauses after the review that follows a change at once: an API server may hear of a change later than we do.
const AFTER_A_CHANGE: [Duration; 2] =
    [Duration::from_millis(REVIEW_SETTLE_MS), Duration::from_millis(3 * REVIEW_SETTLE_MS)];

/// What was found out about one question.
struct Evaluated {
    grant: Grant,
    /// Every review it rests on was answered.
    is_sure: bool,
    reviews: usize,
}

impl Reviews {
    /// Nothing is asked before the first question.
    #[must_use]
    pub fn new(cluster: Cluster) -> Self {
        let inner = Inner {
            cluster,
            roles: watch::Sender::default(),
            decisions: Mutex::default(),
            watched: Mutex::default(),
            at_once: Semaphore::new(REVIEWS_AT_ONCE_MAX),
            people: Mutex::default(),
            watches_roles: Once::new(),
        };
        let running = CancellationToken::new();
        Self { inner: Arc::new(inner), _ends: Arc::new(running.clone().drop_guard()), running }
    }

    /// What is granted, now and whenever it changes; `None` until it is known.
    #[must_use]
    pub fn watch(&self, subject: &Arc<Subject>, question: Question) -> watch::Receiver<Option<Grant>> {
        self.inner.watches_roles.call_once(|| self.spawn(|inner| async move { inner.watch_roles().await }));
        let watched = (Arc::clone(subject), question);
        let mut all = lock(&self.inner.watched);
        if let Some(sender) = all.get(&watched) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(None);
        all.insert(watched.clone(), sender.clone());
        drop(all);
        self.spawn(|inner| async move { inner.keep(watched, sender).await });
        receiver
    }

    fn spawn<F: Future<Output = ()> + Send + 'static>(&self, task: impl FnOnce(Arc<Inner>) -> F) {
        let (running, task) = (self.running.clone(), task(Arc::clone(&self.inner)));
        // What is asked for a traced view belongs to its trace.
        let task = within(current(), task);
        tokio::spawn(async move { running.run_until_cancelled(task).await });
    }
}

impl Inner {
    /// Repeats the review for as long as a receiver of the grant exists.
    async fn keep(&self, watched: Watched, sender: watch::Sender<Option<Grant>>) {
        let mut roles = self.roles.subscribe();
        let mut confirmed = None;
        let mut settling = [].iter();
        let mut has_changed = false;
        let person = self.person(&watched.0);
        // Without the bindings a viewer of some namespaces would be refused at first.
        let asked = roles.wait_for(|roles| roles.were_asked_for);
        drop(timeout(Duration::from_millis(REVIEW_SETTLE_MS), asked).await);
        loop {
            let cached = if has_changed { Duration::ZERO } else { Duration::from_secs(REVIEW_CACHE_S) };
            let Evaluated { grant, is_sure, reviews } = self.evaluate(&watched, cached, &person).await;
            let needed = Needed::of(&person, reviews);
            if is_sure {
                confirmed = Some(Instant::now());
            }
            // What was granted holds on for a while where the API server can't say. It never begins so.
            let holds =
                confirmed.is_some_and(|at: Instant| at.elapsed() < Duration::from_secs(REVIEW_KEPT_S));
            if is_sure || !holds {
                sender.send_if_modified(|told| told.replace(grant.clone()) != Some(grant));
            }
            let next = settling.next().copied();
            has_changed = next.is_some();
            let pause = next.unwrap_or_else(|| {
                if is_sure { self.pause(&person) } else { Duration::from_millis(REVIEW_SETTLE_MS) }
            });
            tokio::select! {
                () = sleep(pause) => {}
                changed = roles.changed() => {
                    if changed.is_err() { return }
                    settling = AFTER_A_CHANGE.iter();
                    has_changed = true;
                }
                () = sender.closed() => {
                    let mut all = lock(&self.watched);
                    // A receiver may have subscribed since the last count.
                    if sender.receiver_count() == 0 {
                        all.remove(&watched);
                        return;
                    }
                }
            }
            drop(needed);
        }
    }

    /// `cached`: how old a decision may be when this begins.
    async fn evaluate(&self, watched: &Watched, cached: Duration, person: &Person) -> Evaluated {
        let (subject, question) = watched;
        let started = Instant::now();
        let candidates = self.candidates(subject);
        loop {
            // What the answer rests on, of all that was ever decided.
            let (is_sure, reviews) = (Cell::new(true), Cell::new(0));
            let decided = {
                let decisions = lock(&self.decisions);
                question.decide(&candidates, &|access| {
                    let decided = decisions.known.get(&(Arc::clone(subject), access.clone()))?;
                    if decided.at + cached < started {
                        return None;
                    }
                    reviews.set(reviews.get() + 1);
                    is_sure.set(is_sure.get() && !matches!(decided.decision, Decision::Unknown(_)));
                    Some(decided.decision.clone())
                })
            };
            match decided {
                Ok(grant) => return Evaluated { grant, is_sure: is_sure.get(), reviews: reviews.get() },
                Err(missing) => {
                    // A few at a time, so that a viewer of many namespaces doesn't stand before all others.
                    let reviews = stream::iter(missing);
                    reviews
                        .for_each_concurrent(REVIEWS_OF_A_VIEW_MAX, |access| {
                            self.review(subject, access, person)
                        })
                        .await;
                }
            }
        }
    }

    async fn review(&self, subject: &Arc<Subject>, access: Access, person: &Person) {
        // A person who opens many views waits in a queue of their own, so that the other people's reviews go on.
        let Ok(_of_person) = person.at_once.acquire().await else { return };
        let Ok(_permit) = self.at_once.acquire().await else { return };
        let at = Instant::now();
        let decision = self.cluster.review_access(subject, &access).await;
        lock(&self.decisions).insert((Arc::clone(subject), access), Decided { at, decision });
    }

    /// The same for all that a person's tokens watch, for as long as one of them does.
    fn person(&self, subject: &Subject) -> Arc<Person> {
        let mut people = lock(&self.people);
        if let Some(known) = people.get(&subject.user).and_then(Weak::upgrade) {
            return known;
        }
        people.retain(|_, known| known.strong_count() > 0);
        let at_once = Semaphore::new(REVIEWS_OF_A_PERSON_MAX);
        let fresh = Arc::new(Person { at_once, needed: AtomicUsize::default() });
        people.insert(subject.user.clone(), Arc::downgrade(&fresh));
        fresh
    }

    /// Those that the gateway shows.
    fn candidates(&self, subject: &Subject) -> Vec<Namespace> {
        let roles = self.roles.borrow().clone();
        let mut names = roles.bindings.namespaces_of(subject);
        names.retain(|name| self.cluster.ceiling().shows_namespace(name.as_str()));
        names
    }

    /// Until it is asked again. Where changes are heard of, all people together ask no faster than a pace.
    fn pause(&self, person: &Person) -> Duration {
        let every = Duration::from_secs(REVIEW_AGAIN_S);
        let jitter = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        let pause = if self.roles.borrow().are_watched {
            let people = lock(&self.people).values().filter(|known| known.strong_count() > 0).count();
            every.max(at_pace(person.needed.load(Ordering::Relaxed), people))
        } else {
            every
        };
        pause.mul_f64(0.9 + 0.2 * jitter)
    }

    async fn watch_roles(&self) {
        let mut watch = RoleWatch::default();
        loop {
            match watch.list(&self.cluster).await {
                Some(bindings) => {
                    let bindings = Arc::new(Bindings::of(&bindings));
                    let known = Roles { bindings, are_watched: true, were_asked_for: true };
                    self.roles.send_replace(known);
                    watch.changed(&self.cluster).await;
                }
                None => {
                    self.roles.send_if_modified(|roles| {
                        let was_asked_for = std::mem::replace(&mut roles.were_asked_for, true);
                        std::mem::take(&mut roles.are_watched) || !was_asked_for
                    });
                    sleep(Duration::from_secs(ROLES_LIST_AGAIN_S)).await;
                }
            }
        }
    }
}

impl Decisions {
    fn insert(&mut self, of: (Arc<Subject>, Access), decided: Decided) {
        if self.known.len() >= self.drop_at {
            self.known.retain(|_, decided| decided.at.elapsed() < Duration::from_secs(REVIEW_KEPT_S));
            self.drop_at = 2 * self.known.len().max(REVIEWS_AT_ONCE_MAX);
        }
        self.known.insert(of, decided);
    }
}

/// How long one of several people takes to ask for all that they need. Each has an equal part of the pace, so that a
/// person who opens many views delays their own reviews only.
fn at_pace(needed: usize, people: usize) -> Duration {
    let reviews = u32::try_from(needed.saturating_mul(people)).unwrap_or(u32::MAX);
    Duration::from_secs(1) * reviews / REVIEWS_PER_SECOND_AT_REST
}

/// Counts for as long as it lives.
struct Needed<'p> {
    person: &'p Person,
    count: usize,
}

impl<'p> Needed<'p> {
    fn of(person: &'p Person, count: usize) -> Self {
        person.needed.fetch_add(count, Ordering::Relaxed);
        Self { person, count }
    }
}

impl Drop for Needed<'_> {
    fn drop(&mut self) {
        self.person.needed.fetch_sub(self.count, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_many_views_delays_their_own_reviews_and_nobody_elses() {
        let (every, people) = (Duration::from_secs(REVIEW_AGAIN_S), 50);
        assert!(at_pace(2_000, people) > every);
        assert!(at_pace(4, people) < every);
        let together: f64 =
            [2_000, 300, 40, 8].map(|needed| needed as f64 / at_pace(needed, 4).as_secs_f64()).iter().sum();
        assert!(together <= f64::from(REVIEWS_PER_SECOND_AT_REST) + 0.001, "{together} reviews a second");
    }
}
