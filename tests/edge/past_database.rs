//! The record in PostgreSQL: gateways that are killed in turn lose nothing together, and the connection is one that is
//! verified.

use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};
use playground::{Options, Playground};
use postgres_server::PostgresServer;
use tempfile::tempdir;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::identities::Authority;
use testkit::ports::free_address;

use crate::past::{Viewer, serve};

/// How often a gateway is killed: `DOGWATCH_PAST_KILLS=200` for more.
const KILLS: &str = "DOGWATCH_PAST_KILLS";
const KILLS_USUAL: usize = 3;
const PASSWORD: &str = "d7-not-a-real-one";

#[tokio::test(flavor = "multi_thread")]
async fn what_gateways_that_are_killed_in_turn_record_into_one_database_is_whole() -> Result<()> {
    let (folder, authority, other) = (tempdir()?, Authority::new()?, Authority::new()?);
    let write = |name: &str, text: &str| -> Result<String> {
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path.display().to_string())
    };
    let server = authority.sign(&["localhost", "127.0.0.1"])?;
    let client = authority.sign(&["dogwatch"])?;
    let port = free_address().port().to_string();
    let database = PostgresServer::start_with(
        &[
            "listen_addresses=127.0.0.1",
            &format!("port={port}"),
            "ssl=on",
            "ssl_cert_file=server.crt",
            "ssl_key_file=server.key",
            "ssl_ca_file=ca.crt",
        ],
        &[
            ("server.crt", &server.certificate),
            ("server.key", &server.key),
            ("ca.crt", &authority.pem),
            (
                "pg_hba.conf",
                "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n",
            ),
        ],
    )?;
    database.create("past")?;
    database.run("past", &format!("ALTER ROLE dogwatch PASSWORD '{PASSWORD}'"))?;
    let url = format!("postgres://dogwatch@localhost:{port}/past?sslmode=verify-full");
    let (ca, password) = (write("ca.crt", &authority.pem)?, write("password", PASSWORD)?);
    let (certificate, key) = (write("client.crt", &client.certificate)?, write("client.key", &client.key)?);
    let flags = |ca: &str, password: &str| {
        let flags = [
            ("--history", url.as_str()),
            ("--history-ca-file", ca),
            ("--history-password-file", password),
            ("--history-cert-file", &certificate),
            ("--history-key-file", &key),
        ];
        flags.map(|(flag, value)| format!("{flag}={value}"))
    };
    let playground = Playground::start(Options::quiet()).await?;
    let begin = |ca: &str, password: &str| -> Result<Dogwatch> {
        let flags = flags(ca, password);
        serve(&Home::new()?, &playground, &flags.each_ref().map(String::as_str))
    };
    // What is in the way is said, and live views go on.
    for (ca, password, says) in [
        (&write("other.crt", &other.pem)?, &password, "certificate"),
        (&ca, &write("wrong", "guessed")?, "refuses the account or its password"),
    ] {
        let gateway = begin(ca, password)?;
        let problem = Viewer::open(&gateway).await?.recorded(0, 1).await.err().context("it can't be read")?;
        let problem = problem.to_string();
        ensure!(problem.contains(says) && !problem.contains(PASSWORD), "{problem}");
    }
    // One of them has its password from libpq's own file.
    let home = Home::new()?;
    let pass_file = home.path().join(".pgpass");
    std::fs::write(
        &pass_file,
        format!("elsewhere:*:*:*:guessed\nlocalhost:{port}:past:dogwatch:{PASSWORD}\n"),
    )?;
    std::fs::set_permissions(&pass_file, std::fs::Permissions::from_mode(0o600))?;
    let flags = flags(&ca, &password);
    let without = flags.iter().filter(|flag| !flag.starts_with("--history-password-file"));
    let by_pass_file = serve(&home, &playground, &without.map(String::as_str).collect::<Vec<_>>())?;
    let mut gateways = vec![by_pass_file];
    for _ in 0..2 {
        gateways.push(begin(&ca, &password)?);
    }
    for gateway in &gateways {
        Viewer::open(gateway).await?.until_recorded().await?;
    }
    let kills = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS_USUAL);
    let mut seen = Vec::new();
    for kill in 0..kills {
        // The one that began last goes first, and the viewer is at another one.
        let mut viewer = Viewer::open(&gateways[kill % 3]).await?;
        seen.push(viewer.look(&playground, kill).await?);
        gateways.remove((kill + 2) % 3).kill()?;
        seen.push(Viewer::open(&gateways[kill % 2]).await?.look(&playground, kills + kill).await?);
        let fresh = begin(&ca, &password)?;
        Viewer::open(&fresh).await?.until_recorded().await?;
        gateways.insert((kill + 2) % 3, fresh);
    }
    let last_ms = seen.last().context("a look")?.0;
    for gateway in &gateways {
        let mut viewer = Viewer::open(gateway).await?;
        viewer.until_kept(last_ms).await?;
        for (at_ms, pods) in &seen {
            viewer.expect(*at_ms, pods).await?;
        }
        let recorded = viewer.recorded(0, last_ms).await?;
        ensure!(recorded.unrecorded.is_empty() && recorded.problem.is_none(), "{recorded:?}");
    }
    let versions =
        database.run("past", "SELECT count(*), count(DISTINCT (kind, id, rv)) FROM dogwatch_version")?;
    let (kept, distinct) = versions.split_once('|').context("two numbers")?;
    ensure!(kept == distinct, "{kept} versions, {distinct} of them distinct");
    Ok(())
}
