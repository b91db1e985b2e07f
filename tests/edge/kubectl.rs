//! kubectl through the gateway and beside it: the same command lines against the API server itself, on a cluster that
//! stands still, and the same watch.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cluster::{Program, Version};
use playground::{Options, Playground};
use serde_json::json;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::ports::free_address;

/// What kubectl prints alike, byte for byte: none of these shows a masked value.
const ALIKE: &[&str] = &[
    "version -o yaml",
    "api-versions",
    "get nodes",
    "get pods -A",
    "get pods -A -o name",
    "get pods -A --no-headers --chunk-size=10",
    "get pods -A --show-labels",
    "get pods -A --sort-by=.metadata.name",
    "get pods -A -l app=cart",
    "get pods -A -l app!=cart,app",
    "get pods -A --field-selector status.phase=Running",
    "get pods -A --field-selector metadata.namespace=shop",
    "get pods -A -o custom-columns=N:.metadata.name,V:.metadata.resourceVersion,U:.metadata.uid",
    "get pods -n nowhere",
    "get pods nothing -n shop",
    "get widgets",
    "get deployments,services -n shop",
    "get all -n shop",
    "get events -A",
    "get namespaces -o yaml",
    "get storageclasses -o json",
    "get crd",
    "get hpa,pdb,networkpolicies,ingresses -A",
    "get cronjobs,jobs -A",
    "get deployments -A -o jsonpath={.items[*].metadata.name}",
    "get nodes -o wide --v=0",
    "get rollouts -A",
    "describe nodes",
    "describe services -n shop",
    "events -n shop",
    "rollout status deployment/cart -n shop --timeout=5s",
    "rollout history deployment/cart -n shop",
    "wait --for=condition=Available deployment/cart -n shop --timeout=5s",
    "wait --for=jsonpath={.status.phase}=Active namespace/shop --timeout=5s",
    "wait --for=delete pod/nothing -n shop --timeout=5s",
    "top nodes",
    "top pods -n shop",
    "explain pods.spec.containers",
    "explain deployment --recursive",
    "explain hpa --api-version=autoscaling/v2",
    "explain widgets.spec",
    "get --raw /version",
    "get pods -A -L app,version --sort-by=.metadata.creationTimestamp",
    "get pods -A --show-kind --no-headers",
    "get pods -A --chunk-size=0",
    "get pods -A -o wide --server-print=false",
    "get pods -n shop -o jsonpath-as-json={.items[*].metadata.labels}",
    "get pods -n shop -o go-template={{range.items}}{{.metadata.name}}{{end}}",
    "get pods -A -l app=nothing",
    "get pods -A -l app=cart --field-selector status.phase!=Running",
    "get pods -A --field-selector spec.nodeName=nothing",
    "get pods -A --field-selector spec.nothing=x",
    "get pods -A -l app=a=b",
    "get pod nothing -n shop --ignore-not-found",
    "get deployments.v1.apps -A",
    "get rs,sts,ds,svc,ep,sa,pvc -n shop",
    "get clusterroles,clusterrolebindings -o name",
    "get priorityclasses,runtimeclasses,csidrivers",
    "get nothings",
    "get events -n shop --sort-by=.lastTimestamp -o wide",
    "events -A --types=Warning",
    "events -n shop --for deployment/cart",
    "describe namespace kube-system",
    "describe pod nothing -n shop",
    "rollout status daemonset -n kube-system --timeout=5s",
    "wait --for=condition=Ready pod -l app=cart -n shop --timeout=5s",
    "wait --for=condition=Nothing pod -l app=cart -n shop --timeout=1s",
    "top nodes --no-headers --sort-by=cpu",
    "top pods -A --containers",
    "api-resources -o name --api-group=batch --verbs=watch",
    "api-resources --api-group=apps -o name",
];

/// What shows masked values, and is alike but for them.
const MASKED_ALIKE: &[&str] = &[
    "describe deployment/cart -n shop",
    "rollout history deployment/cart -n shop --revision=1",
    "get deployment cart -n shop -o jsonpath={.spec}",
    "get configmaps -n shop -o jsonpath={range.items[*]}{.metadata.name}{.data}",
];
/// What stands in place of a masked value, and the annotation that says where.
const MASK: &str = "••••••••";
const MASKED_PATHS: &str = "dogwatch.dev/masked";

