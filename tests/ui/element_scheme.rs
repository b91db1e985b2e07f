//! Light or dark: an element takes what its page says for its place, also later, and what the system says where the page
//! says nothing.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

use crate::element::{import, visit};

/// `schemes()`: what is painted in: the message of the element that has one, the changes, the object, and the table.
const HELPERS: &str = "
  window.schemes = () => {
    const hosts = ['[density]', 'dogwatch-changes', 'dogwatch-object', 'dogwatch-table:not([density])'].map((host) => document.querySelector(host));
    const boxes = hosts.map((host) => host?.shadowRoot.querySelector('[part=error], .dw-host'));
    return boxes.map((box) => {
      const [red] = box ? getComputedStyle(box).backgroundColor.match(/\\d+/) : [];
      return red === undefined ? '' : red < 128 ? 'dark' : 'light';
    }).join(' ').trim();
  };
";

async fn system(browser: &Browser, scheme: &str) -> Result<()> {
    let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
    browser.devtools("Emulation.setEmulatedMedia", json!({ "features": [feature] })).await?;
    Ok(())
}

#[tokio::test]
async fn r_emb_6_an_element_is_light_or_dark_as_its_place_in_the_page_also_when_that_changes() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    system(&browser, "dark").await?;
    browser.run(HELPERS, Vec::new()).await?;
    import(&browser, "/element.js").await?;
    // The browser's own page of a text has a `meta` for the scheme.
    let script = "
      document.head.replaceChildren();
      document.body.replaceChildren();
      window.root = document.documentElement;
      window.section = document.createElement('section');
      window.inner = document.createElement('div');
      document.body.append(section);
      section.append(inner);
      add('dogwatch-table', { resource: 'pods' });
      section.append(add('dogwatch-object', { resource: 'namespaces', name: 'kube-system' }));
      inner.append(add('dogwatch-changes', { resource: 'pods' }));
      inner.append(add('dogwatch-table', { resource: 'pods', density: 'cosy' }));
    ";
    browser.run(script, Vec::new()).await?;
    let is = |schemes: &str| format!("schemes() === '{schemes}'");
    browser
        .until("rows and an object", "rows().length > 0 && shown('.panel-name').includes('kube-system')")
        .await?;
    browser.until("the system's, where the page says nothing", &is("dark dark dark dark")).await?;
    for (step, script, schemes) in [
        ("the page is light", "root.style.colorScheme = 'light'", "light light light light"),
        ("it takes both", "root.style.colorScheme = 'light dark'", "dark dark dark dark"),
        ("a light section", "section.style.colorScheme = 'light'", "light light light dark"),
        ("a dark part of it", "inner.style.colorScheme = 'only dark'", "dark dark light dark"),
        ("nothing for the page", "root.style.colorScheme = ''", "dark dark light dark"),
    ] {
        browser.run(script, Vec::new()).await?;
        browser.until(step, &is(schemes)).await?;
    }
    system(&browser, "light").await?;
    browser.until("the system is light", &is("dark dark light light")).await?;
    // What isn't shown has no styles that could change.
    let script = "
      document.body.style.display = 'none';
      requestAnimationFrame(() => {
        inner.style.colorScheme = section.style.colorScheme = '';
        root.style.colorScheme = 'dark';
        requestAnimationFrame(() => { document.body.style.display = ''; });
      });
    ";
    browser.run(script, Vec::new()).await?;
    browser.until("dark, when it is shown again", &is("dark dark dark dark")).await?;
    browser.run("root.style.colorScheme = '';", Vec::new()).await?;
    browser.until("nothing again", &is("light light light light")).await?;
    browser
        .run("for (const element of document.querySelectorAll(':is(dogwatch-table, dogwatch-changes, dogwatch-object)')) element.theme = 'dark';", Vec::new())
        .await?;
    browser.until("what the element itself says wins", &is("dark dark dark dark")).await?;
    let script = "
      document.head.append(Object.assign(document.createElement('meta'), { name: 'color-scheme', content: 'dark' }));
      document.body.replaceChildren();
      add('dogwatch-changes', { resource: 'pods', theme: 'auto' });
    ";
    browser.run(script, Vec::new()).await?;
    browser.until("what a `meta` says counts as well", &is("dark")).await?;
    ensure!(browser.read("violations").await? == json!(0), "the content policy was broken");
    browser.close().await
}
