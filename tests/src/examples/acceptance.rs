//! What every example has to do, asked of its page as a reader of the portal would, and of its site.

use anyhow::{Context, Result, ensure};
use fantoccini::Locator;
use serde_json::json;

use super::{Cluster, Example, Policy, PortalRig, View};
use crate::browser::{Browser, Engine, Look};

/// Fails with the first thing that the example doesn't do.
pub async fn accept<C: Cluster>(example: &Example, engine: Engine, rig: &PortalRig<C>) -> Result<()> {
    let accepted = Acceptance::new(example, engine, rig).await?.run().await;
    accepted.with_context(|| format!("{} in {engine:?}", example.name))
}

struct Acceptance<'a, C> {
    example: &'a Example,
    rig: &'a PortalRig<C>,
    browser: Browser,
    /// The pods of the chosen namespace that have to be shown.
    pods: Vec<String>,
}

impl<'a, C: Cluster> Acceptance<'a, C> {
    async fn new(example: &'a Example, engine: Engine, rig: &'a PortalRig<C>) -> Result<Self> {
        let browser = Browser::start_as(engine, Look::default()).await?;
        Ok(Self { example, rig, browser, pods: Vec::new() })
    }

    async fn run(mut self) -> Result<()> {
        let chosen = self.rig.namespaces.first().context("a namespace")?.clone();
        for namespace in &self.rig.namespaces {
            self.rig.create_pod(namespace, &format!("{namespace}-first"), self.example.label)?;
            if self.example.label.is_some() {
                self.rig.create_pod(namespace, &format!("{namespace}-of-others"), None)?;
            }
        }
        self.browser.open(self.rig.host.origin()).await?;
        self.is_live().await?;
        let all = self.rig.namespaces.iter().map(|namespace| format!("{namespace}-first")).collect();
        self.shows("the rows of all namespaces", all).await?;

        let select = self.browser.client().find(Locator::Css("[data-namespaces]")).await?;
        select.select_by_label(&chosen).await?;
        self.pods.push(format!("{chosen}-first"));
        self.shows("the rows of the chosen namespace", self.pods.clone()).await?;
        self.is_live().await?;
        self.a_change_arrives(&chosen).await?;

        self.in_view(true).await?;
        self.browser.click_within(&format!("rowOf('{chosen}-first').querySelector('.td-ready')")).await?;
        self.in_view(false).await?;
        let heard = format!("shown('[data-activated]') === '{chosen}/{chosen}-first'");
        self.browser.until("the portal hears of the row that was opened", &heard).await?;
        if self.example.view == View::Element {
            self.shows_an_object_until_it_is_closed().await?;
        }

        self.browser.click("[data-toggle]").await?;
        let is_gone = match self.example.view {
            View::Element => "deep('dogwatch-table').length === 0 && shown('[data-state]') === 'not there'",
            View::Frame => "deep('iframe').length === 0",
        };
        self.browser.until("the view is removed", is_gone).await?;
        self.browser.click("[data-toggle]").await?;
        self.is_live().await?;
        self.shows("the same rows again", self.pods.clone()).await?;

        self.outlives_its_token(&chosen).await?;
        self.troubled_nobody().await
    }

    /// The opened row stands beside the table, and its button takes it away.
    async fn shows_an_object_until_it_is_closed(&self) -> Result<()> {
        self.browser.until("the object's button", &format!("deep('{CLOSE}').length === 1")).await?;
        self.browser.click_on(&format!("deep('{CLOSE}')[0]")).await?;
        self.browser.until("the object is closed", "deep('dogwatch-object').length === 0").await
    }

    /// Rows come while the token ends that they began with, and none goes.
    async fn outlives_its_token(&mut self, namespace: &str) -> Result<()> {
        self.browser.run("window.states = [];", Vec::new()).await?;
        let programs = self.example.view.programs();
        self.rig.host.until_asked(programs + 1).await?;
        self.a_change_arrives(namespace).await?;
        // The ages of the rows change meanwhile.
        let is_over = format!("Date.now() > {}", (self.rig.first_ends_s() + 1) * 1_000);
        self.in_view(true).await?;
        self.browser.until("the first token's time is over", &is_over).await?;
        self.in_view(false).await?;
        self.a_change_arrives(namespace).await?;
        self.is_live().await?;
        let states = self.browser.read("window.states.filter((state) => state !== 'live')").await?;
        ensure!(states == json!([]), "the view was {states} meanwhile");
        let sockets = self.browser.read("window.sockets").await?;
        ensure!(sockets == json!(programs), "{sockets} sockets for {programs} programs");
        let asked = self.rig.host.asked();
        ensure!(asked == programs + 1, "{} tokens are enough, but {asked} were asked", programs + 1);
        Ok(())
    }

    /// Nothing was thrown or written to the console, and nothing broke the content policy: what the test does against
    /// it at last is the only report.
    async fn troubled_nobody(self) -> Result<()> {
        let errors = self.browser.read("window.errors").await?;
        ensure!(errors == json!([]), "the portal's page was troubled: {errors}");
        let console = self.browser.console_errors().await?;
        ensure!(console.is_empty(), "the console holds errors:\n{}", console.join("\n"));
        let broken = match self.example.policy {
            Policy::TrustedTypes(_) | Policy::OwnProgram => {
                ("document.body.innerHTML = '<b>markup</b>'", "require-trusted-types-for")
            }
            Policy::Grafana | Policy::Backstage => ("new Audio('data:audio/wav,')", "media-src"),
        };
        self.browser.run(&format!("try {{ {}; }} catch {{ }}", broken.0), Vec::new()).await?;
        let reports = self.rig.host.reports().await?;
        ensure!(reports.len() == 1 && reports[0].contains(broken.1), "reports: {reports:#?}");
        Ok(self.browser.client().clone().close().await?)
    }

    async fn a_change_arrives(&mut self, namespace: &str) -> Result<()> {
        let name = format!("{namespace}-{}", self.pods.len());
        self.rig.create_pod(namespace, &name, self.example.label)?;
        self.pods.push(name);
        self.shows("the pod that was created", self.pods.clone()).await
    }

    async fn is_live(&self) -> Result<()> {
        self.browser.until("the portal hears that it is live", "shown('[data-state]') === 'live'").await?;
        self.in_view(true).await?;
        self.browser.until("the view says that it is live", "shown('.pill').includes('Live')").await?;
        self.in_view(false).await
    }

    /// These pods and no others, by their names.
    async fn shows(&self, what: &str, names: Vec<String>) -> Result<()> {
        let names = serde_json::to_string(&names)?;
        let expression = format!("count() === {names}.length && hasRows({names})");
        self.in_view(true).await?;
        self.browser.until(what, &expression).await?;
        self.in_view(false).await
    }

    /// Scripts run where the rows are, or in the portal's page again.
    async fn in_view(&self, inside: bool) -> Result<()> {
        match (self.example.view, inside) {
            (View::Element, _) => {}
            (View::Frame, true) => self.browser.client().clone().enter_frame(0).await?,
            (View::Frame, false) => self.browser.client().clone().enter_parent_frame().await?,
        }
        Ok(())
    }
}

const CLOSE: &str = ".panel-head [aria-label^=Close]";
