//! The elements of the package `element/`, in pages whose server is the gateway itself. Such a page has the content policy of
//! Dogwatch's own, with Trusted Types, and no script but that of a test.

use anyhow::{Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::Metrics;
use testkit::page;
use testkit::teams::{self, Subject};

use crate::rig::of_bearers;

/// `add(tag, properties)` appends an element and gives it; `said` holds the warnings and `violations` the reports of the policy. A socket that closes changes the document.
pub const HELPERS: &str = "
  window.said = [];
  const warn = console.warn;
  console.warn = (...all) => { said.push(all.join(' ')); warn(...all); };
  window.violations = 0;
  window.opened = [];
  const Socket = WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...all) {
      super(...all);
      opened.push(this);
      this.addEventListener('close', () => { document.body.dataset.closed = opened.filter(({ readyState }) => readyState === 3).length; });
    }
  };
  addEventListener('securitypolicyviolation', () => { violations += 1; });
  window.heard = [];
  // What a page's reports of its errors would hold.
  window.reported = [];
  addEventListener('error', ({ message, target }) => reported.push(message ?? target.localName));
  for (const name of ['auth-required', 'error', 'object-close', 'row-activate']) {
    addEventListener(name, (event) => { if (event.detail) heard.push([name, event.detail]); }, true);
  }
  window.add = (tag, properties) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.style.height = '300px';
    document.body.append(element);
    return element;
  };
";

/// How many programs were loaded.
const PROGRAMS: &str =
    "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/program.js')).length";

/// The clock breaks off whatever the program does, until that leaves its state half changed: what it does next traps.
pub const BREAK: &str = "
  const now = Date.now;
  const isSaid = () => heard.some(([name, detail]) => name === 'error' && detail.reason === 'Program');
  Date.now = () => {
    if (isSaid()) Date.now = now;
    else if (new Error().stack.includes('wasm')) throw new Error('on purpose');
    return now();
  };";

/// An empty page of the gateway.
pub async fn visit(browser: &Browser, dogwatch: &Dogwatch) -> Result<()> {
    browser.open(&format!("{}/healthz", dogwatch.origin())).await?;
    browser.run(HELPERS, Vec::new()).await.map(drop)
}

pub async fn import(browser: &Browser, module: &str) -> Result<()> {
    let script = "const done = arguments[arguments.length - 1]; import(arguments[0]).then(() => done(true), (error) => done(String(error)));";
    let answer = browser.client().execute_async(script, vec![json!(module)]).await?;
    ensure!(answer == json!(true), "{module}: {answer}");
    Ok(())
}

#[tokio::test]
async fn r_emb_2_an_element_that_is_set_up_early_and_moved_keeps_what_was_set_and_its_rows() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    // Before the element is defined.
    browser
        .run(
            "window.table = add('dogwatch-table', { resource: 'pods', theme: 'dark', filter: 'a' });",
            Vec::new(),
        )
        .await?;
    import(&browser, "/element.js").await?;
    browser.until("it is live", "shown('.pill').includes('Live') && rows().length > 0").await?;
    browser
        .until("what was set counts", "deep('[data-theme=dark]').length === 1 && deep('input.filter-input')[0].value === 'a' && table.getAttribute('resource') === 'pods'")
        .await?;

    let script = "
      const done = arguments[arguments.length - 1];
      window.held = rows()[0];
      const place = document.createElement('div');
      document.body.append(place);
      place.append(table);
      setTimeout(() => setTimeout(() => done(held.isConnected && table.parentNode === place), 0), 0);
    ";
    let moved = browser.client().execute_async(&format!("{}{script}", page::DEEP), Vec::new()).await?;
    ensure!(moved == json!(true), "a moved element keeps its rows");

    // An attribute that can't be read: a place, a line in the console, an event, and nothing thrown.
    browser.run("table.density = 'cosy';", Vec::new()).await?;
    browser.until("why not", "shown('[part=error]').includes('density=\"cosy\"')").await?;
    browser.run("table.density = null;", Vec::new()).await?;
    browser
        .until("it is back", "deep('[part=error]').length === 0 && shown('.pill').includes('Live')")
        .await?;
    ensure!(
        browser.read("said.filter((line) => line.includes('cosy')).length").await? == json!(1),
        "said once"
    );
    ensure!(
        browser
            .read(
                "heard.filter(([name, detail]) => name === 'error' && detail.reason === 'BadRequest').length"
            )
            .await?
            == json!(1),
        "heard once"
    );

    ensure!(browser.read("reported").await? == json!([]), "an element's error is none of the page's");

    // What a row opens is the page's to show.
    browser.click_on("deep('[data-row] .td-ready')[0]").await?;
    browser.until("the page hears of the row", "heard.some(([name, row]) => name === 'row-activate' && row.resource === 'pods' && row.name.includes('a'))").await?;
    let file = browser.run("return table.export('csv').name;", Vec::new()).await?;
    ensure!(file == json!("pods.csv"), "{file}");

    ensure!(browser.read("opened.length").await? == json!(1), "one socket all the time");
    ensure!(browser.read("violations").await? == json!(0), "the content policy was broken");
    browser.close().await
}

