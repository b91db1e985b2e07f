//! What a reader takes along: a view's link, the kubectl command that shows the same, and its rows.

use page::action::{LogAction, PaneAction};
use page::export::Format;
use page::model::ExportModel;
use page::testing::PageRig;
use page::{Environment, Host};

fn opened(page: &mut PageRig) -> ExportModel {
    page.act(PaneAction::ShowExport(true));
    page.model().export.clone().expect("the menu")
}

/// The command without what stands in each: `kubectl --context Kind get pods --watch`.
fn check(address: &str, line: &str, notes: &[&str]) {
    let export = opened(&mut PageRig::live(address));
    assert_eq!(export.line.replacen("kubectl --context Kind get ", "", 1), line, "{address}");
    assert_eq!(export.notes, notes, "{address}");
}

#[test]
fn what_is_exported_is_what_is_shown_and_selected() {
    let mut page = PageRig::live("/v/pods?sort=-name&cols=name,status");
    page.keys(&["K"]);
    let export = page.model().export.clone().expect("the menu");
    assert_eq!(export.link, "/v/pods@kind/*?sort=-name&cols=name,status");
    let attributes =
        "resource=\"pods\" cluster=\"kind\" namespaces=\"*\" sort=\"-name\" columns=\"name,status\"";
    assert!(export.element.starts_with(&format!("<dogwatch-table {attributes} ")), "{}", export.element);
    assert_eq!(export.rows, "3 visible rows, current columns");
    page.act(PaneAction::Export(Format::Csv));
    assert_eq!(page.file(), "NAME,STATUS\r\nweb-1,CrashLoopBackOff\r\ndb-0,Running\r\ncart-1,Running\r\n");
    page.keys(&["j", "x"]);
    assert_eq!(page.model().export.as_ref().expect("open").rows, "1 selected row, current columns");
    page.act(PaneAction::Export(Format::Json));
    assert_eq!(page.file(), "[\n  {\"NAME\": \"web-1\", \"STATUS\": \"CrashLoopBackOff\"}\n]\n");
    page.act(PaneAction::CopyRows);
    let effects = page.effects();
    assert_eq!(
        effects,
        ["download pods.csv", "download pods.json", "copy NAME\tSTATUS\nweb-1\tCrashLoopBackOff\n"]
    );
    page.act(PaneAction::Filter("name=db".to_owned()));
    assert_eq!(page.model().export.as_ref().expect("open").rows, "1 selected row, current columns");
    page.act(PaneAction::CopyRows);
    let copied = page.effects().pop();
    assert_eq!(
        copied.as_deref(),
        Some("copy NAME\tSTATUS\nweb-1\tCrashLoopBackOff\n"),
        "also where the filter hides it"
    );
    page.keys(&["K"]);
    assert_eq!(page.model().export, None);
}

#[test]
fn a_deleted_row_that_is_still_shown_is_neither_counted_nor_copied() {
    let mut page = PageRig::live("/v/pods?cols=name");
    page.keys(&["K"]);
    page.delete("pods", "shop/cart-1");
    assert_eq!(page.rows().len(), 3, "it is still shown");
    assert_eq!(page.model().export.as_ref().expect("open").rows, "2 visible rows, current columns");
    page.act(PaneAction::CopyRows);
    assert_eq!(page.effects(), ["copy NAME\ndb-0\nweb-1\n"]);
}

#[test]
fn a_pane_of_a_board_is_taken_along_alone() {
    let mut page = PageRig::live("/b?v=pods@/shop;q=web&log=nodes@/-");
    page.act_in(1, PaneAction::ShowExport(true));
    assert_eq!(page.pane(0).export, None);
    assert_eq!(page.pane(1).export.as_ref().expect("the menu").link, "/log/nodes@kind/-");
}

