//! `dogwatch logs` beside kubectl: the same command lines print the same lines. Where it differs, it does so on purpose, and
//! the test says how. Several clusters are one log, which kubectl has no word for.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use playground::{Options, Playground};
use serde_json::json;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::ports::free_address;

use crate::kubectl::{Both, LOGS_ALIKE, sorted, with_logs};

/// How the output of a command line differs from kubectl's.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Differs {
    No,
    /// Several containers come merged by their times, where kubectl prints one after the other.
    InOrder,
    /// A time is exact to the nanosecond, where the API server tells a kubelet whole seconds.
    InFirstSecond,
}

fn differs(line: &str) -> Differs {
    match line {
        _ if line.contains("--all-containers") => Differs::InOrder,
        _ if line.contains("30.5Z") => Differs::InFirstSecond,
        _ => Differs::No,
    }
}

fn answer(both: &Both, line: &str) -> (Option<i32>, String, String) {
    answer_of(&both.gateway, line)
}

fn answer_of(gateway: &Dogwatch, line: &str) -> (Option<i32>, String, String) {
    let mut arguments: Vec<&str> = line.split(' ').skip(1).collect();
    // All pods of a workload are meant, so their names stand before the lines.
    if line.contains("deployment/") && !line.contains("--prefix") {
        arguments.push("--prefix=false");
    }
    let output = gateway.logs_command(&arguments).output().expect("started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn dogwatch_logs_prints_what_kubectl_logs_prints() {
    let both = Both::start().await;
    with_logs(&both.playground);
    let (mut wrong, mut compared) = (Vec::new(), 0);
    // With -l and -f it follows pods that come later, where kubectl ends.
    let lines = LOGS_ALIKE
        .iter()
        .filter(|line| line.starts_with("logs ") && !line.contains("-l app=fixed -n shop -f"));
    for line in lines {
        let (kubectl, own) = (both.answer(&both.direct, line), answer(&both, line));
        let expected = match differs(line) {
            Differs::No => kubectl.1.clone(),
            Differs::InOrder => sorted(&kubectl.1),
            Differs::InFirstSecond => {
                let is_later = |line: &&str| *line >= "2026-03-01T10:00:30.5";
                kubectl.1.lines().filter(is_later).map(|line| format!("{line}\n")).collect()
            }
        };
        let printed = if differs(line) == Differs::InOrder { sorted(&own.1) } else { own.1.clone() };
        let is_alike = printed == expected && (kubectl.0 == Some(0)) == (own.0 == Some(0));
        if !is_alike {
            wrong.push(format!("{line}:\n{kubectl:?}\n{own:?}"));
        }
        if own.0 != Some(0) && own.2.is_empty() {
            wrong.push(format!("{line}: it doesn't say why"));
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 30, "{compared}");
    let merged = answer(&both, "logs ended -n shop --all-containers --timestamps").1;
    let times: Vec<&str> = merged.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(times.len() > 10 && times.is_sorted(), "{merged}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dogwatch_logs_follows_a_workload_through_a_restart_and_a_pod_that_comes_later() {
    let both = Both::start().await;
    let pod = |name: &str| {
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "shop", "labels": {"app": "busy"}},
            "spec": {"nodeName": "node", "containers": [{"name": "app", "image": "a"}]},
        })
    };
    let status = |pod: &str, run: &str, started: &str, last: serde_json::Value| {
        let status = json!({"status": {"phase": "Running", "containerStatuses": [{
            "name": "app", "image": "registry.example.com/tests/secret:v1", "containerID": format!("{pod}-{run}"),
            "state": {"running": {"startedAt": started}}, "lastState": last,
        }]}});
        both.playground.patch("pods", "shop", pod, status).expect("patched");
    };
    let now_ms = jiff::Timestamp::now().as_millisecond();
    let time = |after_s: i64| {
        let time = jiff::Timestamp::from_millisecond(now_ms + after_s * 1_000).expect("a time");
        time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    };
    both.playground.create(pod("busy-0")).expect("created");
    status("busy-0", "1", &time(-10), json!({}));
    let arguments = ["-l", "app=busy", "-n", "shop", "-f", "--prefix", "--tail=-1"];
    let mut command = both.gateway.logs_command(&arguments);
    let mut reader: Child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    let mut lines = BufReader::new(reader.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let mut until = |wanted: &str| lines.find(|line| line.contains(wanted)).expect(wanted);
    assert_eq!(until("starts"), "[pod/busy-0/app] \u{1b}]0;title\u{7}\u{1b}[31mstarts\u{1b}[0m");
    until("canary-4711 password=••••••••");
    let ended = json!({"terminated": {
        "exitCode": 137, "startedAt": time(-10), "finishedAt": time(5), "containerID": "busy-0-1",
    }});
    both.playground.step_clock(20_000);
    status("busy-0", "2", &time(6), ended);
    assert!(until("fails").starts_with("[pod/busy-0/app] "));
    until("[pod/busy-0/app] \u{1b}]0;title");
    both.playground.create(pod("busy-1")).expect("created");
    status("busy-1", "1", &time(7), json!({}));
    until("[pod/busy-1/app] \u{1b}]0;title");
    reader.kill().expect("killed");
    let mut said = String::new();
    let mut stderr = reader.stderr.take().expect("piped");
    std::io::Read::read_to_string(&mut stderr, &mut said).expect("read");
    reader.wait().expect("it ended");
    assert!(said.contains("busy-0/app: the container was restarted (exit 137)"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dogwatch_logs_says_where_the_operator_shows_none() {
    let both = Both::start_with(&["--logs=false"]).await;
    let (code, out, said) = answer(&both, "logs anything -n shop");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(said.contains("this gateway shows no logs"), "{said}");
}

/// A gateway of `eu-1` and `eu-2`, which have the same pods and logs, and of `dead`, which doesn't answer.
async fn several() -> (Vec<Playground>, Dogwatch) {
    let home = Home::new().expect("a folder");
    let (mut playgrounds, mut entries) = (Vec::new(), Vec::new());
    for (name, seed) in [("eu-1", 1), ("eu-2", 2)] {
        let playground = Playground::start(Options { seed, ..Options::quiet() }).await.expect("a free port");
        with_logs(&playground);
        let file = home.path().join(name);
        playground.write_kubeconfig(&file).expect("written");
        entries.push(json!({"name": name, "kubeconfig": file}));
        playgrounds.push(playground);
    }
    let dead = home.path().join("dead");
    let address = format!("http://{}", free_address());
    let kubeconfig = playgrounds[0].kubeconfig().replace(playgrounds[0].url().as_str(), &address);
    std::fs::write(&dead, kubeconfig).expect("written");
    entries.push(json!({"name": "dead", "kubeconfig": dead}));
    let config = home.path().join("dogwatch.yaml");
    std::fs::write(&config, json!({"clusters": entries}).to_string()).expect("written");
    let gateway = home.serve(&["--listen", "127.0.0.1:0", "--config", &config.to_string_lossy()]);
    (playgrounds, gateway.expect("it starts"))
}

#[tokio::test(flavor = "multi_thread")]
async fn dogwatch_logs_of_several_clusters_are_one_log_and_one_that_refuses_is_a_sentence() {
    let (playgrounds, gateway) = several().await;
    let only = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "only", "namespace": "shop"},
        "spec": {"nodeName": "node", "restartPolicy": "Never", "containers": [{"name": "app", "image": "a"}]},
    });
    playgrounds[0].create(only).expect("created");
    let ended = json!({"status": {"phase": "Succeeded", "containerStatuses": [{
        "name": "app", "image": "registry.example.com/shop/fixed:v1.0.0", "state": {"terminated": {
            "exitCode": 0, "startedAt": "2026-03-01T10:00:00Z", "finishedAt": "2026-03-01T10:00:50Z",
            "containerID": "containerd://only-1",
        }},
    }]}});
    playgrounds[0].patch("pods", "shop", "only", ended).expect("patched");

    let line = "logs deployment/fixed -n shop --all-containers --timestamps --prefix=true --cluster";
    let (code, merged, said) = answer_of(&gateway, &format!("{line} eu-1,eu-2"));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    for name in ["eu-1", "eu-2"] {
        let (_, alone, _) = answer_of(&gateway, &format!("{line} {name}"));
        assert!(alone.starts_with("[pod/ended/") && alone.lines().count() > 10, "{alone}");
        let of_it = merged.lines().filter_map(|line| line.strip_prefix(&format!("[{name}/")));
        let of_it: String = of_it.map(|line| format!("[{line}\n")).collect();
        assert_eq!(of_it, alone, "{name}");
    }
    let times: Vec<&str> = merged.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert!(times.is_sorted(), "{merged}");

    // A single pod has its cluster before it too, and ends by itself where it is followed.
    let (code, followed, said) = answer_of(&gateway, "logs ended side -n shop -f --cluster eu-2,eu-1");
    assert_eq!(code, Some(0), "{said}");
    let of = |name: &str| {
        followed.lines().filter(|line| line.starts_with(&format!("[{name}/pod/ended/side] "))).count()
    };
    assert!(of("eu-1") > 5 && of("eu-1") == of("eu-2"), "{followed}");

    let alone = answer_of(&gateway, "logs ended -n shop --cluster eu-1").1;
    for other in ["dead", "nowhere-else"] {
        let (code, printed, said) =
            answer_of(&gateway, &format!("logs ended -n shop --prefix=false --cluster eu-1,{other}"));
        if other == "dead" {
            assert_eq!((code, printed.as_str()), (Some(1), alone.as_str()), "{said}");
            assert!(said.starts_with("error: dead: ") && said.lines().count() == 1, "{said}");
        } else {
            assert!(code == Some(1) && said.contains("no cluster \"nowhere-else\""), "{said}");
        }
    }
    let (code, printed, said) = answer_of(&gateway, "logs only -n shop --all-clusters --limit-bytes=40");
    assert_eq!(code, Some(1), "{said}");
    let own = printed.replace("[eu-1/pod/only/app] ", "");
    assert!(printed.starts_with("[eu-1/pod/only/app] ") && own.len() == 40, "{printed}");
    assert!(
        said.contains("error: eu-2: pods \"only\" not found") && said.contains("error: dead: "),
        "{said}"
    );
}
