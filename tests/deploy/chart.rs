//! What the chart is without a cluster: what it renders, what it refuses, and that its rights are those of the gateway's own
//! function.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::dogwatch::binary;
use testkit::helm::{Helm, IMAGE, object, objects};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)
}

const EXAMPLES: [&str; 5] = ["bearer", "oidc", "inside", "proxy", "everything"];

fn values(example: &str) -> String {
    file(&format!("values/{example}.yaml")).to_string_lossy().into_owned()
}

#[test]
fn helm_finds_nothing_wrong_with_the_chart_and_each_example() -> Result<()> {
    let helm = Helm::new()?;
    let chart = Helm::chart();
    for example in EXAMPLES {
        helm.output(&["lint", "--strict", &chart.to_string_lossy(), "--set", IMAGE, "-f", &values(example)])?;
    }
    Ok(())
}

/// `DOGWATCH_BLESS=1` writes them.
#[test]
fn each_example_renders_as_it_is_written_down() -> Result<()> {
    let helm = Helm::new()?;
    for example in EXAMPLES {
        let rendered = helm.template(&["-f", &values(example)])?;
        let golden = file(&format!("golden/{example}.yaml"));
        if std::env::var_os("DOGWATCH_BLESS").is_some() {
            std::fs::write(&golden, &rendered)?;
        }
        let written = std::fs::read_to_string(&golden).with_context(|| golden.display().to_string())?;
        let differs = rendered.lines().zip(written.lines()).find(|(one, other)| one != other);
        ensure!(
            rendered == written,
            "{example} differs, first in {differs:?}; DOGWATCH_BLESS=1 writes {} anew",
            golden.display()
        );
    }
    Ok(())
}

const DATABASE: &str = "history.postgres.url=postgres://u@db.example.org/d";

#[test]
fn what_can_not_be_is_refused_before_anything_is_installed() -> Result<()> {
    refused(&[
        ("replcas=3", "additional properties 'replcas'"),
        ("image.tagg=1", "additional properties 'tagg'"),
        ("image.digest=sha256:abc", "does not match pattern"),
        ("config.listen=0.0.0.0:80", "additional properties 'listen'"),
        ("config.audit-log=a", "additional properties 'audit-log'"),
        ("config.shown-kinds={pods}", "additional properties 'shown-kinds'"),
        ("auth=local", "'bearer', 'oidc', 'proxy'"),
        ("rights=admin", "'shared', 'passthrough', 'impersonate'"),
        ("replicas=0", "minimum"),
        ("drainSeconds=5", "minimum"),
        ("rbac.customKinds={boats}", "does not match pattern"),
        ("config.cluster-profiles=a/b", "does not match pattern"),
        ("config.cluster-profiles=fleet", "auth bearer is for one cluster"),
        (
            "config.clusters[0].name=a,config.clusters[0].in-cluster=true,config.clusters[1].name=b",
            "auth bearer is for one cluster",
        ),
        (
            "config.clusters[0].name=a,config.clusters[0].kubeconfig=/etc/dogwatch/kubeconfigs/a",
            "name the Secret in kubeconfigs.secret",
        ),
        ("auth=proxy,config.proxy-client-ca=/ca.crt", "needs config.proxy-client-name"),
        ("auth=proxy,config.proxy-client-ca=/ca.crt,config.proxy-client-name={portal}", "set tls.secret"),
        ("image.repository=", "image.repository: push the image"),
        ("auth=proxy", "must know its proxy"),
        ("auth=proxy,config.proxy-cidr={10.0.0.1},rights=passthrough", "auth bearer alone brings"),
        ("auth=oidc", "auth oidc needs config.oidc-issuer"),
        (OIDC, "config.public-url"),
        (&format!("{OIDC},config.public-url=https://d.example.org"), "openssl rand -base64 32"),
        ("ingress.enabled=true", "config.public-url"),
        ("kubeconfigs.use=prod", "kubeconfigs.secret, which is empty"),
    ])
}

