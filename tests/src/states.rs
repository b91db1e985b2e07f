//! The states of the page that are reached by a link, keys and a click on the demo: each is looked at by axe-core, by
//! the test of sizes where it says so, and by the gallery of pictures.

use anyhow::Result;

use crate::browser::Browser;
use crate::dogwatch::Dogwatch;
use crate::input::ENTER;
use crate::page;

/// A state: where it is, what a person presses there, and what the page then shows.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub name: &'static str,
    pub path: &'static str,
    pub keys: &'static str,
    /// What is clicked then.
    pub clicks: &'static str,
    pub shows: &'static str,
    /// Whether its boxes are measured at every size of the window.
    pub is_measured: bool,
}

const fn state(name: &'static str, path: &'static str, keys: &'static str, shows: &'static str) -> State {
    State { name, path, keys, clicks: "", shows, is_measured: false }
}

const fn measured(name: &'static str, path: &'static str, keys: &'static str, shows: &'static str) -> State {
    State { is_measured: true, ..state(name, path, keys, shows) }
}

const PODS: &str = "/v/pods@playground/*";
const CHIPS: &str = "/v/pods@playground/*?l=app&f=status.phase%3DRunning&q=restart>5";
const BOARD: &str =
    "/b?v=pods@playground/*;q=status!%3DRunning&v=deployments.apps@playground/shop&v=nodes@playground/-";

pub const STATES: &[State] = &[
    measured("table", PODS, "", "rows().length > 5"),
    state("wide", "/v/pods@playground/*?wide=1&sort=-restarts", "", "rows().length > 5"),
    measured("selectors", CHIPS, "", "deep('.chip').length > 1"),
    measured("autoscalers", "/v/horizontalpodautoscalers.autoscaling@playground/*", "", "rows().length > 0"),
    state("cluster scoped", "/v/nodes@playground/-", "", "rows().length > 2"),
    measured("paused", PODS, " ", "shown('.pill').includes('Paused')"),
    state("selected", PODS, "xjjX", "shown('.strip').includes('selected')"),
    measured("unread link", "/v/pods@playground/*?x=1", "", "deep('#bar').length === 1"),
    state("filter", "/v/pods@playground/*?q=restarts>5+nonsense:x", "", "deep('#filter').length === 1"),
    state("no match", "/v/pods@playground/*?q=zzzz", "", "shown('.blank').length > 0"),
    state("unknown kind", "/v/unicorns@playground/*", "", "shown('.blank').includes('unicorns')"),
    // The table of nodes, because axe-core would blame a title that the list covers by half.
    state("columns", "/v/nodes@playground/-", "c", "shown('.pop-columns').includes('KERNEL-VERSION')"),
    state("completion", PODS, "/sta", "deep('[role=option]').length > 0"),
    state("export", "/v/pods@playground/*?q=a", "K", "deep('.pop-export').length === 1"),
    state("palette", PODS, ":p", "deep('[role=option]').length > 1"),
    state("keys", PODS, "?", "deep('#help').length === 1"),
    State { clicks: "#who", ..measured("who am I", PODS, "", "deep('#who-pop').length === 1") },
    measured("panel", "/v/deployments.apps@playground/*", ENTER, "shown('#panel').includes('Conditions')"),
    state("panel of a pod", PODS, ENTER, "shown('#panel').includes('Conditions')"),
    state(
        "panel of a failing pod",
        "/v/pods@playground/*?sort=trouble&q=health%3Dfailing",
        ENTER,
        "deep('#why').length === 1 && shown('#panel').includes('Conditions')",
    ),
    state("hidden kind", "/v/secrets@playground/*", "", "shown('.blank').includes('hidden')"),
    state("timeline", PODS, "t", "deep('#tab-timeline[aria-selected=true]').length === 1"),
    measured("yaml", PODS, "y", "shown('#panel').includes('apiVersion')"),
    measured("log", "/log/pods@playground/*", "", "deep('.log-lines > [role=row]').length > 2"),
    measured("board", BOARD, "", "deep('.pill-live').length === 3"),
    state(
        "board with a log",
        "/b?v=pods@playground/*&v=nodes@playground/-&log=events@playground/*",
        "",
        "deep('.view-host').length === 3",
    ),
];

impl State {
    pub async fn open(&self, browser: &Browser, dogwatch: &Dogwatch) -> Result<()> {
        browser.open(&format!("{}{}", dogwatch.origin(), self.path)).await?;
        browser.until("the view is there", "shown('.pill') !== ''").await?;
        if !self.keys.is_empty() {
            page::until_pill(browser, "Live").await?;
            browser.enter_table().await?;
            browser.press(self.keys).await?;
        }
        if !self.clicks.is_empty() {
            page::until_pill(browser, "Live").await?;
            browser.click(self.clicks).await?;
        }
        browser.until(self.name, self.shows).await
    }
}
