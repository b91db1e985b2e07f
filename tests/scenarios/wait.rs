//! `dogwatch wait` beside `kubectl wait` on a real kube-apiserver: command lines that are made of what objects there are,
//! what is asked of them and how, with the same exit codes and the same words; then what kubectl can't say, what can't be
//! proven, and what comes after restarts.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use cluster::{ControlPlane, Options};
use testkit::dogwatch::Dogwatch;

const NAMESPACE: &str = "waits";
/// Each line is a process, and two cores run them.
const AT_ONCE: usize = 6;

const OBJECTS: &str = include_str!("../fixtures/waits.yaml");

/// Names of objects, as a command line has them; `{gone}` isn't there.
const NAMED: &[&str] = &[
    "pod/ready",
    "pods ready",
    "po ready unready",
    "pods unready ready",
    "pod/ready deployment/web",
    "deployments.apps web",
    "configmap plain",
    "namespace waits",
    "pods gone",
    "pods ready gone",
    "pods gone ready",
    "pods,configmaps plain",
];
const SELECTED: &[&str] = &[
    "pods -l app=cart",
    "pods -l app=ready",
    "pods --all",
    "pods,configmaps -l app=cart",
    "pods -l app=nothing",
    "pods --field-selector metadata.name=ready",
    "deployments --all",
    "pods -A -l app=ready",
];
const FORMS: &[&str] = &[
    "--for=condition=Ready",
    "--for=condition=ready=FALSE",
    "--for=condition=Available",
    "--for=condition=Nothing",
    "--for=jsonpath={.status.phase}=Running",
    "--for=jsonpath={.status.phase}",
    "--for=jsonpath={.metadata.labels.app}=ready",
    "--for=jsonpath={.spec.containers[0].image}='ready:1'",
    "--for=jsonpath={.spec.replicas}=3",
    "--for=jsonpath=metadata.name=ready",
    "--for=jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=True",
    "--for=jsonpath={.spec}=x",
    "--for=jsonpath={.spec.containers[*].name}",
    "--for=create",
    "--for=delete",
    "--for=create --for=condition=Ready",
    "--for=condition=Ready --for=jsonpath={.status.phase}=Running",
    "--for=condition=Ready --for=delete",
];
/// What both refuse.
const REFUSED: &[&str] = &[
    "pods ready",
    "pods ready --for=Ready",
    "pods ready --for=condition",
    "pods ready --for=jsonpath=",
    "pods ready --for=jsonpath={.a}=",
    "pods ready --for=jsonpath={.a}=b=c",
    "pods ready --for=jsonpath={.a}{.b}",
    "pods ready --for=jsonpath={.a[}",
    "pods --for=create",
    "pods ready -l app=ready --for=create",
    "pod/ready -l app=ready --for=create",
    "pods ready configmap/plain --for=create",
    "pods/ --for=create",
    "pods/a/b --for=create",
    "pods ready -A --for=create",
    "pods ready --for=create -o xml",
    "pods ready --for=create -o name",
    "widgets ready --for=create",
    "pods ready --for=create --timeout=x",
    "pods ready --for=create --timeout=5",
    "pods --field-selector spec.nothing=x --for=create",
    "pods -l a=b=c --for=create",
];

/// The lines, the same in every run: each of the objects with each of the forms would be 360.
fn lines() -> Vec<String> {
    let objects: Vec<&&str> = NAMED.iter().chain(SELECTED).collect();
    let mut lines = Vec::new();
    for (at, form) in FORMS.iter().enumerate() {
        // Each form meets five of the objects, in turn.
        for step in 0..5 {
            let of = objects[(at * 7 + step * 4) % objects.len()];
            lines.push(format!("{of} {form} --timeout=0"));
        }
    }
    lines.extend(REFUSED.iter().map(|line| (*line).to_owned()));
    lines.sort();
    lines.dedup();
    lines
}

