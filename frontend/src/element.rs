//! The live table in any page: what `element.js` calls. Every element is a pane of one `App`, so
//! they share a socket and this program. Never the address bar, the title or a key of the page.

use std::cell::RefCell;
use std::collections::HashMap;

use leptos::prelude::Owner;
use page::Host;
use page::action::Action;
use page::action::PaneId;
use page::model::Theme;
use shared::frame::client::Credential;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

use crate::app::App;
use crate::signals::Signals;
use crate::storage;
use crate::views::root::Mounted;
use crate::views::view;

/// What all elements of a page share.
struct Elements {
    app: App,
    mounted: HashMap<u32, (PaneId, Mounted)>,
    next: u32,
    _owner: Owner,
}

thread_local! {
    static ELEMENTS: RefCell<Option<Elements>> = const { RefCell::new(None) };
}

impl Elements {
    fn new() -> Self {
        let owner = Owner::default();
        let signals = owner.with(Signals::new);
        let secret = storage::secret();
        let app = App::new(Host::Portal, signals, secret.map(|secret| Credential::Local(secret.into())));
        app.begin(Host::Portal);
        Self { app, mounted: HashMap::new(), next: 1, _owner: owner }
    }
}

fn with<T>(act: impl FnOnce(&mut Elements) -> T) -> T {
    ELEMENTS.with(|held| act(held.borrow_mut().get_or_insert_with(Elements::new)))
}

/// The element came into its page; what is answered stands for it from then on.
#[wasm_bindgen]
pub fn attach(host: &HtmlElement, link: &str) -> u32 {
    with(|elements| {
        let number = elements.next;
        elements.next = elements.next.wrapping_add(1);
        if let Some(pane) = elements.app.embed(link)
            && let Some(mounted) = view::mount(host, pane.view, pane.act)
        {
            elements.mounted.insert(number, (pane.id, mounted));
        }
        number
    })
}

/// Its link became another.
#[wasm_bindgen]
pub fn lead(number: u32, link: &str) {
    with(|elements| {
        if let Some((pane, _)) = elements.mounted.get(&number) {
            elements.app.lead(*pane, link);
        }
    });
}

/// `light`, `dark`, or as the system has it.
#[wasm_bindgen]
pub fn paint(theme: &str) {
    with(|elements| elements.app.update(None, Action::SetTheme(Theme::parse(theme))));
}

/// It left its page: its rows are given back.
#[wasm_bindgen]
pub fn detach(number: u32) {
    with(|elements| {
        if let Some((pane, mounted)) = elements.mounted.remove(&number) {
            drop(mounted);
            elements.app.unembed(pane);
        }
    });
}
