//! The whole page without a browser, before a running gateway: the page's own core, its clock and a real socket. What a
//! reader sees is in its model; only drawing it needs a browser.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use page::changes::Sign;
use page::effect::Effect;
use page::model::{PaneModel, SeenRow};
use page::testing::{bar_of, brings, cells_of, notice_of, resized};
use page::{Environment, Host, Page};
use replica::client::Input;
use replica::driver::{self, Socket};
use replica::now::{MonotonicClock, Now};
use tokio::net::UnixStream;
use tokio::time::{Instant, Interval, interval};

use crate::browser::WAIT;
use crate::client;
use crate::kubectl_table::Table;
use crate::page::cluster_of;
use crate::recorder::Seen;

pub struct WholePage {
    page: Page,
    socket: Option<Socket<UnixStream>>,
    /// The gateway's Unix socket. A page that connects there needs no login.
    path: PathBuf,
    clock: MonotonicClock,
    second: Interval,
    address: String,
    seen: Seen,
}

enum Next {
    Input(Input),
    Second,
}

/// All rows of a test are in the window.
const WIDTH_PX: f64 = 1_440.0;
const HEIGHT_PX: f64 = 4_000.0;

impl WholePage {
    /// At the gateway's first page, until that is live.
    pub async fn open(socket: &Path) -> Result<Self> {
        let mut page = Self::open_in_an_outage(socket).await?;
        page.until("live", Self::is_live).await?;
        Ok(page)
    }

    /// The same, but only until the gateway has answered: the cluster may be out of reach.
    pub async fn open_in_an_outage(socket: &Path) -> Result<Self> {
        let environment = Environment { width_px: WIDTH_PX, ..Environment::default() };
        let mut page = Self {
            page: Page::new(Host::Dogwatch, environment),
            socket: None,
            path: socket.to_owned(),
            clock: MonotonicClock::default(),
            second: interval(Duration::from_secs(1)),
            address: String::new(),
            seen: Seen::default(),
        };
        page.tell(|page, now| {
            page.address_changed("/", now);
            page.handle(Input::Start, now);
        })
        .await;
        page.until("welcome", |page| cluster_of(&page.address).is_ok()).await?;
        Ok(page)
    }

    async fn until(&mut self, what: &str, wanted: impl Fn(&Self) -> bool) -> Result<()> {
        let started = Instant::now();
        while !wanted(self) {
            ensure!(started.elapsed() < WAIT, "the page never was {what}: {:#?}", self.seen);
            self.until_changed().await;
        }
        Ok(())
    }

    /// Opens `/v/pods@/*` and the like; `@` stands for the cluster that the page shows.
    pub async fn visit(&mut self, path: &str) -> Result<()> {
        let address = path.replace('@', &format!("@{}", cluster_of(&self.address)?));
        self.tell(|page, now| page.address_changed(&address, now)).await;
        let pane = self.page.panes().next().context("a pane")?.0;
        self.tell(|page, now| page.update(Some(pane), resized(WIDTH_PX, HEIGHT_PX).into(), now)).await;
        Ok(())
    }

    pub fn is_live(&self) -> bool {
        self.page.panes().next().is_some_and(|(_, pane)| pane.pill.word == "Live")
    }

    /// What a reader has seen since the last call of this.
    pub fn see_anew(&mut self) {
        self.seen = Seen::default();
        self.look();
    }

    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Handles what happens next: something that came, or a second that passed.
    pub async fn until_changed(&mut self) {
        let next = self.next().await;
        self.go_on(next).await;
    }

    /// Handles all that happens until something else is done, as a page in a browser does by itself.
    pub async fn live_during<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = std::pin::pin!(other);
        loop {
            let next = tokio::select! {
                done = &mut other => return done,
                next = self.next() => next,
            };
            self.go_on(next).await;
        }
    }

    async fn go_on(&mut self, next: Next) {
        self.tell(|page, now| match next {
            Next::Input(input) => page.handle(input, now),
            Next::Second => page.second(now),
        })
        .await;
    }

    /// The table on screen, but for what is used.
    pub fn table(&self) -> Table {
        let Some((_, pane)) = self.page.panes().next() else { return Table::default() };
        let is_of_view = |at: usize| pane.table.columns.get(at).is_none_or(|column| column.polled.is_none());
        let of_view = |texts: Vec<String>| {
            let texts = texts.into_iter().enumerate().filter(|(at, _)| is_of_view(*at));
            texts.map(|(_, text)| text).collect()
        };
        Table {
            columns: of_view(pane.table.columns.iter().map(|column| column.title.clone()).collect()),
            rows: rows(pane).map(|row| of_view(cells_of(row))).collect(),
        }
    }

    async fn next(&mut self) -> Next {
        let now_ms = self.now().now_ms;
        let timer = self.page.timer_ms().map(|at_ms| {
            let wait_ms = at_ms.saturating_sub(now_ms).max(0).unsigned_abs();
            Instant::now() + Duration::from_millis(wait_ms)
        });
        let message = async {
            match &mut self.socket {
                Some(socket) => socket.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            // On a busy machine what came may wait here; it tells more than the clock does.
            input = message => Next::Input(input),
            () = driver::until(timer) => Next::Input(Input::Timer),
            _ = self.second.tick() => Next::Second,
        }
    }

    /// Changes the page, carries its effects out as a browser would, and draws it.
    async fn tell(&mut self, change: impl FnOnce(&mut Page, Now)) {
        let now = self.now();
        change(&mut self.page, now);
        self.carry_out().await;
        // What is drawn may ask for a piece of the program.
        self.page.render(now.now_ms);
        self.carry_out().await;
        self.look();
    }

    async fn carry_out(&mut self) {
        while let Some(effect) = self.page.poll_effect() {
            let now = self.now();
            match effect {
                Effect::Connect => {
                    self.socket = client::open(&self.path).await.ok().map(Socket::new);
                    let is_open = self.socket.is_some();
                    self.page.handle(if is_open { Input::Opened } else { Input::Closed { code: None } }, now);
                }
                Effect::Send(frame) => {
                    if let Some(socket) = &mut self.socket {
                        socket.send(&frame);
                    }
                }
                Effect::Disconnect => self.socket = None,
                Effect::Fetch(piece) => self.page.brought(brings(piece), now),
                Effect::PushAddress(address) | Effect::ReplaceAddress(address) => self.address = address,
                // Nothing of this is seen in a table.
                _ => {}
            }
        }
    }

    /// Remembers what is on screen.
    fn look(&mut self) {
        let Some((_, pane)) = self.page.panes().next() else { return };
        let blank = pane.empty_state.as_ref().map(|said| format!("{} {}", said.title, said.text));
        let words = [notice_of(pane), blank.unwrap_or_default(), bar_of(&self.page)].join(" | ");
        self.seen.note(&pane.pill.word, &words, rows(pane).count());
    }

    fn now(&mut self) -> Now {
        Now { now_ms: self.clock.now_ms(driver::wall_ms()), chance: 0.5 }
    }
}

/// Those that there are: a deleted one stands at its place for a while.
fn rows(pane: &PaneModel) -> impl Iterator<Item = &SeenRow> {
    pane.rows.rows.iter().filter(|row| row.sign != Some(Sign::Deleted))
}