/// What kubectl says beside what it prints, where the objects that it read have masks.
const MASKED: &str = "Warning: values are masked here; the annotation dogwatch.dev/masked says which\n";

/// What would write, or reach into a pod.
const REFUSED: &[&str] = &[
    "delete pods -n shop -l app=cart",
    "delete namespace shop",
    "label namespace shop a=b",
    "annotate namespace shop a=b",
    "scale deployment/cart -n shop --replicas=0",
    "set image deployment/cart -n shop *=x",
    "create namespace another",
    "taint nodes --all a=b:NoSchedule",
    "rollout restart deployment/cart -n shop",
];

/// Logs that have an end, so that the same is there whenever they are read.
pub const LOGS_ALIKE: &[&str] = &[
    "logs ended -n shop",
    "logs ended -n shop -c side",
    "logs ended -n shop -c prepare",
    "logs ended -n shop --all-containers",
    "logs ended -n shop --all-containers --prefix --timestamps",
    "logs ended -n shop -c app --timestamps",
    "logs ended -n shop -c app --tail=3",
    "logs ended -n shop -c app --tail=0",
    "logs ended -n shop -c app --tail=100000",
    "logs ended -n shop -c app --limit-bytes=100",
    "logs ended -n shop -c app --since-time=2026-03-01T10:00:30Z",
    "logs ended -n shop -c app --since-time=2026-03-01T10:00:30.5Z --timestamps",
    "logs ended -n shop -c app --since=1s",
    "logs ended -n shop -c app -p",
    "logs ended -n shop -c app -f",
    "logs ended -n shop -c app --previous --tail=2 --timestamps",
    "logs deployment/fixed -n shop -c app",
    "logs deployment/fixed -n shop --all-containers",
    "logs -l app=fixed -n shop --all-containers --prefix --tail=-1",
    "logs -l app=fixed -n shop --tail=2 -c app",
    "logs -l app=fixed -n shop -f --max-log-requests=1",
    "logs nothing -n shop",
    "logs deployment/nothing -n shop",
    "logs ended -n nowhere",
    "logs ended -n shop -c none",
    "logs ended -n shop -c side -p",
    "logs waiting -n shop",
    "logs early -n shop",
    "logs ended -n shop --tail=-2",
    "logs ended -n shop --since=1s --since-time=2026-03-01T10:00:30Z",
    "logs ended -n shop --limit-bytes=-1",
    "get --raw /api/v1/namespaces/shop/pods/ended/log?container=app&tailLines=1",
    "get --raw /api/v1/namespaces/shop/pods/ended/log",
    "get --raw /api/v1/namespaces/shop/pods/ended/log?container=app&tailLines=-3",
    "get --raw /api/v1/namespaces/shop/pods/ended/log?container=app&stream=All",
];

/// kubectl of the pinned version, or of the one that this variable names.
const KUBECTL_VARIABLE: &str = "DOGWATCH_KUBECTL_VERSION";

fn program() -> PathBuf {
    let version = std::env::var(KUBECTL_VARIABLE).map(|text| Version::parse(&text).expect("a version"));
    Program::Kubectl.ensure(&version.unwrap_or_else(|_| Version::pinned())).expect("kubectl")
}

/// A gateway before a playground, and the kubeconfigs of both.
pub struct Both {
    pub gateway: Dogwatch,
    pub playground: Playground,
    home: Home,
    pub direct: PathBuf,
    through: PathBuf,
}

impl Both {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    pub async fn start_with(more: &[&str]) -> Self {
        let playground = Playground::start(Options::quiet()).await.expect("a free port");
        let home = Home::new().expect("a folder");
        let direct = home.kubeconfig_of(&playground).expect("written");
        let listen = free_address().to_string();
        let flags = ["--listen", &listen, "--kubeconfig", &direct.to_string_lossy()];
        let gateway = home.serve(&[&flags, more].concat()).expect("it starts");
        let through = home.path().join("through.kubeconfig");
        let written =
            home.command().args(["kubeconfig", "--output"]).arg(&through).output().expect("started");
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        Self { gateway, playground, home, direct, through }
    }

    fn kubectl(&self, kubeconfig: &Path, line: &str) -> Command {
        let mut command = Command::new(program());
        command
            .args(line.split(' '))
            .arg("--kubeconfig")
            .arg(kubeconfig)
            .env("HOME", self.home.path())
            .env("KUBECACHEDIR", kubeconfig.with_extension("cache"))
            .stdin(Stdio::null());
        command
    }

