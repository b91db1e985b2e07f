//! The bounds between a feed, its hub and a session that takes nothing: they hold, no other session waits,
//! and a line of the log names what was dropped.

use std::cell::Cell;
use std::time::Duration;

use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::state::{StateReport, UnixMillis, ViewState, Whom};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::feed::{FeedCommand, FeedOutput};
use crate::hub::task::{HubGauges, HubTask};
use crate::hub::{Hub, HubAction, HubRequest, SendPermit, SubscriberKey, ToSession, testing};
use crate::limits::{FEED_COMMANDS_MAX, OUTPUTS_PER_TURN, SESSION_MESSAGES_MAX, SUBSCRIPTIONS_MAX};
use crate::metrics::{ByResource, Metrics};
use crate::test_log;

fn forbidden() -> FeedOutput {
    let state = ViewState::Forbidden { to: Whom::You };
    let problem = Some(Problem::new(Reason::Forbidden, "no"));
    FeedOutput::State(StateReport { problem, ..StateReport::of(state) })
}

#[test]
fn a_session_that_takes_nothing_is_sent_no_more_than_its_channel_holds() {
    let mut hub: Hub = Hub::new("c", 7);
    let permit = SendPermit::default();
    permit.offer();
    for id in 1..=u32::try_from(SUBSCRIPTIONS_MAX).expect("few") {
        hub.subscribe(testing::open(id, (), permit.clone()));
    }
    let mut now = Duration::ZERO;
    let mut sent = 0;
    let refusals = (0..100).map(|_| forbidden());
    let live = (0..100).map(|_| FeedOutput::State(StateReport::of(ViewState::Live)));
    for output in testing::empty_list().into_iter().chain(live).chain(refusals) {
        now += Duration::from_secs(10);
        hub.handle(HubAction::Feed(output), now);
        hub.settle(now);
        sent += std::iter::from_fn(|| hub.next_message()).count();
    }
    hub.handle(HubAction::End, now);
    sent += std::iter::from_fn(|| hub.next_message()).count();
    // What the session pulls adds one delivery for each subscription.
    assert!(sent + SUBSCRIPTIONS_MAX <= SESSION_MESSAGES_MAX, "{sent} messages");
    assert!(sent >= 3 * SUBSCRIPTIONS_MAX, "news, a refusal and the end: {sent}");
}

/// A hub's task, and the other ends of all its channels.
struct Stage {
    task: HubTask,
    outputs: mpsc::Sender<FeedOutput>,
    actions: mpsc::Sender<HubAction<mpsc::Sender<ToSession>>>,
    feed: mpsc::Receiver<FeedCommand>,
    /// A second sender of the channel to the feed.
    to_feed: mpsc::Sender<FeedCommand>,
    metrics: Metrics,
}

thread_local! {
    static TURNS: Cell<usize> = const { Cell::new(0) };
}

/// The task reads its clock once a turn.
fn counting_clock() -> UnixMillis {
    TURNS.set(TURNS.get() + 1);
    0
}

impl Stage {
    fn new() -> Self {
        test_log::listen();
        let metrics = Metrics::new();
        let (outputs, outputs_out) = mpsc::channel(10 * OUTPUTS_PER_TURN);
        let (actions, actions_out) = mpsc::channel(16);
        let (to_feed, feed) = mpsc::channel(FEED_COMMANDS_MAX);
        let task = HubTask {
            hub: Hub::new("c", 7),
            outputs: outputs_out,
            actions: actions_out,
            feed: to_feed.clone(),
            clock: counting_clock,
            spread_ms: Box::new(|| 500),
            may_end: Box::new(|| true),
            weigh_columns: Box::new(|_| Vec::new()),
            currency: std::sync::Arc::default(),
            gauges: HubGauges::new(metrics.clone(), &Resource::parse("", "v1", "pods").expect("valid")),
            listeners: Default::default(),
        };
        Self { task, outputs, actions, feed, to_feed, metrics }
    }
}

fn open(key: SubscriberKey, session: &mpsc::Sender<ToSession>) -> HubAction<mpsc::Sender<ToSession>> {
    let id = u32::try_from(key).expect("few");
    HubAction::Open(Box::new(testing::open(id, session.clone(), SendPermit::default())))
}

