//! What a recorder is told by a hub.

use shared::frame::server::Gap;
use shared::problem::Reason;
use shared::state::ViewState;

use super::world::World;
use crate::hub::{Bounds, Heard};

/// The gaps that were heard since the last time.
fn gaps(world: &mut World) -> Vec<Gap> {
    let missed = |heard| match heard {
        Heard::Missed(gap) => Some(gap),
        _ => None,
    };
    world.hub.take_heard().into_iter().filter_map(missed).collect()
}

#[test]
fn what_one_list_says_otherwise_than_the_one_before_lay_in_a_time_that_is_missing() {
    let mut world = World::new(Bounds::default());
    world.hub = world.hub.recorded();
    world.hub.set_clock(7, 0);
    world.change_unseen("a/1");
    world.relist();
    world.say_state(ViewState::Live);
    assert_eq!(gaps(&mut world), [], "there was nothing before");
    // The kind is polled, and its viewers miss nothing that they expect.
    world.hub.set_clock(9, 0);
    world.relist();
    assert_eq!(gaps(&mut world), [], "nothing differs");
    world.change_unseen("a/1");
    world.relist();
    assert_eq!(gaps(&mut world), [Gap { from_ms: 5, to_ms: 9, reason: Reason::Unproven }]);
    // The feed says by itself that it missed something.
    let gap = Gap { from_ms: 6, to_ms: 9, reason: Reason::Expired };
    world.change_unseen("a/1");
    world.relist_after(gap.clone());
    assert_eq!(gaps(&mut world), [gap]);
}
