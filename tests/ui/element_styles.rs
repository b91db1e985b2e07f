//! The styles of the page around an element. What is compared is what the browser computes for every box of the
//! element, before and after the page's sheets, within one script: nothing of the view moves in between.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::page;

use crate::element::{import, visit};

/// Resets, and all that could be inherited. It leaves the size of `html` alone, which is documented to reach in.
const HOSTILE: &str = "
  html { font-size: inherit !important; }
  *, *::before, *::after {
    display: block !important; box-sizing: content-box !important; margin: 0 !important; padding: 0 !important;
    border: 0 !important; outline: 9px solid red !important; vertical-align: top !important; float: none !important;
    background: lime !important; color: red !important; -webkit-text-fill-color: red !important;
    -webkit-text-stroke: 3px red !important; caret-color: red !important; accent-color: red !important;
    fill: red !important; stroke: red !important; stroke-width: 9px !important; text-shadow: 3px 3px red !important;
    text-decoration: underline red !important; letter-spacing: 5px !important; word-spacing: 9px !important; text-transform: uppercase !important;
    text-indent: 40px !important; text-align: center !important; white-space: pre-wrap !important;
    word-break: break-all !important; overflow-wrap: anywhere !important; line-break: anywhere !important;
    hyphens: auto !important; tab-size: 1 !important; quotes: none !important; list-style: square inside !important;
    font-variant: small-caps !important; font-feature-settings: 'zero' !important; font-kerning: none !important;
    font-size-adjust: 0.9 !important; font-stretch: 50% !important; text-rendering: geometricPrecision !important;
    cursor: wait !important; border-collapse: collapse !important; border-spacing: 9px !important;
    image-rendering: pixelated !important; text-underline-position: under !important; -webkit-user-modify: read-write !important;
    animation: none !important; transition: all 9s !important; transform: none !important; opacity: 1 !important;
    --dw-bg: red !important; --dw-ink: red !important; --dw-row: 99px !important; --dw-13: 31px !important;
    --dw-name: 99 !important; --dw-tail: 9 !important; --dw-columns: 9px !important; --dw-font: serif !important;
  }
  body *, body *::before, body *::after { font: italic 700 31px / 3 serif !important; }
";

/// `measured()`: every box in the shadow roots (but slots, which have none, and the hidden shapes of icons), with all that is computed for it and its place in its element.
/// `under(css, act)`: with one more sheet. Changes of `transition` are of the page's own boxes alone.
const HELPERS: &str = "
  // The box has them; and custom properties, which do nothing by themselves.
  // What it paints under and through a box's own words.
  const hasWords = (element) => [...element.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE);
  const isOfLines = (property) => property === '-webkit-text-decorations-in-effect';
  const isOfLayout = /^(--.*|(block|inline)-size|width|height|top|right|bottom|left|inset.*|(perspective|transform)-origin|grid-template-.*)$/;
  window.measured = () => [...document.querySelectorAll('dogwatch-table, dogwatch-changes')].flatMap((host, at) => {
    const { left, top } = host.getBoundingClientRect();
    return [...host.shadowRoot.querySelectorAll(':not(slot, .sprite, .sprite *)')].map((element) => {
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const name = `${at} ${element.localName}.${element.getAttribute('class')} ${element.textContent.slice(0, 20)}`;
      const values = [...style].filter((property) => !isOfLayout.test(property) && (hasWords(element) || !isOfLines(property))).map((property) => `${property}: ${style.getPropertyValue(property)}`);
      return [name, values, [box.left - left, box.top - top, box.width, box.height]];
    });
  });
  window.under = (css, act) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    try {
      return act();
    } finally {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((held) => held !== sheet);
    }
  };
  window.changes = (before, after) => {
    if (before.length !== after.length) return [`${before.length} boxes became ${after.length}`];
    return before.flatMap(([name, values, box], at) => {
      const [, others, otherBox] = after[at];
      const changed = values.flatMap((value, number) => value === others[number] ? [] : [`${name}: ${value} became ${others[number]}`]);
      // A browser that lays the same out again may round to the next pixel.
      const hasMoved = box.some((side, number) => Math.abs(side - otherBox[number]) > 1.01);
      return hasMoved ? [...changed, `${name}: its box ${box} became ${otherBox}`] : changed;
    });
  };
";

/// What a sheet changes in the elements, and how many boxes were looked at.
async fn changed_by(browser: &Browser, sheet: &str) -> Result<(Vec<String>, u64)> {
    let script = "
      const before = measured();
      const after = under(arguments[0], measured);
      return [changes(before, after).slice(0, 12), before.length];
    ";
    let answer = browser.run(script, vec![json!(sheet)]).await?;
    Ok(serde_json::from_value(answer)?)
}