/// What was said: the exit code, stdout, and of stderr what kubectl says as well.
#[derive(Debug, PartialEq)]
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn said(output: &Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // Which version showed it is said besides, kubectl names where its usage stands, and its library logs what it does.
    let is_common = |line: &&str| {
        !line.contains(", at resourceVersion ")
            && !line.starts_with("See 'kubectl")
            && !line.contains(" reflector.go:")
    };
    let err = text(&output.stderr).lines().filter(is_common).map(|line| format!("{line}\n")).collect();
    Said { code: output.status.code(), out: text(&output.stdout), err }
}

/// Where the words differ on purpose: ours say more, or kubectl's name its own flags.
fn has_words_of_its_own(line: &str) -> bool {
    ["widgets", "-o xml", "configmap/plain", "spec.nothing", "-l a=b=c"]
        .iter()
        .any(|part| line.contains(part))
}

fn run(command: &mut Command) -> Result<Output> {
    command.output().context("it didn't start")
}

fn ours(dogwatch: &Dogwatch, line: &str) -> Command {
    let arguments: Vec<&str> = line.split(' ').collect();
    let mut command = dogwatch.wait_command(&arguments);
    if !line.contains(" -A") {
        command.args(["-n", NAMESPACE]);
    }
    command
}

fn theirs(plane: &ControlPlane, line: &str) -> Command {
    let mut command = plane.kubectl();
    command.arg("wait").args(line.split(' '));
    if !line.contains(" -A") {
        command.args(["-n", NAMESPACE]);
    }
    command
}

/// A line that waits while something happens.
struct Waiting {
    line: &'static str,
    children: [Child; 2],
}

/// The deletions and changes come when both wait.
fn begin(dogwatch: &Dogwatch, plane: &ControlPlane, line: &'static str) -> Result<Waiting> {
    let start = |command: &mut Command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    Ok(Waiting { line, children: [start(&mut ours(dogwatch, line))?, start(&mut theirs(plane, line))?] })
}

#[test]
fn wait_says_what_kubectl_wait_says_and_what_kubectl_cannot() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    plane.kubectl_output(&["create", "namespace", NAMESPACE])?;
    plane.apply(OBJECTS)?;
    for (pod, ready) in [("ready", "True"), ("unready", "False"), ("cart-0", "True"), ("cart-1", "True")] {
        set_ready(&plane, pod, ready)?;
    }
    let available = r#"{"status":{"observedGeneration":1,"conditions":[{"type":"Available","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","lastUpdateTime":"2026-01-01T00:00:00Z"}]}}"#;
    plane.kubectl_output(&[
        "patch",
        "deployment",
        "web",
        "-n",
        NAMESPACE,
        "--subresource=status",
        "--type=merge",
        "-p",
        available,
    ])?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    standing(&dogwatch, &plane)?;
    changing(&dogwatch, &plane)?;
    beyond_kubectl(&dogwatch, &plane)?;
    unproven(&dogwatch, &plane)?;
    over_restarts(dogwatch, plane)
}

/// Nothing changes, so both see the same.
fn standing(dogwatch: &Dogwatch, plane: &ControlPlane) -> Result<()> {
    let lines = lines();
    ensure!(lines.len() >= 100, "{} lines", lines.len());
    let compared = each(&lines, |line| {
        let (ours, theirs) = (said(&run(&mut ours(dogwatch, line))?), said(&run(&mut theirs(plane, line))?));
        let is_same = if has_words_of_its_own(line) { ours.code == theirs.code } else { ours == theirs };
        Ok((!is_same).then(|| format!("wait {line}\n  ours   {ours:?}\n  theirs {theirs:?}")))
    })?;
    let differences: Vec<String> = compared.into_iter().flatten().collect();
    ensure!(differences.is_empty(), "{} of {}:\n{}", differences.len(), lines.len(), differences.join("\n"));
    Ok(())
}

/// Some of them at once.
fn each<L: Sync, T: Send>(lines: &[L], run: impl Fn(&L) -> Result<T> + Sync) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for some in lines.chunks(AT_ONCE) {
        let run = &run;
        let done: Result<Vec<T>> = thread::scope(|scope| {
            let begun: Vec<_> = some.iter().map(|line| scope.spawn(move || run(line))).collect();
            begun.into_iter().map(|one| one.join().map_err(|_| anyhow!("a line panicked"))?).collect()
        });
        all.extend(done?);
    }
    Ok(all)
}

