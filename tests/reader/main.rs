//! A person reads the page, with keys and pointer, in Chromium: what is paused stands still, what is
//! chosen stays chosen, what is taken along is what was shown, and the same link shows the same. Once
//! against the playground, once against a real kube-apiserver whose fleet lives.

mod board;
mod columns;
mod finding;
mod go_to;
mod link;
mod log;
mod many;
mod odd;
mod place;
mod sizes;
mod stage;
mod stopped;
mod storage;
mod table;
mod tabs;
mod team;
mod version;

use anyhow::Result;
use cluster::{ControlPlane, Fleet, Options};
use playground::{Failure, Playground};
use tests::browser::{Browser, Look};
use tests::dogwatch::{Dogwatch, Home};
use tests::page;

/// What a scenario finds: pods of all namespaces, and a fleet that changes them.
struct Scene {
    _home: Home,
    dogwatch: Dogwatch,
    browser: Browser,
    /// To ask what `kubectl` would; the playground takes the same commands.
    plane: Option<ControlPlane>,
    cluster: String,
}

#[tokio::test]
async fn a_reader_of_the_playground_keeps_what_is_seen() -> Result<()> {
    let (home, dogwatch) = Home::demo()?;
    Scene::open(home, dogwatch, None).await?.play().await
}

#[tokio::test]
async fn a_reader_of_a_real_cluster_with_a_fleet_keeps_what_is_seen() -> Result<()> {
    let plane = ControlPlane::start(Options {
        fleet: Some(Fleet { speed: 4, ..Fleet::default() }),
        ..Options::default()
    })?;
    let home = Home::new()?;
    let dogwatch = home.serve_cluster(&plane.kubeconfig())?;
    Scene::open(home, dogwatch, Some(plane)).await?.play().await
}

/// What the playground refuses.
fn refused(failure: Failure) -> anyhow::Error {
    anyhow::anyhow!("{failure:?}")
}

impl Scene {
    /// Against a playground that a test fills.
    async fn of(playground: &Playground) -> Result<Self> {
        let home = Home::new()?;
        let dogwatch = home.serve_playground(playground)?;
        Self::open(home, dogwatch, None).await
    }

    async fn open(home: Home, dogwatch: Dogwatch, plane: Option<ControlPlane>) -> Result<Self> {
        let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
        let cluster = page::cluster(&browser).await?;
        Ok(Self { _home: home, dogwatch, browser, plane, cluster })
    }

    async fn play(self) -> Result<()> {
        table::what_is_paused_stands_still(&self).await?;
        table::rows_that_were_chosen_stay_chosen(&self).await?;
        table::what_is_taken_along_is_what_is_shown(&self).await?;
        table::the_focus_is_a_row_and_never_a_place(&self).await?;
        table::rows_of_the_window_are_used_again_and_stand_in_order(&self).await?;
        log::every_event_is_a_line(&self).await?;
        log::a_log_is_filtered_paused_and_cleared(&self).await?;
        board::two_panes_over_the_same_rows_keep_their_filters_apart(&self).await?;
        board::a_board_is_one_link_over_one_socket(&self).await?;
        go_to::a_few_letters_lead_to_a_kind_and_a_namespace(&self).await?;
        go_to::a_pinned_kind_stays_at_the_top(&self).await?;
        go_to::the_sheet_of_keys_opens_and_closes(&self).await?;
        link::what_of_a_link_cannot_be_read_is_named_and_the_rest_is_used(&self).await?;
        link::back_and_forward_go_through_what_was_seen(&self).await?;
        self.browser.close().await
    }

    /// Opens `/v/pods@…/*` and the like; `@` stands for the cluster.
    async fn go(&self, path: &str) -> Result<()> {
        let url = format!("{}{}", self.dogwatch.origin(), path.replace('@', &format!("@{}", self.cluster)));
        self.browser.open(&url).await?;
        page::until_pill(&self.browser, "Live").await
    }

    async fn go_to_pods(&self) -> Result<()> {
        self.go("/v/pods@/*").await?;
        self.browser.until("pods", "rows().length > 5").await
    }

    /// The keyboard is in the table from here on.
    async fn enter_table(&self) -> Result<()> {
        self.browser.enter_table().await
    }
}
