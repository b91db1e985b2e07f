//! Views of what isn't fine: rows come and go as their objects' health does.

use shared::frame::client::RowDetail;
use shared::frame::server::ServerFrame;

use super::reader::Reader;
use super::world::AILING;
use super::{following, listed};

#[test]
fn rows_come_when_they_are_not_fine_any_more_and_go_when_they_are() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    world.paint("a/1", AILING);
    world.hub.tick();
    let mut reader = following(&mut world, Reader::all().of_trouble());
    assert_eq!(reader.table.len(), 1);
    let mut all = following(&mut world, Reader::all());
    world.paint("b/1", AILING);
    world.put("a/2");
    world.paint("a/1", "green");
    world.hub.tick();
    let frames = reader.read(&mut world);
    let [ServerFrame::Rows(rows)] = frames.as_slice() else { panic!("one frame of rows, not {frames:?}") };
    assert_eq!((rows.put.len(), rows.set.len(), rows.delete.len()), (1, 0, 1), "a fine row is nobody's news");
    reader.expect_exact(&world);
    all.read(&mut world);
    all.expect_exact(&world);
    world.delete("b/1");
    world.hub.tick();
    reader.read(&mut world);
    reader.expect_exact(&world);
    assert!(reader.table.is_empty());
    world.sync_after(60_000);
    reader.read(&mut world);
}

#[test]
fn a_token_continues_a_view_of_trouble_at_another_hub_as_well() {
    let mut world = listed(&["a/1", "a/2", "b/1"]);
    world.paint("a/1", AILING);
    world.hub.tick();
    let mut reader = following(&mut world, Reader::all().of_trouble());
    reader.leave(&mut world);
    world.paint("a/2", AILING);
    world.paint("a/1", "green");
    world.restart();
    reader.open(&mut world);
    reader.read(&mut world);
    reader.expect_exact(&world);
    assert_eq!(reader.table.len(), 1);
}

#[test]
fn each_event_of_what_is_not_fine_is_told_and_of_nothing_else() {
    let mut world = listed(&["a/1", "a/2"]);
    let mut reader = following(&mut world, Reader::all().of_trouble().of_events(RowDetail::Whole));
    for colour in [AILING, "green", AILING] {
        world.paint("a/1", colour);
        world.put("a/2");
    }
    world.hub.tick();
    let frames = reader.read(&mut world);
    let told = frames.iter().filter_map(|frame| match frame {
        ServerFrame::Rows(rows) => Some((rows.put.len(), rows.delete.len() + rows.left.len())),
        _ => None,
    });
    let told: Vec<_> = told.filter(|told| *told != (0, 0)).collect();
    assert_eq!(told.iter().map(|(put, _)| put).sum::<usize>(), 2, "{told:?}");
    reader.expect_exact(&world);
}
