//! The start of the page: exchanges the code in the address for a secret, mounts the views, and connects.

use leptos::mount::mount_to_body;
use leptos::prelude::*;
use page::Host;
use page::action::Action;
use page::model::Login;
use shared::frame::client::Credential;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::app::App;
use crate::dispatch::Dispatch;
use crate::dom;
use crate::link::login::{Exchange, code_in, exchange};
use crate::signals::Signals;
use crate::storage;
use crate::views::shell::shell;

#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    // In another page `element.js` mounts the elements.
    if dom::page::is_ours() {
        dom::page::remove_static_shell();
        mount_to_body(page);
    }
}

fn page() -> impl IntoView {
    dom::page::follow_language();
    let signals = Signals::new();
    // Remove the code from the address bar and the history before anything else.
    let fragment = dom::address::fragment();
    let code = code_in(&fragment).map(str::to_owned);
    if code.is_some() {
        dom::address::replace(&dom::address::path());
    }
    let credential = storage::credential();
    let is_signed_in = credential.is_some();
    let app = App::new(Host::Dogwatch, &dom::address::root(), signals, credential);
    Effect::new(move |_| dom::page::set_body_attribute("data-theme", signals.page.theme.get().attribute()));
    let acting = app.clone();
    let act = Dispatch::new(signals.page.copied, move |action: Action| acting.update(None, action));
    // A link was pasted into this tab: only its fragment differs, so the browser loads nothing.
    dom::on_window("hashchange", || {
        if code_in(&dom::address::fragment()).is_some() {
            dom::address::reload();
        }
    });
    let elsewhere = app.clone();
    dom::on_window("storage", move || elsewhere.kept_elsewhere());
    match code {
        Some(code) => sign_in(code, is_signed_in, app),
        None if is_signed_in => app.begin(Host::Dogwatch),
        None => app.update(None, Action::ShowLogin(Login::needed())),
    }
    shell(signals, act)
}

/// A refused code changes nothing for a reader who is signed in: the link was opened twice.
fn sign_in(code: String, has_secret: bool, app: App) {
    leptos::task::spawn_local(async move {
        match exchange(&code).await {
            Exchange::Secret(secret) => {
                storage::keep_secret(&secret);
                app.sign_in(Credential::Local(secret.into()));
                app.begin(Host::Dogwatch);
            }
            _ if has_secret => app.begin(Host::Dogwatch),
            Exchange::Refused => app.update(None, Action::ShowLogin(Login::expired())),
            Exchange::NoAnswer => app.update(None, Action::ShowLogin(Login::unanswered())),
        }
    });
}
