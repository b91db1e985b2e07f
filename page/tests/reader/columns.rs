//! Columns are chosen: by keys, by the pointer and by the link, the server's and one's own.

use page::action::{ColumnsAction, PaneAction};
use page::model::{Fold, Layout};
use page::preferences::Preferences;
use page::testing::PageRig;
use page::{Environment, Host};

const SERVED: &str = "NAMESPACE NAME READY STATUS RESTARTS AGE";

fn columns(action: ColumnsAction) -> PaneAction {
    PaneAction::Columns(action)
}

fn toggle(key: &str) -> PaneAction {
    columns(ColumnsAction::Toggle(key.to_owned()))
}

#[test]
fn columns_are_hidden_moved_and_added_and_the_link_says_so() {
    let mut page = PageRig::live("/v/pods");
    page.gateway.fields.insert((".spec.image".to_owned(), "shop/web-1".to_owned()), "web:1".to_owned());
    page.keys(&["c"]);
    assert_eq!(page.model().columns.as_ref().map(|list| list.entries.len()), Some(8));
    for (action, titles) in [
        (toggle("namespace"), "NAME READY STATUS RESTARTS AGE"),
        (toggle("name"), "NAME READY STATUS RESTARTS AGE"),
        (toggle("age"), "NAME READY STATUS RESTARTS"),
        (toggle("age"), "NAME READY STATUS RESTARTS AGE"),
        (columns(ColumnsAction::Move { key: "age".to_owned(), by: -2 }), "NAME READY AGE STATUS RESTARTS"),
        (
            columns(ColumnsAction::Place { key: "age".to_owned(), at: "name".to_owned() }),
            "AGE NAME READY STATUS RESTARTS",
        ),
        (columns(ColumnsAction::Add("IMAGE:.spec[x]".to_owned())), "AGE NAME READY STATUS RESTARTS"),
        (columns(ColumnsAction::Add("IMAGE:.spec.image".to_owned())), "AGE NAME READY STATUS RESTARTS IMAGE"),
    ] {
        page.act(action.clone());
        assert_eq!(page.titles(), titles, "{action:?}");
        let error = &page.model().columns.as_ref().expect("open").error;
        let is_bad =
            matches!(&action, PaneAction::Columns(ColumnsAction::Add(text)) if text.ends_with("[x]"));
        assert_eq!(error.contains("invalid array index x at character 7"), is_bad, "{error}");
    }
    assert!(page.rows()[2].ends_with("CrashLoopBackOff 5 web:1"), "{:?}", page.rows());
    assert_eq!(page.model().head.columns_shown, "6/9");
    assert_eq!(page.address, "/v/pods@kind/*?cols=age,name,ready,status,restarts,IMAGE:.spec.image");
    let linked = PageRig::live(&page.address);
    assert_eq!(linked.titles(), "AGE NAME READY STATUS RESTARTS IMAGE", "the same link shows the same");
    page.act(columns(ColumnsAction::Reset));
    assert_eq!((page.titles().as_str(), page.address.as_str()), (SERVED, "/v/pods@kind/*"));
    page.act(columns(ColumnsAction::Forget("image".to_owned())));
    page.act(columns(ColumnsAction::Open(false)));
    assert_eq!(page.model().columns, None);
}

#[test]
fn what_was_chosen_of_columns_is_remembered_and_a_link_wins() {
    let mut page = PageRig::live("/v/pods");
    page.act(toggle("status"));
    page.act(columns(ColumnsAction::Width { column: 1, px: Some(321.0) }));
    let kept = page.effects();
    assert_eq!(kept.iter().filter(|effect| effect.starts_with("keep Columns")).count(), 2, "{kept:?}");
    assert!(page.model().columns_css.contains("321px"), "{}", page.model().columns_css);
    let mut preferences = Preferences::default();
    preferences.keep_columns("pods", "namespace,name,age\n\nname=321");
    let environment = || Environment { preferences: preferences.clone(), ..Environment::default() };
    for (address, titles) in [
        ("/v/pods", "NAMESPACE NAME AGE"),
        ("/v/pods?cols=status,name", "STATUS NAME"),
        ("/v/services", "NAMESPACE NAME TYPE AGE"),
    ] {
        let mut page = PageRig::before(address, Host::Dogwatch, environment());
        page.start();
        assert_eq!(page.titles(), titles);
        let is_wide = page.model().columns_css.contains("321px");
        assert_eq!(is_wide, !address.contains("services"), "widths are the browser's");
    }
}

