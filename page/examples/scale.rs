//! Measures what a keystroke and a change cost at 100,000 rows:
//! `cargo run --release -p page --example scale`. For people to read; it asserts nothing.
#![expect(clippy::expect_used, reason = "a measurement that can't be taken has nothing to say")]

use std::time::{Duration, Instant};

use page::query::complete::complete;
use page::query::{Direction, ReaderId, Sort};
use page::table_view::{Client, TableView, View};
use replica::client::{Input, ViewKey};
use replica::now::Now;
use shared::cell::Cell;
use shared::column::Column;
use shared::frame::server::{Cluster, Patch, Rows, ServerFrame, Subscribed, Welcome};
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::row::{Row, RowId};
use shared::scope::{Namespaces, Scope};
use shared::state::{StateReport, ViewState};

const ROWS: u64 = 100_000;
/// What 256 KiB of such rows come to.
const ROWS_A_FRAME: u64 = 2_000;
const MOMENT: Now = Now { now_ms: 1_763_690_000_000, chance: 0.5 };

fn main() {
    let mut client = Client::new("scale", None);
    let key = connect(&mut client);
    let rows: Vec<Row> = (0..ROWS).map(row).collect();
    let hashing = timed(|| {
        std::hint::black_box(
            rows.iter().fold(0_u64, |sum, row| sum.wrapping_add(shared::digest::row_hash(row))),
        );
    });
    let mut position = 0;
    let mut frames = Vec::new();
    for put in rows.chunks(usize::try_from(ROWS_A_FRAME).expect("small")) {
        let to = position + ROWS_A_FRAME;
        let put = put.to_vec();
        frames.push(Rows { view: 1, from: position, to, put, more: to < ROWS, ..Rows::default() });
        position = to;
    }
    let load = timed(|| frames.into_iter().for_each(|frame| say(&mut client, ServerFrame::Rows(frame))));
    println!("{ROWS} rows in frames of {ROWS_A_FRAME}: {load:?}, of which hashing about {hashing:?}");
    let view = |client: &mut Client, change: &dyn Fn(&mut View)| {
        timed(|| change(client.view_mut(key).expect("open")))
    };
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
        let took = view(&mut client, &|view| view.set_filter(ReaderId::FIRST, filter));
        let shown = client.view(key).expect("open").index(ReaderId::FIRST).len();
        println!("filter {filter:?}: {took:?}, {shown} rows");
    }
    for text in ["sta", "status=", "name=cart"] {
        let view = client.view(key).expect("open");
        let took = timed(|| drop(complete(text, text.len(), view.table(), true)));
        println!("what may follow {text:?}: {took:?}");
    }
    for filter in ["", "cart"] {
        client.view_mut(key).expect("open").set_filter(ReaderId::FIRST, filter);
        for sort in [None, Some("restarts"), Some("age"), Some("name")] {
            let by = sort.map(|column| Sort { column: column.into(), direction: Direction::Descending });
            let took = view(&mut client, &|view| view.set_sort(ReaderId::FIRST, by.clone()));
            let changes = timed(|| (0..1_000).for_each(|n| change(&mut client, &mut position, n)));
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

fn row(number: u64) -> Row {
    let name = format!(
        "{}-{:05x}",
        ["cart", "checkout-api", "web"]
            .into_iter()
            .cycle()
            .nth(usize::try_from(number % 3).expect("small"))
            .expect("a name"),
        number
    );
    Row {
        id: RowId::from_hash(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        resource_version: number.to_string().as_str().into(),
        namespace: Some(format!("ns-{}", number * 40 / ROWS).into()),
        cells: vec![
            Cell::text(&name),
            Cell::text("1/1"),
            Cell::text("Running"),
            Cell::Int(i64::try_from(number * 7 % 13).expect("small")),
            Cell::Age(Some(1_763_600_000 + i64::try_from(number * 31 % 50_021).expect("small"))),
        ],
        name: name.into(),
        created: None,
        extra: None,
    }
}

fn change(client: &mut Client, position: &mut u64, number: u64) {
    let id = RowId::from_hash((number * 97 % ROWS).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let cells = [(3, Cell::Int(i64::try_from(number).expect("small")))].into();
    let set = vec![Patch { id, cells, resource_version: None }];
    let frame = Rows { view: 1, from: *position, to: *position + 1, set, ..Rows::default() };
    *position += 1;
    say(client, ServerFrame::Rows(frame));
}

fn say(client: &mut Client, frame: ServerFrame) {
    client.handle(Input::Frame { frame: Box::new(frame), bytes: 1 }, MOMENT);
    while client.poll_output().is_some() {}
}

fn connect(client: &mut Client) -> ViewKey {
    let scope = Scope {
        cluster: None,
        resource: Resource::parse("", "v1", "pods").expect("a resource"),
        namespaces: Namespaces::All,
        name: None,
        labels: None,
        fields: None,
    };
    let key = client.open(scope.clone(), MOMENT);
    client.handle(Input::Start, MOMENT);
    client.handle(Input::Opened, MOMENT);
    let welcome = Welcome {
        version: shared::frame::VERSION.into(),
        gateway: "".into(),
        cluster: Cluster {
            name: ClusterName::parse("c").expect("a name"),
            id: "c".into(),
            version: "".into(),
        },
        user: "".into(),
        namespaces: vec![],
        pinned: Vec::new(),
        boards: Vec::new(),
        credit_bytes: 0,
        now_ms: MOMENT.now_ms,
    };
    say(client, ServerFrame::Welcome(Box::new(welcome)));
    let column = |name: &str, kind: &str| Column {
        name: name.into(),
        kind: kind.into(),
        format: "".into(),
        description: "".into(),
        priority: 0,
        path: "".into(),
    };
    let answer = Subscribed {
        id: 1,
        view: 1,
        scope,
        projection: Default::default(),
        at: None,
        cluster: "c".into(),
        columns_hash: "h".into(),
        epoch: "e".into(),
        columns: vec![
            column("Name", "string"),
            column("Ready", "string"),
            column("Status", "string"),
            column("Restarts", "integer"),
            column("Age", "string"),
        ],
        state: StateReport::of(ViewState::Live),
    };
    say(client, ServerFrame::Subscribed(Box::new(answer)));
    key
}