/// A framework may name the gateway after the element was connected, and React 18 writes properties as attributes.
#[tokio::test]
async fn an_element_comes_back_from_a_wrong_gateway_and_refuses_a_selector_that_it_would_not_read()
-> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    browser
        .run(
            "window.table = add('dogwatch-table', { resource: 'pods', gateway: 'ftp://a.test' });",
            Vec::new(),
        )
        .await?;
    browser
        .until("it says what is wrong", "shown('[part=error]').includes('gateway=\"ftp://a.test\"')")
        .await?;
    browser.run("table.gateway = location.origin;", Vec::new()).await?;
    browser
        .until("it is live", "deep('[part=error]').length === 0 && shown('.pill').includes('Live')")
        .await?;

    let script = "
      const wrong = document.createElement('dogwatch-table');
      wrong.setAttribute('resource', 'pods');
      wrong.setAttribute('labelSelector', 'app=web');
      table.replaceWith(wrong);
      window.table = wrong;
    ";
    browser.run(script, Vec::new()).await?;
    browser.until("it is refused", "shown('[part=error]').includes('write label-selector')").await?;
    let heard = "heard.filter(([name, detail]) => name === 'error' && detail.message.includes('labelselector')).length";
    ensure!(browser.read(heard).await? == json!(1), "the page hears it");
    browser
        .run("table.removeAttribute('labelSelector'); table.labelSelector = 'app=web';", Vec::new())
        .await?;
    browser.until("it is back", "deep('[part=error]').length === 0 && shown('.pill').includes('Live')").await
}

/// Nothing is mounted before the first attribute is read.
#[tokio::test]
async fn an_element_whose_attribute_cannot_be_read_says_so_and_recovers() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    for tag in ["table", "changes", "object"] {
        visit(&browser, &dogwatch).await?;
        import(&browser, "/element.js").await?;
        let script = "
          const [tag] = arguments;
          window.element = add(`dogwatch-${tag}`, { resource: 'p p', name: 'web-0', namespace: 'default' });
        ";
        browser.run(script, vec![json!(tag)]).await?;
        browser.until("it says what is wrong", "shown('[part=error]').includes('p p')").await?;
        browser.run("element.setAttribute('resource', 'pods');", Vec::new()).await?;
        browser.until("it goes on", "deep('[part=error]').length === 0").await?;
        let broken = browser
            .read("shown('[part=error]').includes('reload') || said.join(' ').includes('spawn_local')");
        ensure!(broken.await? == json!(false), "the program of {tag} goes on");
    }
    Ok(())
}

#[tokio::test]
async fn r_emb_4_of_several_copies_the_first_one_serves_all_elements_and_one_warning_says_so() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    import(&browser, "/element.js?another-copy").await?;
    import(&browser, "/element.js?a-third-one").await?;
    ensure!(browser.read("said.length").await? == json!(1), "one warning");
    browser
        .run(
            "for (const tag of ['table', 'changes']) add(`dogwatch-${tag}`, { resource: 'pods' });",
            Vec::new(),
        )
        .await?;
    let live = "deep('.pill').filter((pill) => pill.textContent.includes('Live')).length === 2";
    browser.until("both tags are live", live).await?;
    ensure!(browser.read("said.length").await? == json!(1), "one warning still");
    browser.close().await
}

