//! A real kube-apiserver where nothing changes by itself, a gateway before it, and a page at all its pods.

use anyhow::{Context, Result};
use cluster::{ControlPlane, Options};
use tests::browser::{Browser, Look};
use tests::contents;
use tests::dogwatch::{Dogwatch, Home};
use tests::page;

/// Room for every column of the pods.
const WIDE: Look = Look { width: 1680, height: 1000, dark: false };

pub struct Stage {
    pub plane: ControlPlane,
    _home: Home,
    dogwatch: Dogwatch,
    pub browser: Browser,
}

impl Stage {
    pub async fn start() -> Result<Self> {
        let plane = ControlPlane::start(Options::default())?;
        contents::fill(&plane)?;
        let home = Home::new()?;
        let dogwatch = home.serve_cluster(&plane.kubeconfig())?;
        let browser = page::signed_in(WIDE, dogwatch.url()).await?;
        let stage = Self { plane, _home: home, dogwatch, browser };
        stage.go("").await?;
        Ok(stage)
    }

    /// All pods, with such a query.
    pub async fn go(&self, query: &str) -> Result<()> {
        self.go_to("pods", query).await
    }

    pub async fn go_to(&self, kind: &str, query: &str) -> Result<()> {
        let link = page::link(&self.browser, &self.dogwatch.origin(), kind, "*").await?;
        let (path, _) = link.split_once('?').context("a query")?;
        self.browser.open(&format!("{path}{query}")).await?;
        page::until_pill(&self.browser, "Live").await
    }

    pub async fn until(&self, what: &str, expression: &str) -> Result<()> {
        self.browser.until(what, expression).await
    }

    pub async fn text(&self, expression: &str) -> Result<String> {
        self.browser.text(&format!("String({expression})")).await
    }
}