#[test]
fn a_value_that_would_do_nothing_or_that_kubernetes_would_refuse_is_refused_before_anything_is_installed()
-> Result<()> {
    let signed_in = format!("{OIDC},{URL},oidc.sessionKeys.name=keys");
    let ingress = format!("{URL},ingress.enabled=true");
    refused(&[
        ("image.pullSecrets={registry}", "additional properties 'pullSecrets'"),
        ("imagePullSecrets={registry}", "want object"),
        ("config.oidc-ca-file=/ca.crt", "additional properties 'oidc-ca-file'"),
        ("oidc.ca.configMap=ca", "of auth oidc"),
        (&format!("{signed_in},oidc.ca.configMap=a,oidc.ca.secret=a"), "not both"),
        ("egressProxy.url=proxy:3128", "does not match pattern"),
        ("egressProxy.url=http://me:secret@proxy:3128", "from a Secret in extraEnv"),
        ("commonLabels.app\\.kubernetes\\.io/name=a", "commonLabels: the selectors need"),
        ("podLabels.app\\.kubernetes\\.io/instance=a", "podLabels: the selectors need"),
        ("history.volume.hostPath.path=/a", "history.volume is for one gateway"),
        (
            "history.volume.hostPath.path=/a,replicas=1,autoscaling.enabled=true",
            "for several history.postgres",
        ),
        (&format!("history.volume.hostPath.path=/a,{DATABASE}"), "volume or postgres.url, not both"),
        (&format!("config.history=none,{DATABASE}"), "leave one out"),
        ("config.history=./past", "'memory', 'none'"),
        ("history.postgres.password.secret=a", "needs its url"),
        ("history.postgres.url=postgres://u:secret@db/d", "stand in the ConfigMap"),
        ("history.postgres.url=mysql://u@db/d", "does not match pattern"),
        (&format!("{DATABASE},history.postgres.ca.configMap=a,history.postgres.ca.secret=a"), "not both"),
        ("config.rules[0].name=a", "config.rules tell nobody"),
        ("receivers.to[0].namespaceSelector.matchLabels.a=b", "receivers.to is where config.receivers are"),
        (
            "replicas=2,config.rules[0].name=a,config.receivers[0].webhook=https://h.example/x",
            "of several gateways one tells a webhook",
        ),
        (
            "config.receivers[0].webhook=https://h.example/x,config.receivers[0].secret-file=/etc/dogwatch/receivers/a",
            "name the Secret in receivers.secret",
        ),
        ("dnsPolicy=None", "dnsConfig.nameservers"),
        ("service.nodePort=30000", "service.type NodePort or LoadBalancer"),
        ("service.externalTrafficPolicy=Local", "service.type NodePort or LoadBalancer"),
        ("service.type=NodePort,service.loadBalancerClass=a", "for service.type LoadBalancer"),
        ("service.loadBalancerIP=10.0.0.1", "for service.type LoadBalancer"),
        ("service.loadBalancerSourceRanges={10.0.0.0/8}", "for service.type LoadBalancer"),
        ("ingress.redirects.hosts[0].host=old.example.org", "needs ingress.enabled"),
        (
            &format!("{ingress},ingress.redirects.hosts[0].host=old.example.org"),
            "refuses every host but that",
        ),
        (
            &format!(
                "{ingress},ingress.redirects.hosts[0].host=d.example.org,ingress.redirects.annotations.a=b"
            ),
            "led to itself",
        ),
        ("ingress.hosts={old.example.org}", "additional properties 'hosts'"),
        (&format!("{URL},httpRoute.enabled=true"), "name the Gateway"),
        (&format!("{URL},httpRoute.redirects.hostnames={{old.example.org}}"), "needs httpRoute.enabled"),
        ("podDisruptionBudget.minAvailable=1,podDisruptionBudget.maxUnavailable=1", "not both"),
        ("podDisruptionBudget.minAvailable=2", "from being drained"),
        ("podDisruptionBudget.minAvailable=100%", "does not match pattern"),
        ("autoscaling.enabled=true,autoscaling.minReplicas=9", "more than autoscaling.maxReplicas"),
        ("autoscaling.enabled=true,autoscaling.targetCpu=0", "needs targetCpu or targetMemory"),
        ("autoscaling.enabled=true,resources.requests=null", "resources.requests.cpu, which isn't set"),
        ("metrics.enabled=false,metrics.rules.enabled=true", "metrics.rules needs metrics.enabled"),
        (
            "metrics.serviceMonitor.interval=1m,metrics.serviceMonitor.scrapeTimeout=61s",
            "longer than its interval",
        ),
        ("livenessProbe.successThreshold=2", "additional properties 'successThreshold'"),
        ("readinessProbe.httpGet.path=/", "additional properties 'httpGet'"),
        ("terminationGracePeriodSeconds=5", "additional properties 'terminationGracePeriodSeconds'"),
    ])
}