#[test]
fn wide_columns_depend_on_the_switch_and_the_room_and_are_remembered() {
    let mut page = PageRig::live("/v/pods");
    assert_eq!(page.titles(), SERVED, "the rows have neither IP nor NODE");
    page.put("pods", "shop/new-1 1/1 Running 0 10.0.0.1 node-1");
    page.seconds(3);
    assert_eq!(page.titles(), SERVED, "columns don't come and go with a value");
    page.resize(0, 1_230.0);
    assert_eq!(page.titles(), format!("{SERVED} IP NODE"));
    page.resize(0, 560.0);
    assert_eq!(page.titles(), SERVED, "nothing is cut for them");
    page.resize(0, 1_200.0);
    page.keys(&["w"]);
    assert_eq!(
        (page.titles(), page.address.as_str()),
        (format!("{SERVED} IP NODE"), "/v/pods@kind/*?wide=1")
    );
    page.keys(&["w"]);
    assert_eq!((page.titles().as_str(), page.address.as_str()), (SERVED, "/v/pods@kind/*?wide=0"));
    assert!(page.effects().iter().any(|effect| effect == "keep Wide(Narrow)"));
    page.go("/v/pods");
    assert_eq!(page.address, "/v/pods@kind/*?wide=0", "the browser remembers the switch");
    page.go("/v/pods?wide=1");
    assert_eq!(page.titles(), format!("{SERVED} IP NODE"), "a link wins");
}

#[test]
fn namespaces_stay_where_rows_of_several_could_be_confused() {
    for (address, titles) in [
        ("/v/pods@/shop", "NAME READY STATUS RESTARTS AGE"),
        ("/v/pods@/shop,ledger", SERVED),
        ("/v/nodes", "NAME STATUS AGE"),
    ] {
        let mut page = PageRig::live(address);
        for width_px in [1_200.0, 500.0, 390.0] {
            page.resize(0, width_px);
            assert_eq!(page.titles(), titles, "{address} {width_px}");
        }
    }
}

#[test]
fn in_a_narrow_view_a_row_of_any_kind_takes_two_lines() {
    for (resource, row, leads) in [
        ("pods", "shop/a 1/1 Running 0", "name"),
        ("services", "shop/a ClusterIP", "name"),
        ("events", "shop/a 9s Warning BackOff pod/a Back-off-restarting-failed-container-in-pod", "object"),
        ("widgets.example.com", "shop/a", "name"),
    ] {
        let mut page = PageRig::live(&format!("/v/{resource}"));
        page.put(resource, row);
        page.resize(0, 419.0);
        let model = page.model();
        assert_eq!(model.table.layout, Layout::Folded, "{resource}");
        let lead = model.rows.columns.iter().find(|column| column.fold == Some(Fold::Lead));
        assert_eq!(lead.map(|column| &*column.key), Some(leads));
        assert!(model.rows.columns.iter().all(|column| column.fold.is_some()), "every column has its place");
        assert!(model.rows.columns.iter().any(|column| &*column.key == "namespace"));
        let labels = model.rows.columns.iter().filter(|column| column.label.is_some()).count();
        assert!(
            labels > 0 || ["widgets.example.com", "events"].contains(&resource),
            "the others stand after their labels"
        );
        assert_eq!(model.rows.rows.last().map(|row| row.top_px % 52.0), Some(0.0));
        page.resize(0, 1_200.0);
        assert_eq!(page.model().table.layout, Layout::Flat);
    }
}

