//! The npm package in an empty app of Vite: installed from its archive, bundled for production, and live in a browser
//! before a gateway of this release. Once it takes the program from the gateway, and once it brings its own.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::{Released, said};
use crate::browser::{Browser, Look};
use crate::dogwatch::Home;
use crate::examples::{Host, Policy, Site};
use crate::load::refused;
use crate::teams::{self, Subject};
use playground::{Options, Playground, User};

const VITE: &str = "vite@8.3.8";
/// What a module imports, and under which policy its page stands.
const WAYS: [(&str, Policy); 2] =
    [("dogwatch", Policy::TrustedTypes("'none'")), ("dogwatch/inline", Policy::OwnProgram)];

/// `gateway`: the program of this release. Returns what was seen.
pub async fn works(released: &Released, gateway: &Path) -> Result<String> {
    let app = released.empty("app")?;
    let archive = released.file(&format!("dogwatch-element-{}.tgz", released.version));
    fs::write(app.join("package.json"), r#"{ "private": true, "type": "module" }"#)?;
    fs::write(app.join("index.html"), INDEX)?;
    fs::write(app.join("style.css"), "dogwatch-table { height: 480px; }")?;
    let install =
        ["install", "--no-audit", "--no-fund", "--ignore-scripts", VITE, &archive.to_string_lossy()];
    said("npm", &install, &app)?;
    let mut seen = Vec::new();
    for (module, policy) in WAYS {
        let host = Host::start().await?;
        let playground = cluster().await?;
        let home = Home::of_release(gateway)?;
        let kubeconfig = home.kubeconfig_of(&playground)?;
        let kubeconfig = kubeconfig.to_string_lossy();
        let listen = ["--listen", "127.0.0.1:0", "--auth", "bearer", "--kubeconfig", &kubeconfig];
        let dogwatch = home.serve(&[&listen[..], &["--allowed-origin", host.origin()]].concat())?;
        fs::write(app.join("main.js"), main(module, &dogwatch.origin()))?;
        said("npx", &["vite", "build"], &app)?;
        host.serve(Site {
            folder: app.join("dist"),
            policy,
            gateway: dogwatch.origin(),
            namespaces: Vec::new(),
            tokens: Box::new(|_| TOKEN.to_owned()),
        })?;
        let browser = Browser::start(Look::default()).await?;
        browser.open(host.origin()).await?;
        let is_live = "shown('.pill').includes('Live') && rows().length > 2";
        browser.until("live rows", is_live).await.with_context(|| module.to_owned())?;
        let rows = browser.read("rows().length").await?;
        let errors = browser.console_errors().await?;
        ensure!(errors.is_empty(), "{module}: the console holds errors:\n{}", errors.join("\n"));
        browser.close().await?;
        seen.push(format!("`import \"{module}\"`, bundled, shows {rows} rows"));
    }
    Ok(seen.join("; "))
}

const TOKEN: &str = "token-of-alice";

/// Some namespaces, which alice may see.
async fn cluster() -> Result<Playground> {
    let users = vec![
        User::new("dogwatch", "token-of-the-gateway", &["system:masters"]),
        User::new("alice", TOKEN, &[]),
    ];
    let playground = Playground::start(Options { users, ..Options::empty() }).await?;
    for name in ["shop", "payments", "search"] {
        let named = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        playground.create(named).map_err(refused)?;
    }
    teams::allow(&playground, "", Subject::User("alice"))?;
    Ok(playground)
}

const INDEX: &str = r#"<!doctype html>
<meta charset="utf-8">
<title>An app</title>
<link rel="stylesheet" href="/style.css">
<dogwatch-table resource="namespaces" namespaces="-"></dogwatch-table>
<script type="module" src="/main.js"></script>
"#;

fn main(module: &str, gateway: &str) -> String {
    format!(
        r#"import "{module}";
const table = document.querySelector("dogwatch-table");
table.tokenProvider = async () => (await fetch("/token")).text();
table.setAttribute("gateway", "{gateway}");
"#
    )
}
