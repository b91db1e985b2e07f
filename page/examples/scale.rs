//! Measures what a keystroke and a change cost at 100,000 rows:
//! `cargo run --release -p page --example scale`. It asserts nothing.
#![expect(clippy::expect_used, reason = "a measurement that can't be taken has nothing to say")]

use std::time::{Duration, Instant};

use page::query::complete::complete;
use page::query::{Direction, ReaderId, Sort};
use page::table_view::{TableState, TableView};
use replica::testing::{ClientRig, column, id, row, subscribed};
use shared::cell::Cell;
use shared::column::Column;
use shared::frame::server::{Patch, Rows, ServerFrame, Subscribed};
use shared::row::Row;

const ROWS: u64 = 100_000;
/// Each has 2,000 rows, which take 256 KiB.
const FRAMES: u64 = 50;
const NOW_MS: i64 = 1_763_690_000_000;

fn main() {
    let mut rig = connected();
    let rows: Vec<Row> = (0..ROWS).map(pod).collect();
    let hashing = timed(|| {
        std::hint::black_box(
            rows.iter().fold(0_u64, |sum, row| sum.wrapping_add(shared::digest::row_hash(row))),
        );
    });
    let rows_a_frame = usize::try_from(ROWS / FRAMES).expect("small");
    let frames: Vec<_> = (0..).zip(rows.chunks(rows_a_frame).map(<[Row]>::to_vec)).collect();
    let load = timed(|| {
        for (from, put) in frames {
            let to = from + 1;
            say(&mut rig, Rows { view: 7, from, to, put, more: to < FRAMES, ..Rows::default() });
        }
    });
    println!("{ROWS} rows in frames of {rows_a_frame}: {load:?}, of which hashing about {hashing:?}");
    for filter in [
        "c",
        "ca",
        "cart-77",
        "!cart shop",
        "/cart-7+$/",
        "restarts>5",
        "status!=running,pending",
        "namespace=ns-7",
        "age<2h cart",
        "",
    ] {
        let view = rig.client.view_mut(rig.key).expect("open");
        let took = timed(|| view.set_filter(ReaderId::FIRST, filter));
        println!("filter {filter:?}: {took:?}, {} rows", view.index(ReaderId::FIRST).len());
    }
    for text in ["sta", "status=", "name=cart"] {
        let took = timed(|| drop(complete(text, text.len(), (rig.view().table(), 0), true)));
        println!("what may follow {text:?}: {took:?}");
    }
    let mut position = FRAMES;
    for filter in ["", "cart"] {
        rig.client.view_mut(rig.key).expect("open").set_filter(ReaderId::FIRST, filter);
        for sort in [None, Some("restarts"), Some("age"), Some("name")] {
            let by = sort.map(|column| Sort { column: column.into(), direction: Direction::Descending });
            let view = rig.client.view_mut(rig.key).expect("open");
            let took = timed(|| view.set_sort(ReaderId::FIRST, by));
            let changes = timed(|| (0..1_000).for_each(|n| change(&mut rig, &mut position, n)));
            println!(
                "filter {filter:?}, sort {sort:?}: {took:?} to sort, 1,000 changes one by one in {changes:?}"
            );
        }
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn pod(number: u64) -> Row {
    let owner = match number % 3 {
        0 => "cart",
        1 => "checkout-api",
        _ => "web",
    };
    let name = format!("{owner}-{number:05x}");
    let small = |number: u64| i64::try_from(number).expect("small");
    let mut row =
        row(spread(number), &format!("ns-{}/{name}", number * 40 / ROWS), &[&name, "1/1", "Running"]);
    row.cells.push(Cell::Int(small(number * 7 % 13)));
    row.cells.push(Cell::Age(Some(1_763_600_000 + small(number * 31 % 50_021))));
    row
}

/// Ids are hashes, in no order.
fn spread(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn change(rig: &mut ClientRig<TableState>, position: &mut u64, number: u64) {
    let cells = [(3, Cell::Int(i64::try_from(number).expect("small")))].into();
    let set = vec![Patch { id: id(spread(number * 97 % ROWS)), cells, resource_version: None }];
    say(rig, Rows { view: 7, from: *position, to: *position + 1, set, ..Rows::default() });
    *position += 1;
}

fn say(rig: &mut ClientRig<TableState>, rows: Rows) {
    rig.frame(ServerFrame::Rows(rows), NOW_MS);
    while rig.client.poll_output().is_some() {}
}

fn connected() -> ClientRig<TableState> {
    let mut rig = ClientRig::new();
    rig.connect(NOW_MS);
    let columns = ["Name", "Ready", "Status", "Restarts", "Age"].map(|name| Column {
        kind: if name == "Restarts" { "integer".into() } else { "string".into() },
        ..column(name)
    });
    let answer = Subscribed { columns: columns.to_vec(), ..subscribed(1, "e", &["any"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), NOW_MS);
    rig
}
