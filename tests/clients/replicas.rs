//! Two replicas behind nginx, which leads each request to the next of them: an informer lists at one and watches at the
//! other. One after the other is killed and comes back. `DOGWATCH_CLIENTS_REPLICAS_S=600` kills one each minute.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::identities::Authority;
use testkit::nginx::Nginx;
use testkit::ports::free_address;
use testkit::teams;
use tokio::time::interval;

use crate::exact::{Begins, Writer, informer, namespace, until_exact};

const LASTS: &str = "DOGWATCH_CLIENTS_REPLICAS_S";
const LASTS_USUAL_S: u64 = 6;
/// How often one is killed in the long run, and in the short one.
const KILLED_S: u64 = 60;
const KILLED_USUALLY_S: u64 = 2;
const CHANGES_PER_S: u64 = 100;

fn serve(home: &Home, kubeconfig: &Path, listen: &str) -> Result<Dogwatch> {
    let kubeconfig = kubeconfig.to_string_lossy();
    home.serve(&["--auth", "bearer", "--kubeconfig", &kubeconfig, "--listen", listen])
}

/// client-go sends no token without TLS.
fn nginx(authority: &Authority, gateways: &[String; 2]) -> Result<Nginx> {
    let pair = authority.sign(&["localhost", "127.0.0.1"])?;
    let files = [("public.crt", &*pair.certificate), ("public.key", &*pair.key)];
    Nginx::start(&files, |address, folder| {
        let (folder, [one, two]) = (folder.display(), gateways);
        format!(
            "
    upstream gateways {{ server {one} max_fails=0; server {two} max_fails=0; }}
    server {{
        listen {address} ssl http2;
        ssl_certificate {folder}/public.crt;
        ssl_certificate_key {folder}/public.key;
        location / {{
            proxy_pass http://gateways;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Connection \"\";
            proxy_buffering off;
            proxy_read_timeout 1h;
        }}
    }}"
        )
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_informer_before_two_replicas_is_exact_while_one_after_the_other_is_killed() -> Result<()> {
    let lasts_s = std::env::var(LASTS).ok().map_or(Ok(LASTS_USUAL_S), |text| text.parse())?;
    let killed_s = if lasts_s > KILLED_S { KILLED_S } else { KILLED_USUALLY_S };
    let playground = teams::playground(&[("alice", &["system:masters"])], &[]).await?;
    namespace(&playground)?;
    let home = Home::new()?;
    let cluster = home.kubeconfig_of(&playground)?;
    let addresses = [0, 1].map(|_| free_address().to_string());
    let mut gateways: Vec<Option<Dogwatch>> = Vec::new();
    for address in &addresses {
        gateways.push(Some(serve(&Home::new()?, &cluster, address)?));
    }
    let authority = Authority::new()?;
    let nginx = nginx(&authority, &addresses)?;
    let name = gateways[0].as_ref().context("it runs")?.cluster_name().to_owned();
    let kubeconfig = home.path().join("public.kubeconfig");
    let public = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "public",
        "clusters": [{"name": "public", "cluster": {
            "server": format!("https://{}/k8s/{name}", nginx.address()),
            "certificate-authority-data": BASE64_STANDARD.encode(&authority.pem),
        }}],
        "users": [{"name": "alice", "user": {"token": "token-of-alice"}}],
        "contexts": [{"name": "public", "context": {"cluster": "public", "user": "alice"}}],
    });
    std::fs::write(&kubeconfig, public.to_string())?;
    let mut informers = [
        informer("an informer that lists", &kubeconfig, Begins::ByList).await?,
        informer("an informer", &kubeconfig, Begins::ByStream).await?,
    ];
    let (mut writer, began, mut kills) = (Writer::new(2), Instant::now(), 0);
    let mut ticks = interval(Duration::from_millis(1_000 / CHANGES_PER_S));
    while began.elapsed() < Duration::from_secs(lasts_s) {
        for _ in 0..CHANGES_PER_S * killed_s {
            ticks.tick().await;
            writer.write(&playground)?;
        }
        let at = kills % gateways.len();
        let (home, _) = gateways[at].take().context("it runs")?.kill()?;
        kills += 1;
        // What is written while it is away.
        for _ in 0..CHANGES_PER_S / 2 {
            ticks.tick().await;
            writer.write(&playground)?;
        }
        gateways[at] = Some(serve(&home, &cluster, &addresses[at])?);
        until_exact(&playground, &mut informers).await?;
    }
    anyhow::ensure!(kills > 1, "each was killed");
    for informer in &mut informers {
        let answer = informer.ask().await?;
        eprintln!("{} heard {} events over {kills} kills", informer.name, answer["events"]);
    }
    Ok(())
}
