//! One case: a playground, a gateway and a window of its own, broken and mended as a person would.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use fantoccini::wd::WindowHandle;
use kube::Client;
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::browser::Browser;
use testkit::dogwatch::Dogwatch;
use testkit::recorder::{self, Seen};
use testkit::{api, page};

use super::document::{Case, Rows};

pub struct Rig {
    case: Case,
    playground: Playground,
    client: Client,
    window: WindowHandle,
    _dogwatch: Dogwatch,
}

/// How much happens in the cluster before the fault, and again while it stands.
const CHANGES: usize = 12;

impl Rig {
    pub async fn open(browser: &Browser, case: Case) -> Result<Self> {
        let options = Options { bookmark_interval: Duration::from_secs(1), ..Options::quiet() };
        let playground = Playground::start(options).await?;
        let client = admin_api(&playground).await?;
        if case.rows == Rows::Come {
            post(&client, &case).await?;
        }
        let dogwatch = Dogwatch::of_playground(&playground)?;
        let window = browser.open_window().await?;
        browser.open(dogwatch.url()).await?;
        page::until_pill(browser, "Live").await?;
        browser.open(&page::link(browser, &dogwatch.origin(), "pods", "*").await?).await?;
        recorder::start(browser).await?;
        let rig = Self { case, playground, client, window, _dogwatch: dogwatch };
        page::until_pill(browser, "Live").await?;
        rig.playground.step_fleet(CHANGES);
        rig.until_whole(browser).await?;
        Ok(rig)
    }

    pub async fn break_it(&mut self, browser: &Browser) -> Result<()> {
        if self.case.rows == Rows::Come {
            return Ok(());
        }
        browser.look_at(&self.window).await?;
        recorder::start(browser).await?;
        post(&self.client, &self.case).await
    }

    /// The pill's words in their order, then the sentence, then the rows.
    pub async fn what_is_wrong_while_broken(&self, browser: &Browser) -> Result<()> {
        browser.look_at(&self.window).await?;
        let wanted = json!({ "pills": self.case.pills, "words": self.case.words });
        let ready = format!(
            "(({{ pills, words }}) => {{
              let from = 0;
              for (const pill of pills) {{ from = seen.pills.indexOf(pill, from) + 1; if (!from) return false; }}
              return words.every((part) => seen.words.some((text) => text.includes(part)));
            }})({wanted})"
        );
        let shown = browser.until(&self.case.title, &ready).await;
        let seen = recorder::seen(browser).await?;
        self.picture(browser).await?;
        shown.with_context(|| format!("{}: {seen:#?}", self.case.title))?;
        self.expect_rows(&seen)
    }

    fn expect_rows(&self, seen: &Seen) -> Result<()> {
        let expected = match self.case.rows {
            Rows::Stay => seen.rows_least > 0,
            Rows::Leave => seen.rows_least == 0,
            // They were awaited when the page was opened.
            Rows::Come => true,
        };
        ensure!(expected, "{}: the least rows were {}", self.case.title, seen.rows_least);
        Ok(())
    }

    /// What happened meanwhile is what the page must know afterwards.
    pub async fn mend(&mut self, browser: &Browser) -> Result<()> {
        self.playground.step_fleet(CHANGES);
        browser.look_at(&self.window).await?;
        recorder::start(browser).await?;
        self.playground.clear_faults();
        if self.case.rows == Rows::Come {
            // What a watch is like is decided when it is opened.
            self.playground.cut_watches(None);
        }
        Ok(())
    }

    pub async fn what_is_wrong_afterwards(&self, browser: &Browser) -> Result<()> {
        browser.look_at(&self.window).await?;
        self.until_exact(browser).await.with_context(|| self.case.title.clone())?;
        let seen = recorder::seen(browser).await?;
        for part in &self.case.then {
            ensure!(
                seen.words.iter().any(|text| text.contains(part)),
                "{}: never {part:?}: {seen:#?}",
                self.case.title
            );
        }
        let lost = seen.words.iter().any(|text| text.contains("Gap,"));
        ensure!(lost != self.case.then.is_empty(), "{}: {seen:#?}", self.case.title);
        Ok(())
    }

    /// Live, with every object that there is.
    async fn until_whole(&self, browser: &Browser) -> Result<()> {
        let names: Vec<Value> =
            self.playground.list("pods").iter().map(|pod| pod["metadata"]["name"].clone()).collect();
        let ready = format!(
            "shown('.pill').includes('Live') && rows().length === {} && {}.every(rowOf)",
            names.len(),
            json!(names)
        );
        browser.until("live, with all rows", &ready).await
    }

    /// Live, and cell for cell what the server prints.
    async fn until_exact(&self, browser: &Browser) -> Result<()> {
        self.until_whole(browser).await?;
        let theirs = api::table(&self.client, "/api/v1/pods").await?;
        let ready = format!(
            "shown('.pill').includes('Live') && (({{ columns, rows: wanted }}) => wanted.length === rows().length
               && wanted.every((row, at) => row.every((cell, place) =>
                 ['AGE', 'RESTARTS'].includes(columns[place]) || cells(rows()[at])[place] === cell)))({})",
            json!({ "columns": theirs.columns, "rows": theirs.rows })
        );
        browser.until("live, with the server's cells", &ready).await?;
        let ours = page::table(browser).await?;
        ours.compare(&theirs).map_err(|difference| anyhow!("{difference}"))
    }

    /// With `DOGWATCH_PICTURES=FOLDER`, a picture of each case while it is broken.
    async fn picture(&self, browser: &Browser) -> Result<()> {
        let Some(folder) = std::env::var_os("DOGWATCH_PICTURES") else { return Ok(()) };
        let name = self.case.title.replace(|character: char| !character.is_alphanumeric(), "-");
        browser.screenshot(&PathBuf::from(folder).join(format!("{name}.png"))).await
    }
}

async fn post(client: &Client, case: &Case) -> Result<()> {
    for post in &case.posts {
        api::post(client, &post.path, &post.body).await?;
    }
    Ok(())
}

/// A client of the playground that the gateway's faults don't concern.
pub async fn admin_api(playground: &Playground) -> Result<Client> {
    let file = tempfile::NamedTempFile::new()?;
    playground.write_kubeconfig(file.path())?;
    api::client(file.path()).await
}