#[test]
fn the_kubectl_command_is_the_same_view_and_says_where_it_is_not() {
    check(
        "/v/pods@/shop?l=app=web&f=status.phase=Running&wide=1",
        "pods --namespace shop --selector app=web --field-selector status.phase=Running --output wide --watch",
        &[],
    );
    check("/v/pods@/shop?wide=0", "pods --namespace shop --watch", &[]);
    check(
        "/v/deployments.apps@/ledger,shop?q=web&sort=-age",
        "deployments.apps --namespace ledger --watch",
        &[
            "kubectl takes one namespace at a time: this is the first of 2.",
            "kubectl can't express the filter web; only this page applies it.",
            "Sorted by AGE only on this page.",
        ],
    );
    check(
        "/v/pods?l=tier+in+(api,web)&sort=trouble&wide=0",
        "pods --all-namespaces --selector 'tier in (api,web)' --watch",
        &["Sorted by trouble only on this page."],
    );
    check("/v/events?wide=0", "events --all-namespaces --watch", &["Sorted by LAST SEEN only on this page."]);
    let fields = "kubectl prints the row after each change, not the changed fields.";
    check("/log/nodes", "nodes --watch --output-watch-events", &[fields]);
    check(
        "/log/nodes?lq=status",
        "nodes --watch --output-watch-events",
        &["Only this page filters the changes.", fields],
    );
}

#[test]
fn chosen_columns_are_custom_columns_where_each_has_a_path() {
    check(
        "/v/pods?cols=namespace,name,node,TEAM:.metadata.labels['example.com/team']",
        r"pods --all-namespaces --output 'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,NODE:.spec.nodeName,TEAM:.metadata.labels['\''example\.com/team'\'']' --watch",
        &[],
    );
    check(
        "/v/pods@/shop?cols=name,age",
        "pods --namespace shop --output custom-columns=NAME:.metadata.name,AGE:.metadata.creationTimestamp --watch",
        &["AGE is printed as the time of creation."],
    );
    let without = "Left out: STATUS, RESTARTS. kubectl can't print that beside custom columns.";
    check(
        "/v/pods@/shop?cols=name,status,restarts,IMAGE:.spec.image",
        "pods --namespace shop --output custom-columns=NAME:.metadata.name,IMAGE:.spec.image --watch",
        &[without],
    );
    check(
        "/v/pods@/shop?cols=name,BOTH:.metadata['name','uid']",
        "pods --namespace shop --output custom-columns=NAME:.metadata.name --watch",
        &["Left out: BOTH. kubectl can't print that beside custom columns."],
    );
}

#[test]
fn without_own_columns_the_command_prints_what_the_server_computes() {
    check(
        "/v/pods?cols=name,status",
        "pods --all-namespaces --watch",
        &["kubectl also prints NAMESPACE, READY, RESTARTS, AGE, hidden here."],
    );
    check(
        "/v/pods@/shop?cols=name,status,ready,restarts,age,ip,node",
        "pods --namespace shop --output wide --watch",
        &["Columns stand in the API server's order."],
    );
}

#[test]
fn the_context_is_the_gateways_and_what_no_kubeconfig_names_is_said() {
    let mut page = PageRig::before("/v/nodes", Host::Dogwatch, Environment::default());
    page.gateway.welcome.clusters[0].context = Some("it's prod".into());
    page.start();
    assert_eq!(opened(&mut page).line, r"kubectl --context 'it'\''s prod' get nodes --watch");
    page.go("/v/nodes?o=a");
    let head = page.page.panel().head.as_ref().map(|head| head.kubectl.as_str());
    assert_eq!(head, Some(r"kubectl --context 'it'\''s prod' get nodes a -o yaml"));

    let mut page = PageRig::before("/v/nodes", Host::Dogwatch, Environment::default());
    page.gateway.welcome.clusters[0].context = None;
    page.start();
    let export = opened(&mut page);
    assert_eq!(export.line, "kubectl get nodes --watch");
    assert_eq!(export.notes, ["kubectl asks its current context: check that it is this cluster."]);
}

#[test]
fn what_pods_use_is_left_out_and_the_command_that_prints_it_is_named() {
    let mut page = PageRig::before("/v/pods@/shop?wide=0", Host::Dogwatch, Environment::default());
    page.gateway.serves_metrics();
    page.start();
    page.seconds(1);
    assert_eq!(opened(&mut page).notes, ["Left out: CPU, MEM. kubectl top pods prints that."]);
}

#[test]
fn changes_are_saved_as_they_came() {
    let mut page = PageRig::live("/log/pods");
    assert_eq!(opened(&mut page).rows, "0 visible entries");
    page.act(LogAction::Save);
    assert_eq!(page.effects().last().map(String::as_str), Some("download pods.ndjson"));
}
