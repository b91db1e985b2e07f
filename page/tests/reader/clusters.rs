//! Several clusters in one view, one of them out of reach, and the picker that chooses them.

use page::action::{Action, PaletteAction, PaneAction, PanelAction, PickerAction};
use page::export::Format;
use page::model::ClusterOption;
use page::testing::{PageRig, notice_of};
use page::{Environment, Host};
use serde_json::json;
use shared::problem::{Problem, Reason};

fn rig(address: &str, clusters: &[&str]) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(clusters);
    page.start();
    page.seconds(1);
    page
}

fn stale(page: &PageRig) -> Vec<bool> {
    page.model().rows.rows.iter().map(|row| row.is_stale).collect()
}

fn options(page: &PageRig) -> Vec<ClusterOption> {
    page.page.model().clusters.picker.as_ref().expect("the picker").options.clone()
}

fn options_text(page: &PageRig) -> Vec<String> {
    let text = |option: &ClusterOption| {
        let pill =
            option.pill.as_ref().map(|pill| format!("{}{}", pill.word, pill.detail)).unwrap_or_default();
        let is_chosen = if option.is_chosen { "x" } else { "-" };
        format!("{is_chosen} {} {pill} {}", option.text, option.rows).trim().to_owned()
    };
    options(page).iter().map(text).collect()
}

fn choose(page: &mut PageRig, name: &str) {
    let at = options(page).iter().position(|option| option.text == name).expect("an option");
    page.act(Action::Clusters(PickerAction::Choose(Some(at))));
}

#[test]
fn the_first_page_of_several_clusters_begins_with_what_is_wrong() {
    assert_eq!(rig("/", &["eu", "us"]).address, "/v/pods@eu/*?sort=trouble");
    assert_eq!(rig("/v/@*/*", &["eu", "us"]).address, "/v/pods@*/*?sort=trouble");
}