#[test]
fn a_width_follows_most_cells_and_nothing_shrinks_under_the_readers_eyes() {
    let widths = |page: &PageRig| -> Vec<f64> {
        let columns = page.model().columns_css.split_whitespace().skip(1);
        columns.map_while(|width| width.strip_suffix("px")?.parse().ok()).collect()
    };
    let mut page = PageRig::live("/v/pods");
    for number in 0..40 {
        page.put("pods", &format!("shop/web-{number:02} 1/1 Running 0"));
    }
    page.seconds(3);
    page.resize(0, 600.0);
    let before = widths(&page);
    let long = "a-namespace-of-forty-letters-and-some-more";
    page.put("pods", &format!("{long}/web-1 1/1 Running 0"));
    page.seconds(3);
    let grown = widths(&page);
    assert!(grown[0] < 200.0, "one namespace doesn't take the room: {before:?} {grown:?}");
    page.put("pods", "shop/web-01 0/1 CreateContainerConfigError 0");
    let at_once = widths(&page);
    assert!(at_once[3] >= 26.0 * 7.0 + 32.0, "a status is never cut: {at_once:?}");
    page.put("pods", "shop/web-01 1/1 Running 0");
    page.seconds(9);
    assert_eq!(widths(&page)[3], at_once[3], "it doesn't shrink with the value");
    page.resize(0, 640.0);
    assert!(widths(&page)[3] < at_once[3], "it does when the reader changes the view");
}

#[test]
fn columns_keep_their_places_while_values_change() {
    let mut page = PageRig::live("/v/pods");
    for number in 0..9 {
        page.put("pods", &format!("shop/web-{number} 1/1 Running 0 10.0.0.{number} node-1"));
    }
    page.seconds(3);
    for (width_px, titles) in [(1_300.0, format!("{SERVED} IP NODE")), (480.0, SERVED.to_owned())] {
        page.resize(0, width_px);
        page.seconds(3);
        let places = |page: &PageRig| (page.titles(), page.model().columns_css.clone());
        let before = places(&page);
        assert_eq!(before.0, titles);
        page.put("pods", "shop/web-0 0/1 Pending 12");
        page.put("pods", "shop/web-1 1/1 Running 3 10.0.0.1 node-2");
        page.seconds(5);
        assert_eq!(places(&page), before, "no value needs more room at {width_px}");
        page.act(PaneAction::Filter("nothing".to_owned()));
        page.act(PaneAction::Filter(String::new()));
        page.resize(0, width_px + 18.0);
        page.seconds(3);
        assert_eq!(page.titles(), titles, "the minimap came or went");
        page.resize(0, width_px);
        assert_eq!(places(&page), before);
    }
    page.put("pods", "shop/a-name-that-is-longer-than-those-before 1/1 Running 0");
    page.seconds(3);
    page.resize(0, 1_300.0);
    assert_eq!(page.titles(), format!("{SERVED} IP NODE"), "what stood there before stands there again");
    let mut grown = Vec::new();
    for node in ["node-of-a-longer-name", "node-of-a-longer-names"] {
        page.put("pods", &format!("shop/web-1 1/1 Running 0 10.0.0.1 {node}"));
        page.seconds(3);
        grown.push(page.model().columns_css.clone());
    }
    assert_eq!(grown[0], grown[1], "a column that grew has a little to spare");
}

#[test]
fn columns_that_are_not_there_are_named_and_the_name_stays() {
    let page = PageRig::live("/v/pods?cols=a,b");
    assert_eq!((page.titles().as_str(), page.names().as_str()), ("NAME", "db-0 cart-1 web-1"));
    assert!(page.bar().contains("cols=a (no such column), cols=b (no"), "{}", page.bar());
}

#[test]
fn on_paper_are_all_rows_up_to_a_bound() {
    let mut page = PageRig::live("/v/services");
    for number in 0..60 {
        page.put("services", &format!("shop/svc-{number:02} ClusterIP"));
    }
    page.act(PaneAction::Scrolled { top_px: 420.0 });
    page.act(PaneAction::Printing(true));
    assert_eq!((page.model().rows.rows.len(), page.model().status_bar.window.as_str()), (60, "rows 1–60"));
    page.act(PaneAction::Printing(false));
    assert!(page.model().rows.rows.len() < 60);
}