/// What happens while both wait.
fn changing(dogwatch: &Dogwatch, plane: &ControlPlane) -> Result<()> {
    let begun = [
        "pods unready --for=condition=Ready --timeout=30s",
        "pods -l app=unready --for=condition=Ready --timeout=30s",
        "configmap comes --for=create --timeout=30s",
        "configmap plain --for=delete --timeout=30s",
        "pods -l app=cart --for=delete --timeout=30s",
        "pods unready --for=jsonpath={.status.phase}=Running --for=condition=Ready --timeout=30s",
        "deployment web --for=jsonpath={.spec.replicas}=5 --timeout=30s",
        "pods never --for=create --timeout=2s",
        "pods ready --for=condition=Ready=False --timeout=2s",
        "pods ready --for=delete --timeout=2s",
    ]
    .map(|line| begin(dogwatch, plane, line));
    // kubectl looks again each half second for what isn't there, so the changes may come whenever they do: a line that
    // begins after them ends at once.
    set_ready(plane, "unready", "True")?;
    let of = |arguments: &[&str]| plane.kubectl_output(&[arguments, &["-n", NAMESPACE]].concat());
    of(&["create", "configmap", "comes"])?;
    of(&["delete", "configmap", "plain"])?;
    of(&["label", "pod", "cart-1", "--overwrite", "app=moved"])?;
    of(&["delete", "pod", "cart-0", "cart-1", "--grace-period=0", "--force"])?;
    of(&["scale", "deployment", "web", "--replicas=5"])?;
    let mut differences = Vec::new();
    for waiting in begun {
        let Waiting { line, children } = waiting?;
        let [ours, theirs] = children.map(Child::wait_with_output);
        let (ours, theirs) = (said(&ours?), said(&theirs?));
        if ours.code != theirs.code || ours.err != theirs.err && ours.code != Some(0) {
            differences.push(format!("wait {line}\n  ours   {ours:?}\n  theirs {theirs:?}"));
        }
    }
    ensure!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

/// Exit codes where kubectl has no such form.
fn beyond_kubectl(dogwatch: &Dogwatch, plane: &ControlPlane) -> Result<()> {
    let lines = [
        (
            "pods ready --for=condition=Nothing --for=condition=Ready --any",
            0,
            "condition=Ready, at resourceVersion ",
        ),
        (
            "pods ready --for=condition=Nothing --for=condition=Other --any --timeout=0",
            1,
            "condition not met",
        ),
        ("pods --all --for=condition=Ready --of=any", 0, "at resourceVersion"),
        ("pods --all --for=condition=Nothing --of=none", 0, ""),
        ("pods --all --for=condition=Ready --of=none --timeout=0", 1, "condition not met"),
        ("pods ready --for=condition=Ready --hold=1s", 0, "at resourceVersion"),
        (
            "pods ready --for=condition=Ready --hold=1h --timeout=1s",
            1,
            "timed out waiting for the condition on pods/ready",
        ),
        ("pods ready --for=restarts=0 --for=ready=0/2", 0, "restarts=0, at resourceVersion"),
        ("pods ready --for=restarts>5 --timeout=0", 1, "condition not met for pods/ready"),
        ("deployments web --for=health=fine --timeout=0", 1, "condition not met"),
        ("pods ready --for=colour=red --timeout=0", 1, "no column \"colour\""),
        // kubectl ends with an error, though a later element may come.
        ("pods ready --for=jsonpath={.spec.containers[9].name}=x --timeout=0", 1, "condition not met"),
        ("configmap comes --for=jsonpath={.data.a} --timeout=0", 1, "condition not met"),
        ("configmap masked --for=jsonpath={.data.a}=x --timeout=5s", 3, "masked by this gateway"),
        ("pods ready --bogus", 2, "--bogus"),
    ];
    each(&lines, |(line, code, words)| expect(line, run(&mut ours(dogwatch, line))?, *code, words))?;
    let version = plane.kubectl_output(&[
        "get",
        "pod",
        "ready",
        "-n",
        NAMESPACE,
        "-o",
        "jsonpath={.metadata.resourceVersion}",
    ])?;
    let output = run(&mut ours(dogwatch, "pod/ready --for=condition=Ready"))?;
    let err = String::from_utf8_lossy(&output.stderr);
    ensure!(err.trim() == format!("pod/ready: condition=Ready, at resourceVersion {version}"), "{err}");
    let whole = run(&mut ours(dogwatch, "pod/ready --for=condition=Ready -o json"))?;
    let theirs = run(&mut theirs(plane, "pod/ready --for=condition=Ready -o json"))?;
    ensure!(serde_json::from_slice::<serde_json::Value>(&whole.stdout)?["metadata"]["name"] == "ready");
    ensure!(theirs.status.success());
    tails(dogwatch)
}

/// `tail --until` asks the same.
fn tails(dogwatch: &Dogwatch) -> Result<()> {
    let lines = [
        ("pods --until condition=Ready", 0, "at resourceVersion"),
        ("pods ready --until health=failing --until restarts=0 --any", 0, "restarts=0"),
        ("pods ready --until condition=Ready --hold 1s", 0, "at resourceVersion"),
        ("pods ready --until delete --timeout 1", 1, "timed out waiting for the condition"),
        ("pods --until colour=red", 1, "no column"),
        ("pods gone --until create --timeout 1", 1, "timed out"),
    ];
    each(&lines, |(line, code, words)| {
        let arguments: Vec<&str> = line.split(' ').chain(["-n", NAMESPACE]).collect();
        expect(line, dogwatch.tail(&arguments)?, *code, words)
    })?;
    Ok(())
}

fn expect(line: &str, output: Output, code: i32, words: &str) -> Result<()> {
    let err = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(code) && err.contains(words), "{line}: {output:?}");
    Ok(())
}

