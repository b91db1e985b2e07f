//! The pictures of the documents, each from a demo of its own.

use std::path::Path;

use anyhow::{Context, Result};
use testkit::browser::{Browser, Look};
use testkit::page;

use super::step::{PictureRig, Step, cut, fit};
use Step::{Click, Go, Keys, Kill, Type, Until};

struct Picture {
    name: &'static str,
    look: Look,
    steps: &'static [Step],
    /// The elements that the picture shows; empty for the whole window.
    around: &'static str,
}

const WIDE: Look = Look { width: 1440, height: 760, dark: false };
const TALL: Look = Look { width: 1440, height: 1000, dark: false };
const DARK: Look = Look { width: 1440, height: 560, dark: true };
const NARROW: Look = Look { width: 390, height: 700, dark: false };

const PODS: Step = Go("/v/pods@/*");
/// Few of the first rows by name ever change.
const NEWEST: Step = Go("/v/pods@/*?sort=age");
const CHANGED: Step = Until("shown('.gutter').includes('modified')");
/// What fails changes again and again.
const TROUBLE: Step = Go("/v/pods@/*?sort=trouble");
const FAILS: Step = Until("/Err|BackOff/.test(rows()[0]?.textContent)");
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
        name: "filter",
        look: WIDE,
        steps: &[
            Go("/v/pods@/*?q=age<60d"),
            Keys("/"),
            Type("\u{e010} status="),
            Until("deep('[role=option]').length > 0"),
        ],
        around: "[deep('.filter')[0], deep('.notice')[0], ...deep('.pop-filter')]",
    },
    Picture {
        name: "selectors",
        look: WIDE,
        steps: &[
            Go("/v/pods@/*?f=status.phase%3DRunning"),
            Click("deep('#add-labels')[0]"),
            Type("app in ("),
            Until("deep('[role=option]').length > 1"),
        ],
        around: "[deep('.filter')[0], deep('.notice')[0], ...deep('.pop')]",
    },
    Picture {
        name: "timeline",
        look: TALL,
        steps: &[
            TROUBLE,
            FAILS,
            Click("rows()[0]"),
            Click("deep('#tab-timeline')[0]"),
            Until("deep('.tl-item').length > 1"),
            Keys("d"),
            Until("deep('.diff-line').length > 3"),
        ],
        around: "deep('#panel')",
    },
    Picture {
        name: "palette",
        look: WIDE,
        steps: &[PODS, Keys(":dep sh"), Until("deep('[role=option]').length > 0")],
        around: "deep('.pop-palette')",
    },
    Picture {
        name: "paused",
        look: Look { width: 1440, height: 420, dark: false },
        steps: &[
            Go("/v/pods@/*?sort=age"),
            Until("rows().length > 5"),
            Keys(" "),
            Until("/[5-9] changes pending/.test(shown('.pill'))"),
        ],
        around: "deep('.view-host')",
    },
    Picture {
        name: "keys",
        look: WIDE,
        steps: &[PODS, Keys("?"), Until("deep('#help').length === 1")],
        around: "deep('.pop-help')",
    },
    Picture {
        name: "overview",
        look: WIDE,
        steps: &[TROUBLE, FAILS, Click("rows()[0]"), Until("shown('#panel').includes('Conditions')")],
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
        steps: &[PODS, Click("deep('.pill')[0]"), Until("shown('.pop-proof').includes('matches')")],
        around: "[deep('.pill')[0], deep('.pop-proof')[0]]",
    },
    Picture {
        name: "kubectl",
        look: WIDE,
        steps: &[
            Go("/v/pods@/*?f=status.phase%3DRunning&q=restarts>0"),
            Click("deep('#export')[0]"),
            Until("deep('#command').length === 1"),
        ],
        around: "[deep('.view-actions')[0], deep('.pop-export')[0]]",
    },
    Picture {
        name: "stale",
        look: Look { width: 1440, height: 480, dark: false },
        steps: &[TROUBLE, FAILS, Kill, Until("shown('.pill').includes('Stale')")],
        around: "",
    },
];

pub async fn take(folder: &Path, only: Option<&str>) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for picture in PICTURES.iter().filter(|picture| only.is_none_or(|name| name == picture.name)) {
        let png = of(picture).await.with_context(|| format!("the picture {}", picture.name))?;
        let file = folder.join(format!("{}.png", picture.name));
        std::fs::write(&file, &png)?;
        println!("{} {} bytes", file.display(), png.len());
    }
    Ok(())
}

async fn of(picture: &Picture) -> Result<Vec<u8>> {
    let mut rig = PictureRig::open().await?;
    let browser = Browser::start(picture.look).await?;
    fit(&browser, picture.look).await?;
    browser.open(rig.url()?).await?;
    page::until_pill(&browser, "Live").await?;
    for step in picture.steps {
        rig.take(&browser, *step).await?;
    }
    let png = cut(&browser, picture.around).await?;
    browser.close().await?;
    Ok(png)
}
