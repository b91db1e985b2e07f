//! The bounds of rules, and of what is told of them.

/// The rules and the receivers of a configuration.
pub const RULES_MAX: usize = 200;
pub const RECEIVERS_MAX: usize = 20;
/// The bytes of a rule's or a receiver's name, and of a severity: Alertmanager has them as labels.
pub const RULE_NAME_BYTES_MAX: usize = 100;
/// The values that a rule's path may look at in one object: a path such as `..[*]` looks at all of them at each step.
pub const RULE_PATH_EFFORT: usize = 20_000;
/// The objects that one notification names; it counts all of them.
pub const RULE_OBJECTS_TOLD_MAX: usize = 20;
/// The bytes of a value before and after a change. A larger one is told by its size.
pub const RULE_VALUE_BYTES_MAX: usize = 1_024;
/// The values for which a rule has told once. When there are as many, it begins anew.
pub const RULE_VALUES_MAX: usize = 10_000;
/// How often an expression that reads the time is asked again of objects that don't change.
pub const RULE_NOW_S: i64 = 60;
/// The batches of hubs that rules have not looked at; a batch is one turn of a hub. While the queue is full, a hub's
/// objects are told anew later, and no change of a state is missed by that.
pub const RULES_QUEUE: usize = 1_024;
/// The bytes of bodies in that queue which aren't compressed. What comes beyond it is unpacked when it is looked at.
pub const RULES_JSON_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long the thread of the rules sleeps while little comes: to wake it for each change takes as long as to look at it.
pub const RULES_SLEEP_MS: u64 = 250;
/// How often it is looked whether each rule listens to its hubs.
pub const RULES_LOOK_S: u64 = 5;

/// The messages that wait for one webhook, and their bytes. A notification of 20 objects has 6 KB. When one of both is
/// reached, the oldest are lost, which is counted.
pub const NOTIFICATIONS_MAX: usize = 1_000;
pub const NOTIFICATION_BYTES_MAX: usize = 8 * 1024 * 1024;
/// A message that was not taken for so long is lost.
pub const NOTIFICATION_AGE_MS: i64 = 24 * 60 * 60 * 1_000;
/// The first pause after a failure; each later one is twice as long.
pub const NOTIFICATION_PAUSE_FIRST_MS: i64 = 1_000;
/// The longest pause: some 150 tries a day.
pub const NOTIFICATION_PAUSE_MAX_MS: i64 = 10 * 60 * 1_000;
/// How often the task of a receiver looks at its queue without news.
pub const NOTIFICATION_LOOK_MS: i64 = 60_000;

/// The alerts that one Alertmanager is told of at most. Further ones are lost, which is counted.
pub const ALERTS_MAX: usize = 5_000;
/// How often it is told what fires, as by Prometheus. What isn't repeated for four times as long ends there by itself.
pub const ALERT_REPEAT_MS: i64 = 60_000;
/// What happened once is an alert for so long.
pub const ALERT_LASTS_MS: i64 = 5 * 60 * 1_000;
/// What is over is told for so long, as by Prometheus.
pub const ALERT_OVER_MS: i64 = 15 * 60 * 1_000;
/// An alert of a kind without a proof for so long isn't repeated any more.
pub const ALERT_UNPROVEN_MS: i64 = 24 * 60 * 60 * 1_000;

/// The bytes of an expression.
pub const EXPRESSION_BYTES_MAX: usize = 2_048;
/// How deeply its macros may nest: two look at the pairs of a list, three at its triples.
pub const EXPRESSION_MACROS_MAX: usize = 2;
/// The items of an object's list that an expression may look at. It doesn't hold of an object with a longer one.
pub const EXPRESSION_LIST_MAX: usize = 10_000;
/// An expression that takes longer can't be interrupted, and its rule is switched off when that comes so often.
pub const EXPRESSION_MS: u64 = 50;
pub const EXPRESSION_TOO_LONG_MAX: u32 = 2;
/// The threads that evaluate: while one is busy with what takes too long, there is another.
pub const EXPRESSION_THREADS: usize = 2;

/// How often what is new is written where it outlives the gateway, and another gateway may take over.
pub const OUTBOX_EVERY_MS: u64 = 1_000;
/// How soon a queue is looked at again whose messages another gateway sends.
pub const OUTBOX_LOOK_MS: i64 = 500;
/// What is kept to be written while that fails: the messages of ten full queues. The oldest are then only in memory.
pub const OUTBOX_NEWS_MAX: usize = 10_000;
