//! What pods use, beside the server's columns.

use page::action::{ColumnsAction, PaneAction};
use page::testing::PageRig;
use page::{Environment, Host};
use shared::problem::{Problem, Reason};

const METRICS: &str = "pods.metrics.k8s.io";

/// What a pod's containers use, as the API writes it.
fn measured(page: &mut PageRig, pod: &str, cpu: &str, memory: &str) {
    for (path, text) in [(".containers[*].usage.cpu", cpu), (".containers[*].usage.memory", memory)] {
        page.gateway.fields.insert((path.to_owned(), pod.to_owned()), text.to_owned());
    }
}

/// Two of the three pods are measured.
fn measuring(address: &str) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    page.gateway.serves_metrics();
    measured(&mut page, "ledger/db-0", "1200m", "2Gi");
    measured(&mut page, "shop/web-1", "60639553n,2m", "114740Ki,1Mi");
    for pod in ["ledger/db-0", "shop/web-1"] {
        page.gateway.put(METRICS, pod, page.now_ms);
    }
    page.start();
    page
}

#[test]
fn pods_have_their_cpu_and_memory_where_the_cluster_measures_them() {
    let mut page = measuring("/v/pods/shop");
    assert_eq!(page.titles(), "NAME READY STATUS RESTARTS AGE CPU MEM");
    assert_eq!(page.rows(), ["cart-1 1/1 Running 0 24h  ", "web-1 0/1 CrashLoopBackOff 5 24h 63m 113Mi"]);
    assert_eq!(page.gateway.subscriptions(), ["pods in shop", "pods.metrics.k8s.io in shop"]);
    let cpu = page.model().table.columns[5].clone();
    assert!(cpu.at_end, "figures stand at the end");
    let polled = cpu.polled.expect("it says that it is polled");
    assert!(polled.starts_with("From metrics.k8s.io") && polled.contains("last at"), "{polled}");

    measured(&mut page, "shop/cart-1", "3m", "64Mi");
    page.put(METRICS, "shop/cart-1");
    page.put("pods", "shop/web-1 1/1 Running 5");
    assert_eq!(page.rows(), ["cart-1 1/1 Running 0 24h 3m 64Mi", "web-1 1/1 Running 5 24h 63m 113Mi"]);
    let marked = page.model().rows.rows.iter().map(|row| row.sign.is_some()).collect::<Vec<_>>();
    assert_eq!(marked, [false, true], "a figure is no change of the pod");
    page.act(PaneAction::Wide(page::model::WideColumns::Wide));
    assert_eq!(page.titles(), "NAME READY STATUS RESTARTS AGE CPU MEM IP NODE");
    page.act(PaneAction::Columns(ColumnsAction::Toggle("cpu".to_owned())));
    assert_eq!(page.titles(), "NAME READY STATUS RESTARTS AGE MEM IP NODE");
    page.go("/v/services");
    assert_eq!(page.gateway.subscriptions(), ["services"], "with the pods their figures are given back");
}

#[test]
fn rows_are_ordered_and_filtered_by_what_they_use() {
    let mut page = measuring("/v/pods");
    measured(&mut page, "shop/cart-1", "100m", "900Mi");
    page.put(METRICS, "shop/cart-1");
    for (address, names) in [
        ("/v/pods?sort=cpu", "web-1 cart-1 db-0"),
        ("/v/pods?sort=-mem", "db-0 cart-1 web-1"),
        ("/v/pods?q=cpu>80m", "db-0 cart-1"),
        ("/v/pods?q=cpu>0.5", "db-0"),
        ("/v/pods?q=mem<=900Mi", "cart-1 web-1"),
        ("/v/pods?q=mem>1G", "db-0"),
        ("/v/pods?q=cpu=63m", "web-1"),
    ] {
        page.go(address);
        assert_eq!(page.names(), names, "{address}");
    }
    page.go("/v/pods");
    let mem = page.titles().split(' ').position(|title| title == "MEM").expect("a column");
    page.act(PaneAction::Sort(mem));
    assert_eq!(page.names(), "db-0 cart-1 web-1", "who uses most comes first");
    assert!(page.address.ends_with("?sort=-mem"), "{}", page.address);
    page.go("/v/pods?q=cpu>lots");
    assert_eq!(page.model().unread, "cpu>lots: cpu needs a quantity such as 100m, 0.5 or 64Mi, not \"lots\"");
}

#[test]
fn without_figures_there_are_no_columns_and_nothing_is_asked_again() {
    let mut page = PageRig::live("/v/pods");
    assert_eq!(page.titles(), "NAMESPACE NAME READY STATUS RESTARTS AGE");
    assert_eq!(page.gateway.take_asked(), ["pods"], "they aren't served");
    page.gateway.serves_metrics();
    page.gateway.refused.insert(METRICS.to_owned(), Problem::new(Reason::Forbidden, "no"));
    page.receive(vec![page.gateway.discovered()]);
    page.seconds(1);
    assert_eq!(page.titles(), "NAMESPACE NAME READY STATUS RESTARTS AGE");
    assert_eq!(page.gateway.take_asked(), [METRICS], "once they are served");
    page.receive(vec![page.gateway.discovered()]);
    page.seconds(60);
    assert_eq!(page.gateway.take_asked(), [""; 0]);
    assert_eq!(page.pill(), "Live · confirmed 0 s ago");
}

#[test]
fn figures_that_nothing_confirms_are_not_shown() {
    let mut page = measuring("/v/pods/shop");
    page.gateway.is_silent = true;
    page.seconds(20);
    assert!(page.rows().iter().all(|row| !row.contains("113Mi")), "{:?}", page.rows());
    let polled = page.model().table.columns[5].polled.clone().unwrap_or_default();
    assert!(polled.contains("doesn't answer"), "{polled}");
    page.reconnect();
    page.seconds(2);
    assert_eq!(page.rows()[1], "web-1 0/1 CrashLoopBackOff 5 24h 63m 113Mi");
}

#[test]
fn the_panel_of_a_pod_says_what_it_uses_of_its_limits() {
    let mut page = measuring("/v/pods@kind/shop");
    let container =
        serde_json::json!({"name": "web", "image": "web:1", "resources": {"limits": {"memory": "256Mi"}}});
    let pod = serde_json::json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]},
        "metadata": {"name": "web-1", "namespace": "shop", "uid": "p1"}});
    page.object("pods", "shop/web-1", pod);
    page.go("/v/pods@kind/shop?o=shop/web-1");
    page.seconds(1);
    let facts: Vec<_> =
        page.page.panel().overview.facts.iter().map(|fact| (fact.label, &*fact.value)).collect();
    assert_eq!(facts[0], ("In use", "0.06 CPU · 113 of 256 MiB memory (44%)"), "{facts:?}");
    assert_eq!(facts[1].0, "Image");
}
