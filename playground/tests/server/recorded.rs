//! A cluster that was recorded, as a client of Kubernetes reads it.

use playground::{Options, Playground, RecordedKind, Recording};
use serde_json::{Value, json};
use shared::cell::{Ago, Cell};
use shared::column::Column;
use shared::resource::{Kind, Resource};

use conformance::Api;

/// 2026-11-29T14:02:10Z
const AT_S: i64 = 1_795_960_930;

fn column(name: &str, kind: &str) -> Column {
    Column {
        name: name.into(),
        kind: kind.into(),
        format: String::new().into(),
        description: "as its server said".into(),
        priority: 0,
        path: String::new().into(),
    }
}

fn kind(group: &str, plural: &str, kind: &str) -> Kind {
    let resource = Resource::parse(group, "v1", plural).expect("a resource");
    Kind { custom: !group.is_empty(), ..Kind::new(resource, kind, true) }
}

fn object(name: &str, revision: u64) -> Value {
    json!({"metadata": {"namespace": "shop", "name": name, "uid": format!("uid-{name}"),
        "resourceVersion": revision.to_string(), "labels": {"app": name}}})
}

async fn recorded() -> (Playground, Api) {
    let ago = Cell::Ago(Box::new(Ago { text: "3".into(), at: AT_S - 300 }));
    let pods = RecordedKind {
        kind: Kind { short: vec!["po".into()], ..kind("", "pods", "Pod") },
        columns: vec![column("Name", "string"), column("Restarts", "string"), column("Age", "date")].into(),
        revision: 90,
        objects: vec![
            (object("web", 71), vec![Cell::text("web"), ago, Cell::Age(Some(AT_S - 7_200))]),
            (object("api", 88), vec![Cell::text("api"), Cell::Int(0), Cell::Age(Some(AT_S - 5))]),
        ],
    };
    let doors = RecordedKind {
        kind: kind("example.org", "doors", "Door"),
        columns: vec![column("Name", "string"), column("Locked", "boolean")].into(),
        revision: 93,
        objects: vec![(object("front", 12), vec![Cell::text("front"), Cell::Bool(true)])],
    };
    let recording =
        Recording { at_ms: AT_S * 1_000, git_version: "v1.35.2".to_owned(), kinds: vec![pods, doors] };
    let playground = Playground::start(Options::recorded(recording)).await.expect("a free port");
    let api = Api::new(&playground.url(), None);
    (playground, api)
}

async fn table_of(api: &Api, path: &str) -> Value {
    api.get_as(path, conformance::TABLE).await.body
}

#[tokio::test]
async fn a_record_prints_what_its_own_server_printed_under_its_own_versions() {
    let (_playground, api) = recorded().await;
    let table = table_of(&api, "/api/v1/namespaces/shop/pods").await;
    assert_eq!(table["metadata"]["resourceVersion"], "93", "{table}");
    let names: Vec<&Value> =
        table["columnDefinitions"].as_array().into_iter().flatten().map(|column| &column["name"]).collect();
    assert_eq!(names, ["Name", "Restarts", "Age"]);
    let cells: Vec<&Value> =
        table["rows"].as_array().into_iter().flatten().map(|row| &row["cells"]).collect();
    assert_eq!(cells, [&json!(["api", 0, "5s"]), &json!(["web", "3 (5m ago)", "120m"])], "as of its end");
    let doors = table_of(&api, "/apis/example.org/v1/doors").await;
    assert_eq!(doors["rows"][0]["cells"], json!(["front", true]));

    let web = api.get("/api/v1/namespaces/shop/pods/web").await.body;
    assert_eq!(
        (&web["metadata"]["resourceVersion"], &web["metadata"]["uid"]),
        (&json!("71"), &json!("uid-web"))
    );
    assert_eq!((&web["kind"], &web["apiVersion"]), (&json!("Pod"), &json!("v1")));
    let chosen = api.get("/api/v1/pods?labelSelector=app%3Dapi").await.body;
    assert_eq!(chosen["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(api.get("/version").await.body["gitVersion"], "v1.35.2");
}

#[tokio::test]
async fn a_record_serves_what_is_in_it_alone_and_cannot_be_changed() {
    let (playground, api) = recorded().await;
    assert_eq!(api.get("/api/v1/secrets").await.code, 404, "an empty list would claim that there are none");
    let served = api.get("/api/v1").await.body;
    let served: Vec<&Value> = served["resources"].as_array().into_iter().flatten().collect();
    let pods = served.iter().find(|kind| kind["name"] == "pods").expect("pods");
    assert_eq!((&pods["verbs"], &pods["shortNames"]), (&json!(["get", "list", "watch"]), &json!(["po"])));
    let before = playground.list("pods");
    let refused = [
        api.post("/api/v1/namespaces/shop/pods", &object("new", 0)).await,
        api.delete("/api/v1/namespaces/shop/pods/web").await,
    ];
    for answer in refused {
        assert_eq!(answer.code, 405);
    }
    let log = api.get("/api/v1/namespaces/shop/pods/web/log").await;
    assert_eq!(log.code, 404, "what its containers wrote isn't in it: {}", log.text);
    let review = json!({"spec": {"resourceAttributes": {"verb": "list", "resource": "pods"}}});
    let review = api.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", &review).await;
    assert_eq!(review.code, 201, "what kubectl asks about itself is answered");
    playground.step_fleet(5);
    assert_eq!(playground.list("pods"), before, "it stands still");
}
