//! How much one hub takes at once.

use playground::{Options, Playground};
use shared::name::ClusterName;
use shared::resource::Resource;

use super::*;
use crate::cluster::testing::connect;
use crate::hub::testing;

#[tokio::test]
async fn a_hub_that_is_asked_too_much_at_once_refuses_with_limit_and_goes_on() {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let registry = Registry::new(
        connect(&playground).await,
        FeedOptions::default(),
        FeedBounds::default(),
        Metrics::new(),
        || 500,
    );
    let viewer = Identity::new("alice").expect("a name");
    let cluster = ClusterName::parse("demo").expect("a name");
    let key = FeedKey::of(cluster, Resource::parse("", "v1", "pods").expect("a resource"));
    let (session, mut messages) = mpsc::channel(2 * HUB_COMMANDS_MAX);
    let open = |id| {
        let request = Arc::new(testing::request(id));
        registry.open(&viewer, key.clone(), request, false, session.clone(), SendPermit::default())
    };
    // The hub's task had no turn yet.
    for id in 0..u32::try_from(HUB_COMMANDS_MAX).expect("few") {
        assert!(open(id).is_ok(), "{id}");
    }
    assert_eq!(open(0).err().expect("one too many").reason, Reason::Limit);
    // It takes its turn, and there is room again.
    assert!(matches!(messages.recv().await, Some(ToSession::News(_))));
    assert!(open(0).is_ok());
    registry.shutdown().await;
}
