//! `dogwatch tail` prints what `kubectl get` prints, cell for cell and in order, on a real kube-apiserver: for every kind
//! of cell, for custom columns and labels, and for selectors. Its whole objects are kubectl's, and so are those of a stream.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;
use testkit::contents::KINDS;
use testkit::dogwatch::Dogwatch;
use testkit::kubectl_table::Table;
use testkit::planes;
use testkit::stream::Stream;

/// Paths that both read alike.
const CUSTOM: [(&str, &str); 5] = [
    (
        "pods",
        "NAME:.metadata.name,IMAGE:.spec.containers[*].image,FIRST:{.spec.containers[0].image},\
         READY:.status.conditions[?(@.type==\"Ready\")].status,APP:metadata.labels.app,\
         COUNTS:.status.containerStatuses[*].restartCount,LABELS:.metadata.labels,NONE:.spec.nothing,\
         PRIORITY:.spec.priority,SERVICE:.spec.enableServiceLinks,\
         OTHER:.status.conditions[?(@.type!=\"Ready\")].type,CONTAINERS:.status.containerStatuses[*].ready",
    ),
    (
        "nodes",
        "NAME:.metadata.name,HOST:.metadata.labels.kubernetes\\.io/hostname,ROLE:.metadata.labels['node-role\\.kubernetes\\.io/control-plane']",
    ),
    ("measures.odd.example.com", "NAME:.metadata.name,SIZE:.spec.size,STRASSE:.spec.state"),
    ("deployments", "NAME:.metadata.name,WANTED:.spec.replicas,ALL:.status.conditions,IMAGES:..image"),
    (
        "customresourcedefinitions",
        "NAME:.metadata.name,VERSIONS:.spec.versions[*].name,SERVED:.spec.versions[*].served",
    ),
];

const SELECTED: [&[&str]; 10] = [
    &["pods", "-L", "app,tier"],
    &["pods", "-L", "app.kubernetes.io/name"],
    &["pods", "-l", "tier in (api)"],
    &["pods", "--field-selector", "status.phase=Pending"],
    &["pods", "-l", "tier in (api)", "--field-selector", "status.phase=Running"],
    &["widgets.example.com", "--field-selector", "spec.color=blue"],
    &["pods", "--show-labels"],
    &["measures.v1alpha0.odd.example.com"],
    &["measures.odd.example.com", "--field-selector", "spec.path=a\\=b\\,c"],
    &["measures.odd.example.com", "--field-selector", "spec.path=a\\\\b,spec.path!=plain"],
];

/// Kinds that nothing writes to meanwhile.
const WHOLE: [&str; 3] = ["services", "namespaces", "widgets.example.com"];

#[tokio::test]
async fn whole_objects_of_a_tail_and_of_a_stream_are_those_of_kubectl() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    for kind in WHOLE {
        let list = plane.kubectl_output(&["get", kind, "-A", "-o", "json"])?;
        let theirs = by_place(serde_json::from_str::<Value>(&list)?["items"].as_array().cloned());
        assert!(!theirs.is_empty(), "kubectl has no {kind}");
        let printed = dogwatch.tail(&[kind, "-A", "--once", "-o", "json"])?;
        let documents = serde_json::Deserializer::from_slice(&printed.stdout).into_iter::<Value>();
        assert_eq!(by_place(Some(documents.collect::<Result<_, _>>()?)), theirs, "tail -o json");

        let mut stream = Stream::of(&dogwatch, &format!("resource={kind}&projection=object"), &[]).await?;
        stream.until_sync().await?;
        let streamed = stream.objects.into_values().map(|event| event["object"].clone()).collect();
        assert_eq!(by_place(Some(streamed)), theirs, "the stream");
    }
    // What is in no annotation that the gateway drops is the same text.
    let one = ["widgets.example.com", "-A", "-o", "yaml"];
    let theirs = plane.kubectl_output(&[&["get"], &one[..]].concat())?;
    let ours = String::from_utf8(dogwatch.tail(&[&one[..], &["--once"]].concat())?.stdout)?;
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim_start_matches(['-', ' ']).to_owned());
        lines.filter(|line| line.starts_with("color:") || line.starts_with("uid:")).collect()
    };
    assert!(!lines(&ours).is_empty(), "{ours}");
    assert_eq!(lines(&ours), lines(&theirs));
    Ok(())
}

/// The objects by namespace and name, without the annotation that holds a copy of the object: the gateway drops it.
fn by_place(objects: Option<Vec<Value>>) -> BTreeMap<String, Value> {
    let objects = objects.unwrap_or_default().into_iter().map(|mut object| {
        let metadata = &object["metadata"];
        let place = format!("{}/{}", metadata["namespace"], metadata["name"]);
        if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            if annotations.is_empty() {
                object["metadata"].as_object_mut().map(|metadata| metadata.remove("annotations"));
            }
        }
        (place, object)
    });
    objects.collect()
}

#[test]
fn tail_prints_what_kubectl_prints() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let customs = CUSTOM.map(|(kind, columns)| (kind, format!("custom-columns={columns}")));
    let wide = KINDS.iter().map(|kind| vec![*kind, "-o", "wide"]);
    let custom = customs.iter().map(|(kind, output)| vec![*kind, "-o", output.as_str()]);
    let mut differences = Vec::new();
    for arguments in wide.chain(custom).chain(SELECTED.map(<[&str]>::to_vec)) {
        let theirs = Table::parse(&plane.kubectl_output(&[&["get"], &*arguments, &["-A"]].concat())?);
        assert!(!theirs.rows.is_empty(), "{arguments:?}: kubectl prints nothing");
        let output = dogwatch.tail(&[&*arguments, &["-A", "--once"]].concat())?;
        let ours = Table::parse(&String::from_utf8(output.stdout)?);
        if !output.status.success() {
            differences.push(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)));
        } else if let Err(difference) = ours.compare(&theirs) {
            differences.push(format!("{arguments:?}:\n{difference}"));
        }
    }
    assert!(differences.is_empty(), "tail and kubectl differ\n{}", differences.join("\n"));
    Ok(())
}
