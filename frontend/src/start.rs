//! Where the page begins: the code in the address becomes a secret, the views are mounted, and the
//! link is told to dial. Nothing here is seen again after that.

use leptos::mount::mount_to_body;
use leptos::prelude::*;
use shared::frame::client::Credential;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::dom;
use crate::link::login::{Exchange, code_in, exchange};
use crate::live::action::Action;
use crate::live::dispatch::Dispatch;
use crate::live::signals::ShellSignals;
use crate::live::{Live, login_expired, login_needed, login_unanswered, preferences};
use crate::views::shell::shell;

#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    // In anybody else's page the elements are mounted where they stand.
    if dom::page::is_ours() {
        mount_to_body(page);
    }
}

fn page() -> impl IntoView {
    dom::page::follow_language();
    let theme = preferences::theme();
    dom::page::set_body_attribute("data-theme", theme.attribute());
    let signals = ShellSignals::new(theme);
    // The code leaves the address bar, and with it the history, before anything else happens.
    let fragment = dom::address::fragment();
    let code = code_in(&fragment).map(str::to_owned);
    if code.is_some() {
        dom::address::replace(&dom::address::path());
    }
    let secret = preferences::secret();
    let live = Live::new(signals, secret.clone().map(|s| Credential::Local(s.into())));
    let acting = live.clone();
    let act = Dispatch::new(move |action: Action| acting.act(action));
    let elsewhere = live.clone();
    dom::storage::on_change(move || elsewhere.kept_elsewhere());
    match code {
        Some(code) => sign_in(code, secret.is_some(), live, signals),
        None if secret.is_some() => live.begin(),
        None => signals.login.set(Some(login_needed())),
    }
    shell(signals, act)
}

/// A code that isn't taken hurts nobody who is signed in already: a link that is opened twice.
fn sign_in(code: String, has_secret: bool, live: Live, signals: ShellSignals) {
    leptos::task::spawn_local(async move {
        match exchange(&code).await {
            Exchange::Secret(secret) => {
                preferences::keep_secret(&secret);
                live.sign_in(Credential::Local(secret.into()));
                live.begin();
            }
            _ if has_secret => live.begin(),
            Exchange::Refused => signals.login.set(Some(login_expired())),
            Exchange::NoAnswer => signals.login.set(Some(login_unanswered())),
        }
    });
}
