//! The start of the page: mounts the views, and connects if this browser has a session.

use crate::prelude::*;
use any_spawner::Executor;
use page::Host;
use page::action::Action;
use page::login::Login;
use replica::client::SignIn;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::app::App;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::link::key;
use crate::signals::Signals;
use crate::stopped;
use crate::views::fetched;

#[wasm_bindgen(start)]
pub fn start() {
    stopped::follow_panics();
    // A mount does it as well, but an element may have work before the first mount, or never mount.
    _ = Executor::init_wasm_bindgen();
    // In another page `element.js` mounts the elements.
    if dom::page::is_ours() {
        dom::page::mount(page);
    }
}

fn page() -> impl IntoView {
    dom::page::follow_language();
    let signals = Signals::new();
    let app = App::new(Host::Dogwatch, &dom::address::root(), SignIn::Key, signals);
    Effect::new(move |_| dom::page::set_body_attribute("data-theme", signals.page.theme.get().attribute()));
    let acting = app.clone();
    let act = Dispatch::new(signals.page.copied, signals.page.more_piece, move |action: Action| {
        acting.update(None, action)
    });
    let elsewhere = app.clone();
    dom::on_window("storage", move || elsewhere.kept_elsewhere());
    app.ask_for_pieces();
    wasm_bindgen_futures::spawn_local(begin(app));
    fetched::page(signals, act)
}

/// Without a session it says what became of the link that led here.
async fn begin(app: App) {
    let login = match dom::address::fragment().as_str() {
        dom::address::SIGNED_OUT => Some(Login::left()),
        _ if key::has_session().await => None,
        "refused" => Some(Login::expired()),
        "unanswered" => Some(Login::unanswered()),
        "unkept" => Some(Login::not_kept()),
        _ => None,
    };
    // The gateway says what it wants.
    let Some(login) = login else { return app.begin(Host::Dogwatch) };
    dom::address::replace(&dom::address::path());
    app.update(None, Action::ShowLogin(login));
}
