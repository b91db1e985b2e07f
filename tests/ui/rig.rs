//! A gateway and a signed-in page of it. It asserts nothing.

use anyhow::Result;
use cluster::ControlPlane;
use playground::{Options, Playground};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::load::refused;
use testkit::{page, teams};

pub struct UiRig {
    pub dogwatch: Dogwatch,
    pub browser: Browser,
    /// Its name in links.
    pub cluster: String,
}

/// Room for a hundred rows: a table is read from the DOM, which holds the window alone.
pub const TALL: Look = Look { width: 1440, height: 3600, dark: false };

impl UiRig {
    pub async fn open(dogwatch: Dogwatch, look: Look) -> Result<Self> {
        let browser = page::signed_in(look, dogwatch.url()).await?;
        let cluster = page::cluster(&browser).await?;
        Ok(Self { dogwatch, browser, cluster })
    }

    pub async fn of_demo() -> Result<Self> {
        Self::open(Dogwatch::of_demo()?, Look::default()).await
    }

    pub async fn of_playground(playground: &Playground) -> Result<Self> {
        Self::open(Dogwatch::of_playground(playground)?, Look::default()).await
    }

    pub async fn of_plane(plane: &ControlPlane, look: Look) -> Result<Self> {
        Self::open(Dogwatch::of_cluster(&plane.kubeconfig())?, look).await
    }

    /// Opens `/v/pods@/*` and the like; `@` stands for the cluster.
    pub async fn visit(&self, path: &str) -> Result<()> {
        let path = path.replace('@', &format!("@{}", self.cluster));
        self.browser.open(&format!("{}{path}", self.dogwatch.origin())).await
    }

    /// The same, until its view is live.
    pub async fn go(&self, path: &str) -> Result<()> {
        self.visit(path).await?;
        page::until_pill(&self.browser, "Live").await
    }

    pub async fn go_to_pods(&self) -> Result<()> {
        self.go("/v/pods@/*?wide=0").await?;
        self.browser.until("pods", "rows().length > 5").await
    }
}

/// A playground that holds these objects alone.
pub async fn playground_of(objects: Vec<serde_json::Value>) -> Result<Playground> {
    let playground = Playground::start(Options::empty()).await?;
    playground.load(objects).map_err(refused)?;
    Ok(playground)
}

/// A gateway in mode `bearer` of the teams `team-a` and `team-b`, in which its viewers `alice` and `bob` have no right yet.
pub async fn of_bearers() -> Result<(Playground, Dogwatch)> {
    of_bearers_for(&[]).await
}

/// The same, with more flags.
pub async fn of_bearers_for(flags: &[&str]) -> Result<(Playground, Dogwatch)> {
    let viewers: [(&str, &[&str]); 2] = [("alice", &["payments-dev"]), ("bob", &["shop-dev"])];
    let playground = teams::playground(&viewers, &["team-a", "team-b"]).await?;
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let kubeconfig = kubeconfig.to_string_lossy();
    let own = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig];
    let dogwatch = home.serve(&[&own, flags].concat())?;
    Ok((playground, dogwatch))
}

/// Types a token into the login page, once it is there.
pub async fn sign_in(browser: &Browser, token: &str) -> Result<()> {
    browser.until("a field for a token", "deep('#token').length === 1").await?;
    browser.click("#token").await?;
    browser.press(token).await?;
    browser.click("#sign-in").await
}

/// Counts the sockets that a page opens, in `window.sockets`.
pub const COUNT_SOCKETS: &str = "
const Socket = WebSocket; window.sockets = 0;
window.WebSocket = class extends Socket { constructor(...all) { super(...all); window.sockets += 1; } };";