/// The API server stands still, so nothing is proven: neither that it is so nor that it isn't.
fn unproven(dogwatch: &Dogwatch, plane: &ControlPlane) -> Result<()> {
    plane.pause_apiserver()?;
    let output = run(&mut ours(dogwatch, "services never --for=delete --timeout=2s"));
    let fresh = run(&mut ours(dogwatch, "secrets never --for=condition=Ready --timeout=0"));
    plane.resume_apiserver()?;
    let (output, fresh) = (output?, fresh?);
    let err = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(3) && err.contains("it can't be proven: services: "), "{output:?}");
    ensure!(fresh.status.code() == Some(1), "secrets are hidden: {fresh:?}");
    let again = run(&mut ours(dogwatch, "services never --for=delete --timeout=30s"))?;
    ensure!(again.status.success(), "{again:?}");
    Ok(())
}

/// The API server is killed and started again, and then the gateway, while it waits for what comes after both.
fn over_restarts(dogwatch: Dogwatch, mut plane: ControlPlane) -> Result<()> {
    let mut command =
        ours(&dogwatch, "pods ready --for=jsonpath={.metadata.labels.late}=yes --for=create --timeout=50s");
    let mut waiting = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut said = BufReader::new(waiting.stderr.take().context("it was piped")?).lines();
    // It has begun when it says that the pod is there.
    let begun = said.by_ref().next().context("a line")??;
    plane.kill_apiserver()?;
    plane.start_apiserver()?;
    let (home, port) = dogwatch.kill()?;
    let _again = home.serve_cluster(&plane.kubeconfig(), port)?;
    plane.kubectl_output(&["label", "pod", "ready", "-n", NAMESPACE, "late=yes"])?;
    let rest: Vec<String> = said.collect::<std::io::Result<_>>()?;
    let output = waiting.wait_with_output()?;
    ensure!(output.status.success(), "{begun} {rest:?} {output:?}");
    ensure!(rest.last().is_some_and(|line| line.contains("late}=yes, at resourceVersion")), "{rest:?}");
    Ok(())
}

fn set_ready(plane: &ControlPlane, pod: &str, status: &str) -> Result<()> {
    let patch = format!(
        r#"{{"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"{status}","lastTransitionTime":"2026-01-01T00:00:00Z"}}]}}}}"#
    );
    let arguments =
        ["patch", "pod", pod, "-n", NAMESPACE, "--subresource=status", "--type=merge", "-p", &patch];
    plane.kubectl_output(&arguments).map(drop)
}
