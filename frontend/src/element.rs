//! The live table as an element of any page: the functions that `element/dogwatch.js` calls. All elements are panes of one
//! `App`, so they share a socket. Never the address bar, the title or a key of the page.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::prelude::Owner;
use js_sys::Function;
use page::Host;
use page::action::{Action, PaneId};
use page::element::{self, Shown};
use page::export::Format;
use page::model::Theme;
use page::theme::Density;
use page::wrong;
use replica::client::{Input, SignIn};
use serde_json::json;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use crate::app::{App, file_json};
use crate::dom;
use crate::signals::Signals;
use crate::stopped;
use crate::views::root::Mounted;
use crate::views::{guest_object, view};

/// All elements of a page, and the `App` that they share.
struct Elements {
    app: App,
    /// A chip is mounted by the app, once the piece that draws it has come.
    mounted: HashMap<u32, Added>,
    next: u32,
    _owner: Owner,
}

thread_local! {
    static ELEMENTS: RefCell<Option<Elements>> = const { RefCell::new(None) };
}

/// Nothing before `begin`.
fn with<T>(act: impl FnOnce(&mut Elements) -> T) -> Option<T> {
    ELEMENTS.with(|held| held.borrow_mut().as_mut().map(act))
}

/// Outside of the borrow: what is told of it may call the functions below.
fn with_app(act: impl FnOnce(&App)) {
    if let Some(app) = with(|elements| elements.app.clone()) {
        act(&app);
    }
}

/// Nothing for an element that left.
fn with_pane<T>(number: u32, act: impl FnOnce(&App, PaneId) -> T) -> Option<T> {
    let (app, pane) = with(|elements| {
        let (pane, _) = elements.mounted.get(&number)?;
        Some((elements.app.clone(), *pane))
    })??;
    Some(act(&app, pane))
}

/// Connects to a gateway, whose address ends with a slash, with this token if there is one. `tell(kind, json)` hears how the
/// connection stands.
#[wasm_bindgen]
pub fn begin(gateway: &str, token: Option<String>, tell: Function) {
    dom::address::links_lead_to(gateway);
    let owner = Owner::default();
    let signals = owner.with(Signals::new);
    let sign_in = token.map_or(SignIn::Key, |token| SignIn::Bearer(token.trim().into()));
    let app = App::new(Host::Portal, gateway, sign_in, signals);
    app.tell_link(tell);
    app.begin(Host::Portal);
    let elements = Elements { app, mounted: HashMap::new(), next: 1, _owner: owner };
    ELEMENTS.with(|held| *held.borrow_mut() = Some(elements));
}

/// What an element's attributes ask for, an object in JSON by their names: `{link, theme, density}`. `is_object`: the
/// element shows one object; `is_tally`: how much is wrong.
///
/// # Errors
/// A problem in JSON.
#[wasm_bindgen]
pub fn read(attributes: &str, is_object: bool, is_tally: bool) -> Result<String, JsValue> {
    let shown = match (is_object, is_tally) {
        (true, _) => Shown::Object,
        (_, true) => Shown::Tally,
        _ => Shown::View,
    };
    let attributes = shared::json::read(attributes).unwrap_or_default();
    match element::read(shown, &attributes) {
        Ok(read) => Ok(json!({
            "link": read.link,
            "theme": read.theme.word(),
            "density": read.density,
        })
        .to_string()),
        Err(problem) => {
            Err(json!({ "reason": problem.reason, "message": problem.message }).to_string().into())
        }
    }
}

/// The element was added to its page, with the link that `read` answered. Returns the number that the other functions
/// take. `tell(kind, json)` hears how its view stands. The list of what is wrong is shown as a chip.
#[wasm_bindgen]
pub fn attach(host: &HtmlElement, link: &str, tell: Function) -> u32 {
    add(&|app| {
        let is_chip = link.starts_with(wrong::words::ADDRESS);
        let pane = app.embed(link, tell.clone(), is_chip.then(|| host.clone()))?;
        let mounted = if is_chip { None } else { Some(view::mount(host, pane.view, pane.act)?) };
        Some((pane.id, mounted))
    })
}

/// The same for an element that shows one object.
#[wasm_bindgen]
pub fn attach_object(host: &HtmlElement, link: &str, tell: Function) -> u32 {
    add(&|app| {
        let object = app.embed_object(link, tell.clone())?;
        Some((object.id, Some(guest_object::mount(host, object)?)))
    })
}

/// The pane or the object of an element, and what is mounted for it.
type Added = (PaneId, Option<Mounted>);

/// Keeps what was mounted under a number of its own. Every kind of element comes here, so the code is there once.
fn add(mount: &dyn Fn(&App) -> Option<Added>) -> u32 {
    let number = with(|elements| {
        let number = elements.next;
        elements.next = elements.next.wrapping_add(1);
        elements.mounted.extend(mount(&elements.app).map(|mounted| (number, mounted)));
        number
    });
    number.unwrap_or_default()
}

/// Whether an element that shows one object has a button that closes it.
#[wasm_bindgen]
pub fn set_closable(number: u32, is_closable: bool) {
    with_pane(number, |app, object| app.set_closable(object, is_closable));
}

/// The element's link changed.
#[wasm_bindgen]
pub fn lead(number: u32, link: &str) {
    with_pane(number, |app, pane| app.lead(pane, link));
}

/// Sets what `read` answered: the theme (`light`, `dark`, or the system's) and the density (or the reader's).
#[wasm_bindgen]
pub fn paint(number: u32, theme: &str, density: Option<String>) {
    with_pane(number, |app, pane| {
        let density =
            density.and_then(|word| Density::ALL.into_iter().find(|density| density.word() == word));
        app.set_density(pane, density);
        app.update(Some(pane), Action::SetTheme(Theme::parse(theme)));
    });
}

#[wasm_bindgen]
pub fn pause(number: u32, is_paused: bool) {
    with_pane(number, |app, pane| app.set_paused(pane, is_paused));
}

/// The rows as a file in JSON, `{name, type, text}`. Nothing while there are none.
#[wasm_bindgen]
pub fn export_rows(number: u32, format: &str) -> Option<String> {
    let format = if format == Format::Json.extension() { Format::Json } else { Format::Csv };
    with_pane(number, |app, pane| app.export(pane, format))?.map(|file| file_json(&file))
}

/// Tries to reach the gateway or the cluster at once.
#[wasm_bindgen]
pub fn refresh() {
    with_app(|app| app.update(None, Action::TryNow));
}

/// All elements have left: the connection is closed.
#[wasm_bindgen]
pub fn leave() {
    with_app(|app| app.handle(Input::Leave));
}

/// An element came after that.
#[wasm_bindgen]
pub fn come_back() {
    with_app(|app| app.handle(Input::Start));
}

/// Signs in with this token: on the open connection, or on a new one if the last login was refused.
#[wasm_bindgen]
pub fn sign_in(token: String) {
    with_app(|app| app.sign_in(token));
}

/// The program broke: what the browser still calls of it does nothing, and its socket closes with the next message.
#[wasm_bindgen]
pub fn stop() {
    stopped::stop();
}

/// The element was removed from its page: its view is closed.
#[wasm_bindgen]
pub fn detach(number: u32) {
    with(|elements| {
        if let Some((pane, mounted)) = elements.mounted.remove(&number) {
            drop(mounted);
            elements.app.unembed(pane);
        }
    });
}