    pub fn answer(&self, kubeconfig: &Path, line: &str) -> (Option<i32>, String, String) {
        let output = self.kubectl(kubeconfig, line).output().expect("started");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(MASKED, "");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

/// Whether two answers are the same, where a second or more passed between them.
fn is_alike_but_for_ages(direct: &str, through: &str) -> bool {
    let is_alike = |(direct, through): (&str, &str)| {
        // The columns of lines with other ages may be wider.
        direct == through || direct.split_whitespace().map(aged).eq(through.split_whitespace().map(aged))
    };
    direct.lines().count() == through.lines().count() && direct.lines().zip(through.lines()).all(is_alike)
}

/// `4m9s` and `(4m10s` are ages.
fn aged(word: &str) -> &str {
    let age = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_age = age.starts_with(|c: char| c.is_ascii_digit())
        && age.ends_with(['s', 'm', 'h', 'd'])
        && age.chars().all(|c| c.is_ascii_digit() || matches!(c, 's' | 'm' | 'h' | 'd'));
    if is_age { "AGE" } else { word }
}

/// Whether what stands between the masks of a line stands in the other one, in this order, from its beginning to its end.
fn is_alike_but_for_masks(direct: &str, through: &str) -> bool {
    let mut parts = through.split(MASK);
    let Some(mut rest) = parts.next().and_then(|first| direct.strip_prefix(first)) else { return false };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || through.ends_with(MASK)
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_prints_the_same_through_the_gateway_and_can_write_nothing_there() {
    let both = Both::start().await;
    let mut differ = Vec::new();
    for line in ALIKE {
        let (direct, through) = (both.answer(&both.direct, line), both.answer(&both.through, line));
        if (direct.0, &direct.2) != (through.0, &through.2) || !is_alike_but_for_ages(&direct.1, &through.1) {
            let both = direct.1.lines().zip(through.1.lines());
            let lines = both.into_iter().find(|(direct, through)| direct != through);
            differ.push(format!("{line}: {lines:?}, {:?} and {:?}", direct.2, through.2));
        }
    }
    for line in MASKED_ALIKE {
        let (direct, through) = (both.answer(&both.direct, line), both.answer(&both.through, line));
        let shown: Vec<&str> = through.1.lines().filter(|line| !line.contains(MASKED_PATHS)).collect();
        let is_alike = direct.1.lines().count() == shown.len()
            && direct.1.lines().zip(shown).all(|(direct, through)| is_alike_but_for_masks(direct, through));
        if !is_alike || (direct.0, &direct.2) != (through.0, &through.2) || !through.1.contains(MASK) {
            differ.push(format!("{line}: {}\n{}", direct.1, through.1));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert_eq!(both.answer(&both.through, "auth can-i list pods -A").1, "yes\n");
    let before = both.playground.list("pods").len();
    for line in REFUSED {
        let (code, _, said) = both.answer(&both.through, line);
        assert_ne!(code, Some(0), "{line}");
        let is_told = ["this gateway only reads", "this gateway serves get, list and watch"];
        assert!(is_told.iter().any(|words| said.contains(words)), "{line}: {said}");
    }
    assert_eq!(both.playground.list("pods").len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_of_kubectl_tells_the_same_through_the_gateway() {
    const LINE: &str = "get configmaps -n shop -w --output-watch-events --no-headers";
    let both = Both::start().await;
    let mut watches: Vec<Child> = [&both.direct, &both.through]
        .into_iter()
        .map(|kubeconfig| both.kubectl(kubeconfig, LINE).stdout(Stdio::piped()).spawn().expect("started"))
        .collect();
    let mut lines: Vec<_> = watches
        .iter_mut()
        .map(|watch| BufReader::new(watch.stdout.take().expect("piped")).lines().map_while(Result::ok))
        .collect();
    let known = both.playground.list("configmaps");
    let known = known.iter().filter(|one| one["metadata"]["namespace"] == "shop").count();
    // Both have told what is there, so both are there for what comes.
    let first: Vec<Vec<String>> =
        lines.iter_mut().map(|lines| lines.by_ref().take(known).collect()).collect();
    let names = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(names(&first[0]), names(&first[1]));
    let map = |name: &str, keys: usize| {
        let data: serde_json::Map<_, _> = (0..keys).map(|key| (format!("key-{key}"), json!("a"))).collect();
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": data})
    };
    both.playground.create(map("one", 1)).expect("created");
    both.playground.create(map("two", 2)).expect("created");
    both.playground.delete("configmaps", "shop", "one").expect("deleted");
    both.playground.create(map("one", 3)).expect("created");
    both.playground.delete("configmaps", "shop", "two").expect("deleted");
    let told: Vec<Vec<String>> = lines.iter_mut().map(|lines| lines.by_ref().take(5).collect()).collect();
    for watch in &mut watches {
        watch.kill().expect("it runs");
        watch.wait().expect("it ends");
    }
    assert_eq!(
        names(&told[0]),
        ["ADDED one 1", "ADDED two 2", "DELETED one 1", "ADDED one 3", "DELETED two 2"]
    );
    assert_eq!(names(&told[1]), names(&told[0]));
}

/// A pod of `shop` whose containers have ended, but for one that waits, and a deployment that selects it.
pub fn with_logs(playground: &Playground) {
    let ended = |id: &str, minute: u32, code: u32| {
        json!({"terminated": {
            "exitCode": code, "reason": if code == 0 { "Completed" } else { "Error" },
            "startedAt": format!("2026-03-01T10:0{minute}:00Z"), "finishedAt": format!("2026-03-01T10:0{minute}:50Z"),
            "containerID": format!("containerd://{id}"),
        }})
    };
    let status = |name: &str, state: serde_json::Value, last: serde_json::Value| json!({"name": name, "image": "registry.example.com/shop/fixed:v1.0.0", "restartCount": 1, "state": state, "lastState": last});
    let containers = json!([{"name": "app", "image": "a"}, {"name": "side", "image": "b"}]);
    let waits = json!({"waiting": {"reason": "ContainerCreating"}});
    let of_ended = json!({
        "phase": "Failed",
        "containerStatuses": [
            status("app", ended("app-2", 0, 1), ended("app-1", 1, 1)), status("side", ended("side-1", 0, 0), json!({})),
        ],
        "initContainerStatuses": [status("prepare", ended("prepare-1", 0, 0), json!({}))],
    });
    let of_waiting = json!({"phase": "Pending", "containerStatuses": [status("app", waits, json!({}))]});
    for (name, app, status) in [("ended", "fixed", of_ended), ("waiting", "other", of_waiting)] {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop", "labels": {"app": app}},
            "spec": {
                "nodeName": "node", "containers": containers, "restartPolicy": "Never",
                "initContainers": [{"name": "prepare", "image": "c"}],
            },
        });
        playground.create(pod).expect("created");
        playground.patch("pods", "shop", name, json!({"status": status})).expect("patched");
    }
    let early = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "early", "namespace": "shop"},
        "spec": {"containers": [{"name": "app", "image": "a"}]},
    });
    playground.create(early).expect("created");
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "fixed", "namespace": "shop"},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": "fixed"}},
            "template": {"metadata": {"labels": {"app": "fixed"}}, "spec": {"containers": containers}},
        },
    });
    playground.create(deployment).expect("created");
}

