//! A record that is one file.

use std::path::Path;
use std::sync::Arc;

use shared::resource::Kind;

use super::live;
use super::world::{World, key};
use crate::{About, Keeper, RecordFile, ReplayFile, Segments, Standing, Told};

fn about() -> About {
    About {
        cluster: "shop".into(),
        version: "v1.36.3".into(),
        account: "alice".into(),
        namespace: String::new().into(),
        masks: "values of config maps".into(),
    }
}

fn pods() -> Kind {
    let mut kind = Kind::new(key().resource, "Pod", true);
    kind.short = vec!["po".into()];
    kind
}

/// What the folder has beside the file.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_has_all_that_was_told_and_what_a_reader_without_a_cluster_must_know() {
    let folder = tempfile::tempdir().expect("a folder");
    // A path that is none of a URI.
    let path = folder.path().join("an incident?#1%20.dwh");
    let mut world = World::new(3);
    let store = RecordFile::create(&path, &about(), world.now_ms()).expect("a file");
    let mut keeper = Keeper::open(store, 3, world.now_ms());
    keeper.tell(&key(), Told::Named(Arc::new(pods())), world.now_ms());
    live(&mut world, &mut keeper, 400);
    // A copy that was taken while it was written is whole up to the last commit.
    let early = folder.path().join("early.dwh");
    std::fs::copy(&path, &early).expect("copied");
    world.expect(&*ReplayFile::open(&early).expect("a record").past(), 0);
    live(&mut world, &mut keeper, 100);
    keeper.end(world.now_ms());
    keeper.commit(world.now_ms());
    drop(keeper);
    assert_eq!(names(folder.path()), ["an incident?#1%20.dwh", "early.dwh"], "it is one file");
    let replayed = ReplayFile::open(&path).expect("a record");
    world.expect(&*replayed.past(), 0);
    assert_eq!(replayed.about, about());
    assert_eq!(replayed.kinds, [(key(), Some(pods()))]);
    #[cfg(unix)]
    {
        let mode =
            std::fs::metadata(&path).map(|it| std::os::unix::fs::PermissionsExt::mode(&it.permissions()));
        assert_eq!(mode.expect("a file") & 0o777, 0o600, "it is the writer's alone");
    }
    assert_eq!(names(folder.path()).len(), 2, "to read it leaves nothing beside it");
}

#[test]
fn a_segment_of_a_folder_can_be_read_as_a_file_and_knows_its_kinds() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut world = World::new(4);
    let (segments, _) = Segments::open(folder.path(), super::SMALL).expect("a folder");
    let mut keeper = Keeper::open(segments, 4, world.now_ms());
    keeper.tell(&key(), Told::Named(Arc::new(pods())), world.now_ms());
    live(&mut world, &mut keeper, 1_500);
    keeper.end(world.now_ms());
    keeper.commit(world.now_ms());
    let segments: Vec<_> = names(folder.path()).into_iter().filter(|name| name.ends_with(".dwh")).collect();
    assert!(segments.len() > 1, "{segments:?}");
    // It is copied as an administrator would, with the log beside it.
    let copied = tempfile::tempdir().expect("a folder");
    for name in names(folder.path()) {
        std::fs::copy(folder.path().join(&name), copied.path().join(&name)).expect("copied");
    }
    let last = ReplayFile::open(&copied.path().join(segments.last().expect("one"))).expect("a record");
    assert_eq!(last.kinds, [(key(), Some(pods()))], "each segment says what its kinds are");
    world.expect_now(&last.past().moment(&key(), world.now_ms()).expect("read").expect("recorded"));
}

#[test]
fn a_file_that_cannot_be_read_is_said_to_be_which_one_and_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut world = World::new(5);
    let store = RecordFile::create(&path("whole"), &about(), world.now_ms()).expect("a file");
    let mut keeper = Keeper::open(store, 5, world.now_ms());
    live(&mut world, &mut keeper, 300);
    drop(keeper);
    let again = RecordFile::create(&path("whole"), &about(), 0).err().expect("it is there");
    assert!(again.to_string().contains("is there already"), "{again}");
    let nowhere = RecordFile::create(&path("none/file"), &about(), 0).err().expect("no folder");
    assert!(nowhere.to_string().contains("can't be made"), "{nowhere}");

    let whole = std::fs::read(path("whole")).expect("read");
    let put = |name: &str, bytes: &[u8]| std::fs::write(path(name), bytes).expect("written");
    let page = 4_096;
    put("text", &b"some text that is as long as a header of a database. ".repeat(9));
    put("empty", b"");
    put("cut in a page", &whole[..whole.len() - 100]);
    put("cut", &whole[..whole.len() / page / 2 * page]);
    put("cut to its head", &whole[..page]);
    let mut torn = whole.clone();
    let middle = torn.len() / page / 2 * page;
    torn[middle..middle + page].fill(0);
    put("torn", &torn);
    let foreign = rusqlite::Connection::open(path("foreign")).expect("made");
    foreign.execute_batch("CREATE TABLE t (x)").expect("made");
    drop(foreign);
    std::fs::copy(path("whole"), path("newer")).expect("copied");
    rusqlite::Connection::open(path("newer"))
        .expect("open")
        .pragma_update(None, "user_version", 99)
        .expect("set");
    for (name, says) in [
        ("absent", "can't be read: No such file"),
        ("", "is a folder; name a file"),
        ("text", "isn't a database; `dogwatch record` writes one"),
        ("empty", "isn't a record of Dogwatch"),
        ("cut in a page", "is damaged: a part of it is missing"),
        ("cut", "is damaged: a part of it is missing"),
        ("cut to its head", "is damaged: a part of it is missing"),
        ("torn", "is damaged: a part of it is missing"),
        ("foreign", "isn't a record of Dogwatch"),
        ("newer", "is a record of version 99"),
    ] {
        let said = ReplayFile::open(&path(name)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains(says) && said.contains(name), "{name}: {said:?}");
    }
    world.expect(&*ReplayFile::open(&path("whole")).expect("a record").past(), 0);
}

#[test]
fn a_file_whose_disk_was_full_once_ends_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("full.dwh");
    let mut world = World::new(6);
    let store = RecordFile::create(&path, &about(), world.now_ms()).expect("a file");
    store.limit_to(60);
    let mut keeper = Keeper::open(store, 6, world.now_ms());
    let mut kept_ms = world.now_ms();
    while *keeper.standing() == Standing::Recording {
        kept_ms =
            keeper.past().moment(&key(), world.now_ms()).expect("read").map_or(0, |moment| moment.at_ms);
        let now_ms = world.step(&mut keeper);
        keeper.commit(now_ms);
    }
    let Standing::Stopped { why, .. } = keeper.standing() else { panic!("{:?}", keeper.standing()) };
    assert!(why.contains("full.dwh is full"), "{why}");
    for _ in 0..3 {
        world.set_clock(world.now_ms() + 60_000);
        world.step(&mut keeper);
        assert_eq!(keeper.commit(world.now_ms()), 0, "what follows would have a hole before it");
    }
    drop(keeper);
    world.expect_until(&*ReplayFile::open(&path).expect("a record").past(), kept_ms);
}