#[test]
fn rows_of_several_clusters_stand_in_one_table_each_with_its_cluster() {
    let mut page = rig("/v/pods@us,eu/shop", &["eu", "us", "lab"]);
    assert_eq!(page.address, "/v/pods@eu,us/shop", "in the gateway's order");
    assert_eq!(page.gateway.subscriptions(), ["pods@eu in shop", "pods@us in shop"]);
    assert!(page.titles().starts_with("CLUSTER NAME"), "{}", page.titles());
    let clusters: Vec<String> =
        page.rows().iter().map(|row| row.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(clusters, ["eu", "eu", "us", "us"]);
    assert_eq!(page.page.model().cluster, "2 clusters");
    assert!(page.model().status_bar.rows.contains("of 2 clusters"), "{}", page.model().status_bar.rows);
    page.act(PaneAction::Filter("cluster=us web".to_owned()));
    assert_eq!(page.rows().len(), 1);
    page.act(PaneAction::Filter("eu".to_owned()));
    assert_eq!(page.rows().len(), 2, "a word is looked for in the cells that are shown");
    page.act(PaneAction::Filter(String::new()));
    page.act(PaneAction::Sort(1));
    assert_eq!(page.names(), "cart-1 cart-1 web-1 web-1");
    page.put("pods", "shop/web-1 1/1 Running 6");
    assert_eq!(page.rows().iter().filter(|row| row.contains("Running 6")).count(), 2);
}

#[test]
fn one_dead_cluster_dims_its_rows_and_the_others_stay_live() {
    let mut page = rig("/v/pods@*/shop", &["eu", "us", "lab"]);
    assert_eq!((page.address.as_str(), page.rows().len()), ("/v/pods@*/shop", 6));
    let lost = page.gateway.lose("us", page.now_ms);
    page.receive(lost);
    page.seconds(20);
    assert_eq!(page.pill(), "1 of 3 stale · us since 10:00:01");
    assert_eq!(
        page.notice(),
        "us is stale since 10:00:01. The gateway's watch on pods broke: connection refused. Rows as of 10:00:01. \
         eu and lab are live."
    );
    assert_eq!(page.page.model().health.text, "2 live, 1 stale");
    assert!(!page.model().is_stale, "each row says it of itself");
    // eu, lab, us
    assert_eq!(stale(&page), [false, false, false, false, true, true]);
    page.put("pods", "shop/web-1 1/1 Running 9");
    assert!(page.rows()[1].contains("Running 9"));
    let found = page.gateway.find("us", page.now_ms);
    page.receive(found);
    page.seconds(1);
    assert!(page.pill().starts_with("Live"), "{}", page.pill());
    assert!(!stale(&page).contains(&true));
}

#[test]
fn an_object_that_one_cluster_cannot_show_is_named_with_its_cluster() {
    let mut page = rig("/v/pods@*/shop", &["eu", "us", "lab"]);
    let problem = Problem::new(Reason::TooLarge, "left out: shop/catalog: it is over 16 MiB");
    let left_out = page.gateway.leave_out("us", problem);
    page.receive(left_out);
    page.seconds(1);
    assert_eq!(page.notice(), "Not everything is shown. In us left out: shop/catalog: it is over 16 MiB.");
}

#[test]
fn a_view_of_all_clusters_follows_those_that_come_and_go() {
    let mut page = rig("/v/pods@*/shop", &["eu"]);
    assert!(page.titles().starts_with("NAME"), "of one there is no column: {}", page.titles());
    let come = page.gateway.clusters_change(&["eu", "us"], page.now_ms);
    page.receive(come);
    page.seconds(1);
    assert_eq!((page.rows().len(), page.page.model().cluster.as_str()), (4, "2 clusters"));
    page.gateway.take_asked();
    let more = page.gateway.clusters_change(&["eu", "us", "lab"], page.now_ms);
    page.receive(more);
    page.seconds(1);
    assert_eq!(page.rows().len(), 6);
    assert_eq!(page.gateway.take_asked(), ["pods@lab in shop"], "the others stay");
    let fewer = page.gateway.clusters_change(&["eu", "lab"], page.now_ms);
    page.receive(fewer);
    page.seconds(1);
    assert_eq!((page.rows().len(), page.address.as_str()), (4, "/v/pods@*/shop"));
}

#[test]
fn rows_that_come_with_their_cluster_are_not_marked_as_new() {
    let mut page = rig("/v/pods@*/shop", &["eu", "us"]);
    let more = page.gateway.clusters_change(&["eu", "us", "lab"], page.now_ms);
    page.receive(more);
    page.seconds(1);
    assert_eq!(page.rows().len(), 6);
    let signs = |page: &PageRig| page.model().rows.rows.iter().filter(|row| row.sign.is_some()).count();
    assert_eq!((signs(&page), page.model().status_bar.rate.as_deref()), (0, Some("0")));
    page.put("pods", "shop/new-1 1/1 Running 0");
    assert_eq!(signs(&page), 3, "one in each cluster");
}

#[test]
fn each_view_of_a_board_names_its_clusters() {
    let page = rig("/b?v=pods@eu,us/shop&v=pods@lab/shop&v=nodes@us", &["eu", "us", "lab"]);
    let places = [0, 1, 2].map(|at| page.pane(at).head.place.clone());
    assert_eq!(places, ["2 clusters, shop", "lab, shop", "us"]);
    let page = rig("/b?v=pods/shop&v=nodes", &["eu"]);
    assert_eq!([0, 1].map(|at| page.pane(at).head.place.clone()), ["shop", ""]);
}

#[test]
fn all_that_a_gateway_can_have_are_shown() {
    let names: Vec<String> = (0..100).map(|place| format!("cluster-{place:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for address in ["/v/pods@*/shop".to_owned(), format!("/v/pods@{}/shop", names.join(","))] {
        let page = rig(&address, &names);
        assert_eq!(page.page.model().cluster, "100 clusters");
        assert_eq!(page.gateway.subscriptions().len(), 100, "{address}");
    }
}

#[test]
fn a_chosen_cluster_that_went_says_so_and_shows_its_rows_when_it_is_back() {
    let mut page = rig("/v/pods@eu,us/shop", &["eu", "us"]);
    let gone = page.gateway.clusters_change(&["eu"], page.now_ms);
    page.receive(gone);
    page.seconds(1);
    assert_eq!(page.rows().len(), 2);
    assert_eq!(page.pill(), "Live · 1 of 2 clusters gone");
    assert!(page.notice().contains("us isn't shown."), "{}", page.notice());
    assert_eq!(
        page.model().status_bar.rows,
        " rows of 1 of 2 clusters",
        "only the rows of those that show them"
    );
    page.act(Action::Clusters(PickerAction::Open));
    assert!(page.page.model().clusters.picker.is_some());
    let back = page.gateway.clusters_change(&["eu", "us"], page.now_ms);
    page.receive(back);
    page.seconds(1);
    assert_eq!((page.rows().len(), page.address.as_str()), (4, "/v/pods@eu,us/shop"));
}

#[test]
fn a_kind_that_one_cluster_does_not_serve_is_live_in_the_others() {
    let mut page = PageRig::before("/v/widgets.example.com@*/shop", Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(&["eu", "us"]);
    page.gateway.lacks.insert("eu".to_owned(), vec!["widgets.example.com".to_owned()]);
    page.gateway.put("widgets.example.com", "shop/gear", page.now_ms);
    page.start();
    page.seconds(1);
    assert_eq!(page.rows().len(), 1);
    assert_eq!(page.pill(), "Live · 1 of 2 clusters gone");
    let notice = page.notice();
    assert!(notice.contains("eu isn't shown. The cluster serves no resource"), "{notice}");
    let kinds = page.page.model().navigation.groups.iter().flat_map(|group| &group.items);
    assert!(kinds.into_iter().any(|item| item.label.contains("widgets")), "the navigation has all kinds");
    page.act(Action::Clusters(PickerAction::Open));
    let options = options_text(&page);
    assert!(options.iter().any(|option| option.ends_with(" 1 widget")), "{options:?}");
}

#[test]
fn the_picker_shows_each_cluster_and_what_cannot_be_chosen_says_why() {
    let mut page = PageRig::before("/v/pods@eu/shop", Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(&["eu", "us", "lab"]);
    drop(page.gateway.lose("lab", page.now_ms));
    page.gateway.has_clusters(&["eu", "us", "lab"]);
    page.start();
    page.seconds(1);
    page.act(Action::Clusters(PickerAction::Open));
    assert_eq!(
        options_text(&page),
        [
            "- All clusters",
            "x eu Live · confirmed 0 s ago 2 pods",
            "- us",
            "- lab Not reached · since 10:00:00, connection refused",
        ]
    );
    choose(&mut page, "lab");
    assert_eq!(page.address, "/v/pods@eu/shop", "it can't be chosen");
    choose(&mut page, "us");
    assert_eq!((page.address.as_str(), page.rows().len()), ("/v/pods@eu,us/shop", 4));
    choose(&mut page, "eu");
    assert_eq!((page.address.as_str(), page.rows().len()), ("/v/pods@us/shop", 2));
    assert!(page.titles().starts_with("NAME"), "{}", page.titles());
    page.act(Action::Clusters(PickerAction::Type("us".to_owned())));
    assert_eq!(options(&page).len(), 1);
    page.act(Action::Clusters(PickerAction::Type(String::new())));
    choose(&mut page, "All clusters");
    assert_eq!(page.address, "/v/pods@*/shop");
    page.act(Action::Clusters(PickerAction::Close));
    assert!(page.page.model().clusters.picker.is_none());
}

#[test]
fn the_panel_shows_the_object_of_its_cluster_and_the_link_names_it() {
    let mut page = rig("/v/pods@eu,us/shop", &["eu", "us"]);
    let pod = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "web-1", "namespace": "shop"}});
    page.object("pods", "shop/web-1", pod);
    page.gateway.take_asked();
    let row = page.model().rows.rows[3].id.to_string();
    page.act(PanelAction::Open { row: Some(row), key: None });
    assert_eq!(page.address, "/v/pods@eu,us/shop?o=@us/shop/web-1");
    page.seconds(1);
    let asked = page.gateway.take_asked();
    assert!(asked.contains(&"object of pods@us in shop".to_owned()), "{asked:?}");
    let head = page.page.panel().head.clone().expect("a head");
    assert_eq!(head.kind, "Pod in shop, us");
    assert!(head.kubectl.starts_with("kubectl --context us-context get"), "{}", head.kubectl);
    assert!(!page.page.panel().top.is_empty(), "its row is found");
    let mut again = rig("/v/pods@eu,us/shop?o=@us/shop/web-1", &["eu", "us"]);
    again.seconds(1);
    assert_eq!(again.address, "/v/pods@eu,us/shop?o=@us/shop/web-1");
    assert!(again.gateway.subscriptions().contains(&"object of pods@us in shop".to_owned()));
    let one = rig("/v/pods@us/shop?o=@us/shop/web-1", &["eu", "us"]);
    assert_eq!(one.address, "/v/pods@us/shop?o=shop/web-1", "of one cluster it goes without saying");
    let first = rig("/v/pods@us,eu/shop?o=shop/web-1", &["eu", "us"]);
    assert_eq!(first.address, "/v/pods@eu,us/shop?o=@eu/shop/web-1");
    again.act(Action::FollowLink("/v/deployments.apps@us/shop?o=shop/web".into()));
    assert_eq!(
        again.address, "/v/deployments.apps@eu,us/shop?sort=trouble&o=@us/shop/web",
        "the clusters stay"
    );
}

#[test]
fn the_panel_of_an_object_has_nothing_of_the_one_of_the_same_name_in_another_cluster() {
    let at = |cluster: &str| format!("/v/pods@eu,us/shop?o=@{cluster}/shop/web-1&tab=timeline");
    let mut page = rig(&at("eu"), &["eu", "us"]);
    let metadata = json!({ "name": "web-1", "namespace": "shop", "resourceVersion": "10" });
    page.object("pods", "shop/web-1", json!({ "kind": "Pod", "apiVersion": "v1", "metadata": metadata }));
    page.seconds(1);
    let entry = json!({ "type": "MODIFIED", "resource_version": "11", "changed": ["status"] });
    page.log("pods", "shop/web-1", entry);
    page.seconds(1);
    let items = |page: &PageRig| page.page.panel().timeline.items.len();
    assert_eq!(items(&page), 1);
    page.go(&at("us"));
    page.seconds(1);
    assert_eq!(items(&page), 0, "nothing is known of it yet");
    page.go(&at("eu"));
    page.seconds(1);
    assert_eq!(items(&page), 2, "with the time in which it was closed");
}

#[test]
fn a_view_that_names_its_clusters_keeps_them_beside_one_of_all() {
    let mut page = rig("/b?v=pods@eu,us/shop&v=pods@*/shop", &["eu", "us"]);
    let counts = |page: &PageRig| [0, 1].map(|at| page.pane(at).rows.rows.len());
    assert_eq!(counts(&page), [4, 4]);
    let more = page.gateway.clusters_change(&["eu", "us", "lab"], page.now_ms);
    page.receive(more);
    page.seconds(1);
    assert_eq!(counts(&page), [4, 6]);
    let fewer = page.gateway.clusters_change(&["eu", "lab"], page.now_ms);
    page.receive(fewer);
    page.seconds(1);
    assert_eq!(counts(&page), [2, 4]);
    let notice = notice_of(page.pane(0));
    assert!(notice.contains("us isn't shown."), "{notice}");
}

#[test]
fn go_to_opens_a_kind_of_another_cluster() {
    let mut page = rig("/v/pods@eu/shop", &["eu", "us"]);
    let go = |page: &mut PageRig, text: &str| {
        page.act(PaletteAction::Open);
        page.act(PaletteAction::Type(text.to_owned()));
        page.act(PaletteAction::Choose(None));
    };
    go(&mut page, "deploy @us");
    assert_eq!(page.address, "/v/deployments.apps@us/shop?sort=trouble");
    go(&mut page, "pods ledger @*");
    assert_eq!((page.address.as_str(), page.rows().len()), ("/v/pods@*/ledger", 2));
    go(&mut page, "@eu");
    assert_eq!(page.address, "/v/pods@eu/ledger");
}

#[test]
fn what_is_exported_names_the_cluster() {
    let mut page = rig("/v/pods@eu,us/shop", &["eu", "us"]);
    page.act(PaneAction::ShowExport(true));
    page.seconds(1);
    let export = page.model().export.clone().expect("the menu");
    assert!(export.line.starts_with("kubectl --context eu-context get pods"), "{}", export.line);
    assert!(export.notes.iter().any(|note| note.contains("--context us-context")), "{:?}", export.notes);
    assert!(export.element.contains("cluster=\"eu,us\""), "{}", export.element);
    let through = export.through.expect("it is the reader's own machine");
    let begin = "kubectl --kubeconfig dogwatch.kubeconfig --context dogwatch-eu get pods --namespace shop";
    assert!(through.line.starts_with(begin), "{}", through.line);
    assert_eq!(through.setup, "dogwatch kubeconfig --output dogwatch.kubeconfig");
    page.act(PaneAction::Export(Format::Csv));
    assert!(page.file().starts_with("CLUSTER,NAME,"), "{}", page.file());
    assert!(page.file().contains("us,web-1,"));
}

#[test]
fn with_one_cluster_nothing_is_chosen_and_nothing_more_is_asked() {
    let mut page = PageRig::live("/v/pods");
    page.seconds(1);
    assert!(!page.page.model().clusters.can_choose);
    assert_eq!(page.page.model().clusters.label, "kind");
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
    assert!(page.titles().starts_with("NAMESPACE NAME"));
}

#[test]
fn the_commands_for_a_team_are_for_the_readers_own_kubeconfig() {
    let mut page =
        PageRig::before("/v/pods@eu,us/shop?o=@us/shop/web-1", Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(&["eu", "us"]);
    page.gateway.is_of_team();
    page.start();
    page.seconds(1);
    let head = page.page.panel().head.clone().expect("a head");
    assert_eq!(head.kubectl, "kubectl get pods web-1 -n shop -o yaml");
    page.act(PaneAction::ShowExport(true));
    page.seconds(1);
    let export = page.model().export.clone().expect("the menu");
    assert!(export.line.starts_with("kubectl get pods"), "{}", export.line);
    assert!(export.notes.iter().any(|note| note.contains("in your context of us")), "{:?}", export.notes);
    let through = export.through.as_ref().expect("readers of a team have tokens");
    assert_eq!(
        through.setup,
        "dogwatch kubeconfig --server {gateway} --cluster eu --output dogwatch.kubeconfig"
    );
    let said = [&export.line, &head.kubectl].into_iter().chain(&export.notes);
    assert!(said.into_iter().all(|text| !text.contains("--context")), "{:?}", export.notes);
}
