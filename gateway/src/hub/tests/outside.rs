//! A hub's objects outside of a viewer's scope: the viewer may have no right to them, so no frame names one or shows
//! that there is one.

use std::sync::Arc;

use shared::frame::server::{Rows, ServerFrame};
use shared::problem::{Problem, Reason};
use shared::row::RowId;
use shared::state::ViewState;

use super::reader::{Reader, decoded};
use super::world::World;
use super::{following, listed};
use crate::feed::{Change, LeftOut};
use crate::hub::{Bounds, Open};

/// The ids in the rows that a viewer of namespace `a` gets who says that it stands at this position.
fn ids_from(world: &mut World, reader: &Reader, sequence: u64) -> Vec<RowId> {
    let mut request = reader.request().clone();
    let token = reader.table.token().expect("it came to a cut").clone();
    request.token = Some(shared::token::Token { sequence: sequence.to_string().into(), ..token });
    let open = Open { request: Arc::new(request.clone()), ..Open::alone(world.fresh_view(), request) };
    let key = open.key;
    world.hub.subscribe(open);
    let delivery = world.hub.pull(key).expect("known");
    let rows = delivery.messages.iter().filter_map(|message| match decoded(message) {
        ServerFrame::Rows(rows) => Some(rows),
        _ => None,
    });
    let ids = |rows: Rows| {
        let put = rows.put.into_iter().map(|row| row.id);
        let set = rows.set.into_iter().map(|patch| patch.id);
        put.chain(set).chain(rows.delete).chain(rows.masked).collect::<Vec<_>>()
    };
    rows.flat_map(ids).collect()
}

/// R-AUTHZ-3
#[test]
fn r_authz_3_no_position_that_a_viewer_claims_shows_it_rows_of_another_namespace() {
    let mut world = listed(&["a/1", "a/2", "b/1", "b/2", "b/3"]);
    let reader = following(&mut world, Reader::of_namespace("a"));
    world.put("a/1");
    world.delete("a/2");
    world.put("b/1");
    world.delete("b/2");
    world.put("b/new");
    world.hub.tick();
    let own = ["a/1", "a/2"].map(World::id);
    let position = reader.table.position().expect("it has one");
    for claimed in 0..=position {
        let heard = ids_from(&mut world, &reader, claimed);
        assert!(heard.iter().all(|id| own.contains(id)), "from {claimed}: {heard:?}");
        // A subscriber that claims no position isn't told what was deleted.
        assert_eq!(heard.len(), if claimed == 0 { 1 } else { 2 }, "from {claimed}");
    }
}

/// R-AUTHZ-3
#[test]
fn r_authz_3_a_viewer_of_one_namespace_is_told_no_count_of_the_others_while_the_first_list_comes() {
    let mut world = World::new(Bounds::default());
    world.say_state(ViewState::Syncing { n: 2, of: Some(9_500) });
    let (mut one, mut all) = (Reader::of_namespace("a"), Reader::all());
    one.open(&mut world);
    all.open(&mut world);
    world.put("a/1");
    world.put("b/1");
    world.hub.tick();
    let said = |reader: &mut Reader, world: &mut World| {
        let states = reader.read(world).into_iter().filter_map(|frame| match frame {
            ServerFrame::Subscribed(answer) => Some(answer.state.state),
            ServerFrame::State(state) => Some(state.report.state),
            _ => None,
        });
        states.collect::<Vec<_>>()
    };
    let of_all = |n| ViewState::Syncing { n, of: Some(9_500) };
    assert_eq!(said(&mut all, &mut world), [of_all(2)]);
    assert_eq!(said(&mut one, &mut world), [ViewState::Syncing { n: 1, of: None }]);
    world.say_state(of_all(500));
    assert_eq!(said(&mut all, &mut world), [of_all(500)]);
    assert_eq!(said(&mut one, &mut world), [ViewState::Syncing { n: 1, of: None }]);
}

/// R-AUTHZ-3
#[test]
fn r_authz_3_no_position_tells_how_many_objects_there_are_elsewhere() {
    let mut world = World::counting_from(1_000_000, &["a/1", "b/1", "b/2"]);
    let mut reader = Reader::of_namespace("a");
    for (round, change) in ["a/1", "b/1", "a/2"].into_iter().enumerate() {
        world.put(change);
        world.hub.tick();
        if round == 0 {
            reader.open(&mut world);
        }
        reader.read(&mut world);
        reader.expect_exact(&world);
        assert!(reader.table.position().is_some_and(|position| position > 1_000_000));
    }
    world.restore(50, &["a/1", "b/3"]);
    world.hub.tick();
    reader.read(&mut world);
    reader.expect_exact(&world);
    assert!(reader.table.position().is_some_and(|position| position > 1_000_000), "in another epoch as well");
    let mut empty = World::counting_from(1_000_000, &[]);
    let mut reader = following(&mut empty, Reader::of_namespace("a"));
    reader.read(&mut empty);
    reader.expect_exact(&empty);
}

#[test]
fn a_token_of_one_namespace_is_not_continued_where_the_viewer_may_see_all_by_now() {
    let mut world = listed(&["a/1", "b/1"]);
    let mut reader = following(&mut world, Reader::of_namespace("a"));
    reader.leave(&mut world);
    world.put("a/1");
    world.hub.tick();
    reader.ask_for_all();
    reader.open(&mut world);
    reader.read(&mut world);
    reader.expect_exact(&world);
}

/// R-AUTHZ-3
#[test]
fn r_authz_3_an_object_that_is_left_out_is_named_to_viewers_of_its_namespace_alone() {
    let mut world = listed(&["a/1", "b/1"]);
    let mut readers =
        [Reader::of_namespace("a"), Reader::of_namespace("b"), Reader::all()].map(|mut reader| {
            reader.open(&mut world);
            reader.read(&mut world);
            reader
        });
    let problem = Problem::new(Reason::TooLarge, "b/large is larger than 16 MiB and is left out");
    world.say(Change::LeftOut(LeftOut { object: "b/large".into(), problem }));
    let late = [Reader::of_namespace("a"), Reader::of_namespace("b"), Reader::all()];
    let names_it = |reader: &mut Reader, world: &mut World| {
        reader.read(world).iter().any(|frame| format!("{frame:?}").contains("b/large"))
    };
    let told = readers.each_mut().map(|reader| names_it(reader, &mut world));
    assert_eq!(told, [false, true, true]);
    let told = late.map(|mut reader| {
        reader.open(&mut world);
        names_it(&mut reader, &mut world)
    });
    assert_eq!(told, [false, true, true]);
}