const OIDC: &str = "auth=oidc,config.oidc-issuer=https://i,config.oidc-client-id=c";
const URL: &str = "config.public-url=https://d.example.org";

/// Each of these settings, with words of why.
fn refused(cases: &[(&str, &str)]) -> Result<()> {
    let helm = Helm::new()?;
    for (set, words) in cases {
        let refused = helm.template(&["--set", set]).map(drop).map_err(|error| error.to_string());
        ensure!(refused.as_ref().is_err_and(|why| why.contains(words)), "{set}: {refused:?}");
    }
    Ok(())
}

/// A label in a selector could never change again.
#[test]
fn common_labels_and_annotations_are_on_every_object_and_pod_and_in_no_selector() -> Result<()> {
    let (label, annotation) = ("example.org/team", "example.org/owner");
    for object in objects(&Helm::new()?.template(&["-f", &values("everything")])?)? {
        let name = object["metadata"]["name"].as_str().context("a name")?;
        // Those of the operator's own.
        if !name.ends_with("-beside") {
            let pods = object.pointer("/spec/template");
            for marked in [Some(&object), pods].into_iter().flatten() {
                let metadata = &marked["metadata"];
                let is_marked = metadata["labels"][label] == "platform"
                    && metadata["annotations"][annotation] == "platform@example.org";
                ensure!(is_marked, "{} {name}: {metadata}", object["kind"]);
            }
        }
        let mut rest = object.clone();
        for at in ["/metadata", "/spec/template/metadata"] {
            if let Some(metadata) = rest.pointer_mut(at) {
                *metadata = Value::Null;
            }
        }
        ensure!(!rest.to_string().contains(label), "{} {name}: {rest}", object["kind"]);
    }
    Ok(())
}

#[test]
fn a_parent_chart_has_keys_of_its_own_in_what_it_shares() -> Result<()> {
    let shared =
        "global.imageRegistry=mirror.example.org:5000,global.storageClass=fast,global.imagePullSecrets={a}";
    let objects = objects(&Helm::new()?.template(&["--set", shared])?)?;
    let pod = &object(&objects, "Deployment")?["spec"]["template"]["spec"];
    ensure!(pod["containers"][0]["image"] == "mirror.example.org:5000/dogwatch:0.2.0", "{pod}");
    ensure!(pod["imagePullSecrets"] == serde_json::json!([{ "name": "a" }]), "{pod}");
    Ok(())
}

/// The roles that a gateway with the rendered file says that it needs.
fn needed(rendered: &[Value], flags: &[&str]) -> Result<Vec<Value>> {
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("dogwatch.yaml");
    let text = object(rendered, "ConfigMap")?["data"]["dogwatch.yaml"].as_str().context("a file")?;
    std::fs::write(&config, text)?;
    let mut command = Command::new(binary());
    command.arg("rbac").args(flags).arg("--config").arg(&config).env_clear();
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    objects(&text)
}