#[tokio::test]
async fn r_emb_3_twenty_elements_share_a_program_a_socket_and_five_subscriptions() -> Result<()> {
    let metrics = Metrics::at_free_port();
    let dogwatch =
        Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0", "--metrics-listen", &metrics.address()])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    let script = "
      const views = ['services', 'configmaps', 'replicasets.apps', 'namespaces', 'deployments.apps'];
      for (let at = 0; at < 20; at += 1) add('dogwatch-table', { resource: views[at % 5] });
      add('dogwatch-connection');
    ";
    browser.run(script, Vec::new()).await?;
    browser
        .until(
            "all are live",
            "deep('.pill').filter((pill) => pill.textContent.includes('Live')).length === 20",
        )
        .await?;
    browser.until("so is the connection", "shown('[part=state]') === 'Connected'").await?;
    ensure!(browser.read("opened.length").await? == json!(1), "one socket");
    ensure!(browser.read(PROGRAMS).await? == json!(1), "one program");
    let subscriptions = metrics.count("dogwatch_subscriptions")?;
    ensure!(subscriptions == 5, "{subscriptions} subscriptions");
    browser.run("add('dogwatch-changes', { resource: 'services' });", Vec::new()).await?;
    browser.until("the changes", "deep('dogwatch-changes')[0].matches(':state(live)')").await?;
    let subscriptions = metrics.count("dogwatch_subscriptions")?;
    ensure!(subscriptions == 6, "one more for the changes, but {subscriptions}");
    ensure!(browser.read("violations").await? == json!(0), "the content policy was broken");
    browser.close().await
}

