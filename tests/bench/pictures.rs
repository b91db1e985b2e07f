//! `cargo xtask bench pictures [FOLDER]`: the pictures of the documents, taken from the running demo as a
//! person comes to each: by link, keys and pointer. Into `docs/images`, unless told otherwise.

use std::path::PathBuf;

use anyhow::{Context, Result};
use base64::Engine;
use serde_json::json;
use tests::browser::{Browser, Look};
use tests::dogwatch::{Dogwatch, Home};
use tests::hand::click;
use tests::page::{self, DEEP};

struct Picture {
    name: &'static str,
    look: Look,
    steps: &'static [Step],
    /// Of which elements; of the window, when there are none.
    around: &'static str,
}

/// What a person does, or waits for.
enum Step {
    /// `@` stands for the cluster.
    Go(&'static str),
    Click(&'static str),
    Until(&'static str),
    /// Nothing is asked of this gateway any more.
    Kill,
}
use Step::{Click, Go, Kill, Until};

const WIDE: Look = Look { width: 1440, height: 760, dark: false };
const DARK: Look = Look { width: 1440, height: 560, dark: true };
const NARROW: Look = Look { width: 390, height: 700, dark: false };

const PODS: Step = Go("/v/pods@/*");
/// Few of the first rows by name ever change.
const NEWEST: Step = Go("/v/pods@/*?sort=age");
const CHANGED: Step = Until("shown('.gutter').includes('modified')");
const CHANGED_ROW: Step = Click("rows().find((row) => cells(row, 0)[0].includes('modified'))");

const PICTURES: &[Picture] = &[
    Picture { name: "table-light", look: WIDE, steps: &[PODS, CHANGED], around: "" },
    Picture { name: "table-dark", look: DARK, steps: &[PODS, CHANGED], around: "" },
    Picture { name: "table-narrow", look: NARROW, steps: &[NEWEST, CHANGED], around: "" },
    Picture {
        name: "columns",
        look: WIDE,
        steps: &[PODS, Click("deep('#columns')[0]"), Until("deep('.pop-columns').length === 1")],
        around: "[deep('.view-actions')[0], deep('.pop-columns')[0]]",
    },
    Picture {
        name: "overview",
        look: WIDE,
        steps: &[PODS, CHANGED, CHANGED_ROW, Until("shown('#panel').includes('Conditions')")],
        around: "deep('#panel')",
    },
    Picture {
        name: "yaml",
        look: WIDE,
        steps: &[
            Go("/v/deployments.apps@/*"),
            CHANGED,
            CHANGED_ROW,
            Click("deep('#tab-yaml')[0]"),
            Until("shown('#panel').includes('apiVersion: apps/v1')"),
        ],
        around: "deep('#panel')",
    },
    Picture {
        name: "log",
        look: WIDE,
        steps: &[Go("/log/pods@/*"), Until("deep('.log-lines > [role=row]').length > 11")],
        around: "deep('.view-host')",
    },
    Picture {
        name: "board",
        look: WIDE,
        steps: &[
            Go("/b?v=pods@/*;q=status!%3DRunning,Completed&v=deployments.apps@/*&v=nodes@/-&log=events@/*"),
            Until("shown('#health').includes('4 views live') && deep('#log').length === 1"),
        ],
        around: "",
    },
    Picture {
        name: "proof",
        look: WIDE,
        steps: &[PODS, Click("deep('.pill')[0]"), Until("shown('.pop-proof').includes('equal')")],
        around: "[deep('.pill')[0], deep('.pop-proof')[0]]",
    },
    Picture {
        name: "kubectl",
        look: WIDE,
        steps: &[
            Go("/v/pods@/*?f=status.phase%3DRunning&q=restarts>0"),
            Click("deep('#kubectl')[0]"),
            Until("deep('#command').length === 1"),
        ],
        around: "[deep('.view-actions')[0], deep('.pop-kubectl')[0]]",
    },
    Picture {
        name: "stale",
        look: Look { width: 1440, height: 480, dark: false },
        steps: &[PODS, CHANGED, Kill, Until("shown('.pill').includes('Stale')")],
        around: "",
    },
];

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("docs/images"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let wanted = std::env::args().nth(2);
    for picture in PICTURES.iter().filter(|picture| wanted.as_deref().is_none_or(|name| name == picture.name))
    {
        let png = take(picture).await.with_context(|| format!("the picture {}", picture.name))?;
        let file = folder.join(format!("{}.png", picture.name));
        std::fs::write(&file, &png)?;
        println!("{} {} bytes", file.display(), png.len());
    }
    Ok(())
}

/// A demo of its own for each: none shows what another one left.
async fn take(picture: &Picture) -> Result<Vec<u8>> {
    let home = Home::new()?;
    let mut dogwatch = Some(home.serve(&["--demo", "--listen", "127.0.0.1:0"])?);
    let browser = Browser::start(picture.look).await?;
    let size = json!({
        "width": picture.look.width, "height": picture.look.height, "deviceScaleFactor": 1, "mobile": false,
    });
    // A window of Chromium's can't be as narrow as a telephone.
    browser.devtools("Emulation.setDeviceMetricsOverride", size).await?;
    browser.open(dogwatch.as_ref().context("a gateway")?.url()).await?;
    page::until_pill(&browser, "Live").await?;
    for step in picture.steps {
        match step {
            Go(path) => go(&browser, dogwatch.as_ref().context("a gateway")?, path).await?,
            Click(expression) => click(&browser, expression).await?,
            Until(expression) => browser.until(expression, expression).await?,
            Kill => dogwatch.take().context("a gateway")?.kill()?,
        }
    }
    let png = cut(&browser, picture.around).await?;
    browser.close().await?;
    Ok(png)
}

async fn go(browser: &Browser, dogwatch: &Dogwatch, path: &str) -> Result<()> {
    let cluster = browser.run("return location.pathname.split('@')[1].split('/')[0]", Vec::new()).await?;
    let cluster = cluster.as_str().context("the address names the cluster")?;
    let path = path.replace("@/", &format!("@{cluster}/"));
    browser.open(&format!("{}{path}", dogwatch.origin())).await?;
    browser.until("live", "shown('.pill').includes('Live')").await
}

/// The smallest box that holds the elements, with a margin, where the window has it.
async fn cut(browser: &Browser, around: &str) -> Result<Vec<u8>> {
    let elements = if around.is_empty() { "[document.documentElement]" } else { around };
    let script = format!(
        "{DEEP} const boxes = ({elements}).map((element) => element.getBoundingClientRect());
         const left = Math.max(0, Math.min(...boxes.map((box) => box.left)) - {MARGIN_PX});
         const top = Math.max(0, Math.min(...boxes.map((box) => box.top)) - {MARGIN_PX});
         const right = Math.min(innerWidth, Math.max(...boxes.map((box) => box.right)) + {MARGIN_PX});
         const bottom = Math.min(innerHeight, Math.max(...boxes.map((box) => box.bottom)) + {MARGIN_PX});
         return {{ x: left, y: top, width: right - left, height: bottom - top, scale: 1 }};"
    );
    let clip = browser.run(&script, Vec::new()).await?;
    let taken = browser.devtools("Page.captureScreenshot", json!({ "format": "png", "clip": clip })).await?;
    let text = taken["data"].as_str().context("a picture")?;
    Ok(base64::engine::general_purpose::STANDARD.decode(text)?)
}

const MARGIN_PX: u32 = 8;