#[test]
fn the_rights_are_exactly_those_that_the_gateway_says_it_needs() -> Result<()> {
    let helm = Helm::new()?;
    let shown = "config.shown-kind={pods,*.apps,events,boats.example.com,*.example.org,*.k8s.io}";
    let hidden = "config.hidden-kind={events.events.k8s.io,*sets,boats,leases*,*.argoproj.io}";
    let custom = "rbac.customKinds={boats.example.com,*.argoproj.io,cars.example.com,*.apps}";
    let recorded =
        "config.history-kind={pods,events,*sets.apps,boats.example.com,*.example.org,secrets,leases}";
    let rule = "config.rules[0].name=a,config.rules[0].kind=jobs.batch,config.rules[0].when=created";
    let receiver = "config.receivers[0].name=a,config.receivers[0].alertmanager=http://am.mon.svc:9093";
    let by_proxy = "auth=proxy,config.proxy-cidr={10.0.0.1}";
    let of_custom = "--custom-kind=boats.example.com,*.argoproj.io,cars.example.com,*.apps";
    for (sets, flags) in [
        (&[][..], &[][..]),
        (&["rights=passthrough"], &[]),
        (&["rights=impersonate"], &[]),
        (&["config.secret-names=true"], &[]),
        (&[by_proxy], &[]),
        (&[by_proxy, "rights=impersonate", "rbac.userExtras={team}"], &["--user-extra=team"]),
        (
            &["rights=impersonate", "rbac.userExtras={team,example.org/a}"],
            &["--user-extra=team,example.org/a"],
        ),
        (&["rights=impersonate", "rbac.constrainedImpersonation=false"], &["--unconstrained"]),
        (&["rbac.constrainedImpersonation=false", "rights=impersonate", by_proxy], &["--unconstrained"]),
        (&[shown], &[]),
        (&[hidden], &[]),
        (&[custom], &[of_custom]),
        (&[custom, hidden], &[of_custom]),
        (&[by_proxy, "config.cluster-profiles=fleet"], &[]),
        (&[by_proxy, "config.cluster-profiles=*"], &[]),
        (&[shown, hidden, custom, "rights=impersonate"], &[of_custom]),
        (&[DATABASE], &[]),
        (&[DATABASE, "rights=passthrough"], &[]),
        (&[DATABASE, "rights=impersonate"], &[]),
        (&["replicas=1,history.volume.hostPath.path=/a", "rights=passthrough", hidden], &[]),
        (&[DATABASE, recorded, "rights=passthrough"], &[]),
        (&[DATABASE, recorded, shown, hidden, "rights=impersonate"], &[]),
        (&[recorded, "rights=passthrough"], &[]),
        (&[rule, receiver, "rights=passthrough"], &[]),
        (&[rule, receiver, DATABASE, "rights=impersonate"], &[]),
    ] {
        let set = sets.iter().flat_map(|set| ["--set", set]);
        let objects = objects(&helm.template(&set.collect::<Vec<_>>())?)?;
        let granted = &object(&objects, "ClusterRole")?["rules"];
        let roles = needed(&objects, flags)?;
        let needed = &object(&roles, "ClusterRole")?["rules"];
        ensure!(granted == needed, "{sets:?}:\n{granted}\n{needed}");
        let (role, needed) = (object(&objects, "Role").ok(), object(&roles, "Role").ok());
        let in_one = |role: &Value| (role["metadata"]["namespace"].clone(), role["rules"].clone());
        ensure!(role.map(in_one) == needed.map(in_one), "{sets:?}:\n{role:?}\n{needed:?}");
        let is_read = objects.iter().chain(&roles).any(|role| role.to_string().contains("clusterprofiles"));
        ensure!(is_read == sets.iter().any(|set| set.contains("cluster-profiles")), "{sets:?}");
        let text = granted.to_string();
        ensure!(
            text.contains("\"secrets\"") == sets.contains(&"config.secret-names=true"),
            "{sets:?}: {text}"
        );
    }
    Ok(())
}