#[tokio::test]
async fn an_element_of_one_object_is_the_panel_and_its_page_decides_what_is_opened_and_closed() -> Result<()>
{
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    browser
        .run(
            "window.table = add('dogwatch-table', { resource: 'pods', filter: 'health=fine' });
             window.object = add('dogwatch-object', { resource: 'pods', theme: 'dark' });
             Object.assign(object.style, { position: 'fixed', inset: '0 0 0 50%', height: 'auto' });
             table.addEventListener('row-activate', ({ detail }) => Object.assign(object, detail));
             object.addEventListener('state', ({ detail }) => { window.stands = detail; });",
            Vec::new(),
        )
        .await?;
    browser.until("it says what it lacks", "shown('[part=error]').includes('`name`')").await?;
    browser.until("rows", "shown('.pill').includes('Live') && rows().length > 3").await?;
    browser.click_on("deep('[data-row] .td-ready')[0]").await?;
    browser
        .until(
            "the object of the row",
            "shown('.panel-name').trim() === object.name && window.stands?.state === 'live' && stands.exists",
        )
        .await?;
    ensure!(browser.read("deep('[part=error]').length").await? == json!(0), "nothing is lacking");
    ensure!(
        browser.read("deep('.panel-head [aria-label^=Close], .panel-grip').length").await? == json!(0),
        "its page hasn't asked for a button"
    );
    let links = "deep('.panel .facts a').map((link) => link.getAttribute('href'))";
    browser.until("its node", &format!("{links}.length > 0")).await?;
    let begin = format!("{links}.every((href) => href.startsWith('{}/v/'))", dogwatch.origin());
    ensure!(browser.read(&begin).await? == json!(true), "the links lead to the gateway");
    browser.click_on("deep('.panel .facts a')[0]").await?;
    let heard = "heard.some(([name, row]) => name === 'row-activate' && row.resource === 'nodes')";
    browser.until("its page hears of the node", heard).await?;
    browser.run("object.tab = 'logs';", Vec::new()).await?;
    browser.until("what its containers write", "deep('#logs .lg-text').length > 3").await?;
    browser.click_on("deep('#tab-yaml')[0]").await?;
    browser.until("the YAML", "shown('.panel .y-space').includes('kind: Pod')").await?;
    browser.run("object.closable = true;", Vec::new()).await?;
    browser.until("the button", "deep('.panel-head [aria-label^=Close]').length === 1").await?;
    browser.click_on("deep('.panel-head [aria-label^=Close]')[0]").await?;
    browser.until("its page hears of that", "heard.some(([name]) => name === 'object-close')").await?;

    // It stays the page's to say what it shows.
    browser.run("Object.assign(object, { name: 'nobody', tab: 'overview' });", Vec::new()).await?;
    browser.until("no such object", "window.stands?.exists === false && shown('#panel-note') !== ''").await?;
    // Angular puts an element in its place first and binds its attributes last.
    let script = "
      heard.length = 0;
      const late = document.createElement('dogwatch-object');
      document.body.append(late);
      for (const [name, value] of Object.entries({ resource: 'pods', namespace: 'shop', name: 'late' })) late.setAttribute(name, value);
    ";
    browser.run(script, Vec::new()).await?;
    let is_there = "deep('.panel-name').some(({ textContent }) => textContent.includes('late'))";
    browser.until("the object that got its attributes late", is_there).await?;
    let errors =
        browser.read("heard.filter(([name]) => name === 'error').map(([, { message }]) => message)").await?;
    ensure!(errors == json!([]), "it complained meanwhile: {errors}");
    ensure!(browser.read("opened.length").await? == json!(1), "one socket");
    ensure!(browser.read("violations").await? == json!(0), "the content policy was broken");
    browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_elements_tokens_come_from_its_page_which_may_fail_hang_or_bring_a_wrong_one() -> Result<()> {
    let (playground, dogwatch) = of_bearers().await?;
    teams::allow(&playground, "team-a", Subject::User("alice"))?;
    let browser = Browser::start(Look::default()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    let script = "
      window.asked = 0;
      const answers = [
        () => { throw new Error('the login page is down'); },
        () => 'wrong',
        async () => 'token-of-alice',
      ];
      const tokenProvider = () => answers[Math.min(asked++, answers.length - 1)]();
      window.table = add('dogwatch-table', { resource: 'configmaps', namespaces: 'team-a', tokenProvider });
    ";
    browser.run(script, Vec::new()).await?;
    browser.until("the failure", "said.some((line) => line.includes('the login page is down'))").await?;
    browser.until("the rows of alice", "shown('.pill').includes('Live')").await?;
    let wanted = "heard.some(([name, detail]) => name === 'auth-required' && detail.wants === 'token')";
    ensure!(browser.read(wanted).await? == json!(true), "the wrong token was told");
    ensure!(browser.read("window.asked").await? == json!(3), "one token is enough");

    // By the time that another element comes the token may have ended.
    browser.run("table.remove();", Vec::new()).await?;
    browser
        .until("nobody needs the socket", "document.body.dataset.closed === String(opened.length)")
        .await?;
    browser.run("document.body.append(table);", Vec::new()).await?;
    browser.until("the rows again", "shown('.pill').includes('Live')").await?;
    ensure!(browser.read("window.asked").await? == json!(4), "another token");
    browser.close().await
}

#[tokio::test]
async fn the_socket_closes_after_the_last_element_and_opens_with_the_next_one() -> Result<()> {
    let metrics = Metrics::at_free_port();
    let dogwatch =
        Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0", "--metrics-listen", &metrics.address()])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    let add = "for (const resource of ['services', 'pods']) add('dogwatch-table', { resource });";
    let live =
        "deep('.pill').length === 2 && deep('.pill').every((pill) => pill.textContent.includes('Live'))";
    browser.run(add, Vec::new()).await?;
    browser.until("both are live", live).await?;
    browser
        .run("for (const table of document.querySelectorAll('dogwatch-table')) table.remove();", Vec::new())
        .await?;
    browser.until("the socket is closed", "document.body.dataset.closed === '1'").await?;
    let subscriptions = metrics.count("dogwatch_subscriptions")?;
    ensure!(subscriptions == 0, "{subscriptions} subscriptions are left");
    browser.run("dispatchEvent(new Event('online'));", Vec::new()).await?;
    ensure!(browser.read("opened.length").await? == json!(1), "a socket for nobody");
    browser.run(add, Vec::new()).await?;
    browser.until("both are live again", live).await?;
    ensure!(
        browser.read(&format!("[opened.length, {PROGRAMS}]")).await? == json!([2, 1]),
        "(sockets, programs)"
    );
    browser.close().await
}

#[tokio::test]
async fn r_rel_9_a_program_that_breaks_is_said_in_all_elements_and_another_one_begins() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    visit(&browser, &dogwatch).await?;
    import(&browser, "/element.js").await?;
    browser
        .run("for (const resource of ['pods', 'nodes']) add('dogwatch-table', { resource });", Vec::new())
        .await?;
    let live = "deep('.pill').filter((pill) => pill.textContent.includes('Live')).length === 2";
    browser.until("both are live", live).await?;
    // Another program's trap is none of ours.
    let trap =
        "dispatchEvent(new ErrorEvent('error', { error: new WebAssembly.RuntimeError('unreachable') }));";
    browser.run(trap, Vec::new()).await?;
    browser.run(BREAK, Vec::new()).await?;
    let said =
        "heard.filter(([name, detail]) => name === 'error' && detail.reason === 'Program').length === 2";
    browser.until("both say it", said).await?;
    browser
        .until(
            "both are live again",
            &format!("{live} && deep('[part=error]').length === 0 && rows().length > 5"),
        )
        .await?;
    browser
        .until("the broken program's socket is closed", "opened.length === 2 && opened[0].readyState >= 2")
        .await?;
    let errors = browser.console_errors().await?;
    ensure!(errors.iter().any(|error| error.contains("RuntimeError")), "it broke indeed: {errors:#?}");
    Ok(browser.client().clone().close().await?)
}