#[tokio::test(start_paused = true)]
async fn a_hub_settles_after_128_outputs_of_its_feed() {
    const FULL_TURNS: usize = 10;
    let Stage { task, outputs, actions: _actions, .. } = Stage::new();
    for _ in 0..FULL_TURNS * OUTPUTS_PER_TURN {
        outputs.try_send(FeedOutput::State(StateReport::of(ViewState::Live))).expect("there is room");
    }
    drop(outputs);
    task.run(CancellationToken::new()).await;
    // And one in which it finds that the feed has ended.
    assert_eq!(TURNS.get(), FULL_TURNS + 1);
}

#[tokio::test(start_paused = true)]
async fn a_feed_that_takes_no_commands_delays_no_session_and_is_told_later_whether_it_has_viewers() {
    let Stage { task, outputs: _outputs, actions, mut feed, to_feed, .. } = Stage::new();
    for _ in 0..FEED_COMMANDS_MAX {
        to_feed.try_send(FeedCommand::Viewers(true)).expect("there is room");
    }
    let running = tokio::spawn(task.run(CancellationToken::new()));
    let (reader, mut messages) = mpsc::channel(4);
    actions.send(open(1, &reader)).await.expect("taken");
    assert!(matches!(messages.recv().await, Some(ToSession::News(1))));
    actions.send(HubAction::Request(HubRequest::Retry)).await.expect("taken");
    actions.send(HubAction::Request(HubRequest::Close(1))).await.expect("taken");
    actions.send(open(2, &reader)).await.expect("taken");
    assert!(matches!(messages.recv().await, Some(ToSession::News(2))));
    actions.send(HubAction::Request(HubRequest::Close(2))).await.expect("taken");
    actions.send(open(3, &reader)).await.expect("taken");
    assert!(matches!(messages.recv().await, Some(ToSession::News(3))));
    actions.send(HubAction::Request(HubRequest::Close(3))).await.expect("taken");
    let said = test_log::lines_with("takes no commands");
    assert!(matches!(said.as_slice(), [once] if once.contains("Retry")), "{said:?}");
    // The feed takes what it has; with the hub's next turn it hears the rest.
    for _ in 0..FEED_COMMANDS_MAX {
        assert_eq!(feed.recv().await, Some(FeedCommand::Viewers(true)));
    }
    assert_eq!(feed.recv().await, Some(FeedCommand::Viewers(false)));
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_subscription_whose_session_has_no_room_ends_with_a_line_in_the_log_and_the_others_go_on() {
    let Stage { task, outputs, actions, metrics, .. } = Stage::new();
    let (full, _stuck) = mpsc::channel(1);
    let (other, mut messages) = mpsc::channel(4);
    for (key, session) in [(1, &full), (2, &full), (3, &other)] {
        actions.send(open(key, session)).await.expect("taken");
    }
    let running = tokio::spawn(task.run(CancellationToken::new()));
    assert!(matches!(messages.recv().await, Some(ToSession::News(3))));
    actions.send(HubAction::Request(HubRequest::Pull(3))).await.expect("taken");
    assert!(matches!(messages.recv().await, Some(ToSession::Delivery(3, _))));
    outputs.send(FeedOutput::State(StateReport::of(ViewState::Live))).await.expect("taken");
    assert!(matches!(messages.recv().await, Some(ToSession::News(3))));
    assert_eq!(metrics.subscriptions.get(), 2);
    assert_eq!(test_log::lines_with("a session's channel is full").len(), 1);
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn the_seconds_in_which_a_feed_is_stale_are_counted() {
    let Stage { task, outputs, actions: _actions, metrics, .. } = Stage::new();
    let running = tokio::spawn(task.run(CancellationToken::new()));
    let stale = metrics.feed_stale_seconds.get_or_create(&ByResource { resource: "pods".to_owned() }).clone();
    let tell = async |state| {
        outputs.send(FeedOutput::State(StateReport::of(state))).await.expect("taken");
        tokio::task::yield_now().await;
        tokio::time::advance(Duration::from_secs(20)).await;
        tokio::task::yield_now().await;
    };
    tell(ViewState::Live).await;
    assert_eq!(stale.get(), 0.0);
    tell(ViewState::Stale { since_ms: 0 }).await;
    tell(ViewState::Live).await;
    let counted = stale.get();
    assert!((19.0..21.0).contains(&counted), "{counted} s");
    drop(outputs);
    running.await.expect("it ends well");
}