#[tokio::test]
async fn r_emb_6_of_the_pages_styles_only_the_documented_ones_reach_into_an_element() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    browser.run(HELPERS, Vec::new()).await?;
    import(&browser, "/element.js").await?;
    let script = "
      // Nothing around the elements that could push them.
      document.head.replaceChildren();
      document.body.replaceChildren();
      document.body.style.margin = 0;
      add('dogwatch-table', { resource: 'pods', namespaces: '*' });
      add('dogwatch-changes', { resource: 'pods', namespaces: '*' });
      add('dogwatch-table', { resource: 'pods', density: 'cosy' });
    ";
    browser.run(script, Vec::new()).await?;
    browser
        .until("rows, entries and what is wrong", "rows().length > 5 && deep('.log').length === 1 && deep('[part=error]').length === 1 && deep('.pill').every((pill) => pill.textContent.includes('Live'))")
        .await?;

    // Half of the window at twice the scale is a zoom of 200 %.
    for (situation, scheme, direction, size) in [
        ("plain", "light", "ltr", (1440, 900, 1)),
        ("dark and twice as large", "dark", "ltr", (720, 450, 2)),
        ("from right to left", "light", "rtl", (720, 450, 2)),
    ] {
        // A transition of ours would hide what leaks at first.
        let features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
        let features = features.map(|(name, value)| json!({ "name": name, "value": value }));
        browser.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).await?;
        browser.run("document.documentElement.dir = arguments[0];", vec![json!(direction)]).await?;
        browser.resize(size.0, size.1, size.2).await?;
        let (changed, boxes) = changed_by(&browser, HOSTILE).await?;
        ensure!(changed.is_empty(), "{situation}: {}", changed.join("\n"));
        ensure!(boxes > 200, "{situation}: only {boxes} boxes");
        let is_dark = browser.read("getComputedStyle(deep('.dw-host')[0]).backgroundColor").await?;
        let expected = if scheme == "dark" { "rgb(19, 22, 26)" } else { "rgb(255, 255, 255)" };
        ensure!(is_dark == json!(expected), "{situation}: {is_dark}");
        let outside = browser.run(OUTSIDE, Vec::new()).await?;
        ensure!(outside == json!([]), "{situation}: {outside}");
    }
    let mirrored = "getComputedStyle(deep('.view')[0]).direction === 'rtl' && getComputedStyle(deep('.td-name .name')[0]).direction === 'ltr'";
    ensure!(browser.read(mirrored).await? == json!(true), "the layout is mirrored, and names are not");

    // The documented ways in.
    for (sheet, what) in [
        ("dogwatch-table { --dogwatch-background: rgb(1, 2, 3); }", "background-color: rgb(1, 2, 3)"),
        ("dogwatch-table::part(row) { font-style: italic; }", "font-style: italic"),
        ("dogwatch-table::part(error) { color: rgb(1, 2, 3); }", "color: rgb(1, 2, 3)"),
        ("html { font-size: 32px; }", "font-size: 26px"),
        ("body { visibility: hidden; }", "visibility: hidden"),
    ] {
        let script = "
          const before = measured();
          return changes(before, under(arguments[0], measured)).some((change) => change.endsWith(`became ${arguments[1]}`));
        ";
        let reaches = browser.run(script, vec![json!(sheet), json!(what)]).await?;
        ensure!(reaches == json!(true), "{sheet} doesn't give {what}");
    }
    browser.close().await
}

/// The browser paints a line of the page's text into the boxes below it, and computes nothing for them: only pixels tell.
#[tokio::test]
async fn r_emb_6_no_line_under_or_through_the_pages_text_goes_into_an_element() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    let script = "
      document.body.replaceChildren();
      for (const density of ['default', 'cosy']) add('dogwatch-table', { resource: 'pods', namespaces: '*', density }).style.height = '150px';
      add('dogwatch-changes', { resource: 'pods', namespaces: '*' }).style.height = '150px';
      add('dogwatch-object', { resource: 'namespaces', name: 'kube-system' });
      document.body.prepend('The text of the page itself');
    ";
    browser.run(script, Vec::new()).await?;
    let is_there = "rows().length > 0 && deep('.log').length === 1 && deep('[part=error]').length === 1 && shown('.panel-name').includes('kube-system')";
    browser.until("all are there", is_there).await?;
    for display in ["flex", "block", "inline-block"] {
        let sheet = "
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`
            html, body, body > * { text-decoration: underline line-through 3px rgb(255, 0, 254) !important; }
            body > * { display: ${arguments[0]}; inline-size: 100%; }
          `);
          document.adoptedStyleSheets = [sheet];
          scrollTo(0, 0);
        ";
        browser.run(sheet, vec![json!(display)]).await?;
        let picture = browser.devtools("Page.captureScreenshot", json!({ "format": "png" })).await?;
        let painted = browser.client().execute_async(PAINTED, vec![picture["data"].clone()]).await?;
        let painted: (u64, u64) = serde_json::from_value(painted)?;
        ensure!(painted.0 == 0, "display {display}: {} pixels of elements", painted.0);
        ensure!(painted.1 > 100, "display {display}: only {} pixels of the page itself", painted.1);
    }
    browser.close().await
}

/// How many pixels of a picture have the colour of the line, within elements and elsewhere.
const PAINTED: &str = "
  const [picture, done] = arguments;
  const count = async () => {
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const boxes = [...document.body.children].map((host) => host.getBoundingClientRect());
    const counts = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] !== 255 || data[at + 1] !== 0 || data[at + 2] !== 254) continue;
      const [x, y] = [(at / 4) % image.width, Math.floor(at / 4 / image.width)];
      const isWithin = boxes.some(({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom);
      counts[isWithin ? 0 : 1] += 1;
    }
    return counts;
  };
  count().then(done, (error) => done(String(error)));
";

/// The words of an element that stand outside of its box, to the left or to the right, and aren't cut.
const OUTSIDE: &str = "
  return [...document.querySelectorAll('dogwatch-table, dogwatch-changes')].flatMap((host) => {
    const { left, right } = host.getBoundingClientRect();
    const bands = [...host.shadowRoot.querySelectorAll('.view > *')];
    const isOutside = (band) => {
      const box = band.getBoundingClientRect();
      return box.left < left - 1 || box.right > right + 1;
    };
    return bands.filter(isOutside).map((band) => band.className);
  });
";