pub fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_are_the_same_through_the_gateway_to_the_byte() {
    let both = Both::start().await;
    with_logs(&both.playground);
    let mut differ = Vec::new();
    let mut told = 0;
    for line in LOGS_ALIKE {
        let (mut direct, mut through) = (both.answer(&both.direct, line), both.answer(&both.through, line));
        told += usize::from(direct.0 == Some(0) && direct.1.lines().count() > 1);
        if line.contains("--all-containers") {
            // kubectl reads one after the other, in an order that is another one each time.
            (direct.1, through.1) = (sorted(&direct.1), sorted(&through.1));
        }
        if direct != through {
            let both = direct.1.lines().zip(through.1.lines());
            let lines = both.into_iter().find(|(direct, through)| direct != through);
            differ.push(format!(
                "{line}: {lines:?}, {:?} and {:?}",
                (direct.0, direct.2),
                (through.0, through.2)
            ));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(told > 12, "only {told} have lines to compare");
    assert_eq!(both.answer(&both.through, "auth can-i get pods/ended --subresource=log -n shop").1, "yes\n");
    let refused =
        "get --raw /api/v1/namespaces/shop/pods/ended/log?container=app&insecureSkipTLSVerifyBackend=true";
    assert_eq!(both.answer(&both.through, refused).0, Some(0), "it is left out");
    let logs = both.playground.requests().into_iter().map(|request| request.path_and_query);
    let logs: Vec<String> = logs.filter(|path| path.contains("/log")).collect();
    assert!(logs.len() > LOGS_ALIKE.len() && !logs.iter().any(|path| path.contains("insecure")), "{logs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_followed_ends_with_its_container_and_has_the_same_lines() {
    let both = Both::start().await;
    let state = |state: serde_json::Value| {
        json!({"status": {"phase": "Running", "containerStatuses": [{
            "name": "app", "image": "registry.example.com/ledger/x:v1.0.0", "restartCount": 0,
            "containerID": "containerd://one", "state": state,
        }]}})
    };
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "runs", "namespace": "shop"},
        "spec": {"nodeName": "node", "containers": [{"name": "app", "image": "a"}]},
    });
    both.playground.create(pod).expect("created");
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let started = jiff::Timestamp::from_millisecond(now_ms).expect("a time");
    let text = |at: jiff::Timestamp| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let running = state(json!({"running": {"startedAt": text(started)}}));
    both.playground.patch("pods", "shop", "runs", running).expect("patched");
    let follow = "logs -f runs -n shop --timestamps";
    let readers: Vec<Child> = [&both.direct, &both.through]
        .into_iter()
        .map(|kubeconfig| both.kubectl(kubeconfig, follow).stdout(Stdio::piped()).spawn().expect("started"))
        .collect();
    both.playground.wait_for_logs(2).await;
    both.playground.step_clock(60_000);
    let finished = text(jiff::Timestamp::from_millisecond(now_ms + 120_000).expect("a time"));
    let ended = json!({"terminated": {
        "exitCode": 0, "startedAt": text(started), "finishedAt": finished, "containerID": "containerd://one",
    }});
    both.playground.patch("pods", "shop", "runs", state(ended)).expect("patched");
    let told: Vec<String> = readers
        .into_iter()
        .map(|reader| reader.wait_with_output().expect("it ends"))
        .map(|output| String::from_utf8(output.stdout).expect("text"))
        .collect();
    assert!(told[0].lines().count() > 50, "{}", told[0]);
    assert_eq!(told[0], told[1]);
    both.playground.wait_for_logs(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_are_refused_in_one_sentence_where_the_operator_shows_none() {
    let both = Both::start_with(&["--logs=false"]).await;
    for line in ["logs deployment/cart -n shop", "logs -f -l app=cart -n shop"] {
        let (code, out, said) = both.answer(&both.through, line);
        assert_ne!(code, Some(0), "{line}");
        assert!(said.contains("this gateway serves get, list and watch") && out.is_empty(), "{line}: {said}");
    }
    let can = both.answer(&both.through, "auth can-i get pods --subresource=log -n shop");
    assert!(can.1.starts_with("no"), "{can:?}");
    let asked = both.playground.requests();
    assert!(!asked.iter().any(|request| request.path_and_query.contains("/log")), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn r_data_1_a_credential_in_a_log_is_masked_and_the_rest_of_its_line_is_not() {
    const CANARY: &str = "hunter2-canary";
    let folder = tempfile::tempdir().expect("a folder");
    let audit = folder.path().join("audit.log");
    let both = Both::start_with(&["--audit-log", &audit.to_string_lossy()]).await;
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tells", "namespace": "shop"},
        "spec": {"nodeName": "node", "restartPolicy": "Never", "containers": [{"name": "app", "image": "a"}]},
    });
    both.playground.create(pod).expect("created");
    // The program writes the tag of its image when it starts.
    let status = json!({"status": {"phase": "Succeeded", "containerStatuses": [{
        "name": "app", "image": format!("registry.example.com/shop/app:password={CANARY}"),
        "state": {"terminated": {
            "exitCode": 0, "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:00:20Z",
            "containerID": "containerd://one",
        }},
    }]}});
    both.playground.patch("pods", "shop", "tells", status).expect("patched");
    for line in ["logs tells -n shop", "logs tells -n shop --timestamps -f"] {
        let (direct, through) = (both.answer(&both.direct, line), both.answer(&both.through, line));
        assert!(direct.1.contains(CANARY) && direct.0 == Some(0), "{direct:?}");
        assert_eq!(through.1, direct.1.replace(CANARY, MASK), "{line}");
    }
    let records = std::fs::read_to_string(&audit).expect("read");
    assert!(records.contains("\"event\":\"log\"") && !records.contains(CANARY), "{records}");
}
