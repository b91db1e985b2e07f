//! Links: from strangers, and back and forward.

use anyhow::{Result, ensure};
use testkit::page;

use crate::rig::Rig;

pub async fn what_of_a_link_cannot_be_read_is_named_and_the_rest_is_used(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    let crowd = format!("/b?{}", "v=nodes@/-&".repeat(300));
    for (path, named, used) in [
        ("/v/pods@/*?colour=red&q=kube", "colour", "shown('#row-count').includes('of')"),
        ("/v/pods@/*?l=app+in+web&sort=-age", "app in web", "deep('[aria-sort=descending]').length === 1"),
        ("/v/pods@/*?q=%22%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&x=<script>", "script", "true"),
        ("/b?v=pods@/*&x=1&v=nodes@/-", "x", "deep('.view-host').length === 2"),
        ("/v/pods@/*?o=shop/%2e%2e&tab=yaml&sort=-age", "is not valid", "deep('[aria-sort]').length === 1"),
        (
            "/v/pods@/*,%3Csvg%20onload%3Dalert(1)%3E?q=kube",
            "is not valid",
            "deep('#row-count').length === 1",
        ),
        (
            "/v/pods@/*?cols=name,A:.spec[x],gone,%3Cb%3E:.metadata.name,name",
            "invalid array index x",
            "deep('[role=columnheader]').slice(1).map((title) => title.textContent.trim()).join() === 'NAME,<b>'",
        ),
        ("/v/pods@/*?sort=-colour&q=kube", "no such column", "shown('#row-count').includes('of')"),
        (&crowd, "12", "deep('.view-host').length === 12"),
    ] {
        rig.go(path).await?;
        browser
            .until(&format!("{named} is named"), &format!("shown('#bar').toLowerCase().includes('{named}')"))
            .await?;
        browser.until(&format!("the rest of {path} is used"), used).await?;
        ensure!(
            browser.read("deep('img, script:not([src])').length").await?.as_u64() == Some(0),
            "markup was made"
        );
        browser.click("#bar button").await?;
        browser.until("the bar is gone", "deep('#bar').length === 0").await?;
    }
    let long = "a".repeat(20_000);
    rig.go(&format!("/v/pods@/*?q={long}")).await?;
    browser.until("it is too long", "shown('#bar').includes('too long')").await?;
    browser.until("rows all the same", "rows().length > 5").await
}

pub async fn back_and_forward_go_through_what_was_seen(rig: &Rig) -> Result<()> {
    let browser = &rig.browser;
    rig.go_to_pods().await?;
    browser.click("a[href*='/v/services@']").await?;
    browser.until("services", "location.pathname.startsWith('/v/services@')").await?;
    page::until_pill(browser, "Live").await?;
    browser.click("#look").await?;
    browser.until("their log", "location.pathname.startsWith('/log/services@')").await?;
    browser.client().back().await?;
    browser
        .until(
            "services again",
            "location.pathname.startsWith('/v/services@') && deep('[role=grid]').length === 1",
        )
        .await?;
    browser.client().back().await?;
    browser.until("pods again", "location.pathname.startsWith('/v/pods@') && rows().length > 5").await?;
    browser.client().forward().await?;
    browser.until("services once more", "location.pathname.startsWith('/v/services@')").await
}
