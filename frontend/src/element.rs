//! The live table as an element of any page: the functions that `element.js` calls. All elements are panes of one
//! `App`, so they share a socket. Never the address bar, the title or a key of the page.

use std::cell::RefCell;
use std::collections::HashMap;

use leptos::prelude::Owner;
use page::Host;
use page::action::{Action, PaneId};
use page::model::Theme;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

use crate::app::App;
use crate::signals::Signals;
use crate::views::root::Mounted;
use crate::views::view;

/// All elements of a page, and the `App` that they share.
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
    fn new(gateway: &str) -> Self {
        let owner = Owner::default();
        let signals = owner.with(Signals::new);
        let app = App::new(Host::Portal, gateway, signals);
        app.begin(Host::Portal);
        Self { app, mounted: HashMap::new(), next: 1, _owner: owner }
    }
}

/// Nothing before the first element was added.
fn with(act: impl FnOnce(&mut Elements)) {
    ELEMENTS.with(|held| held.borrow_mut().as_mut().map(act));
}

/// The element was added to its page. `gateway`: the address that the program came from, which ends with a slash.
/// Returns the number that the other functions take.
#[wasm_bindgen]
pub fn attach(host: &HtmlElement, link: &str, gateway: &str) -> u32 {
    ELEMENTS.with(|held| {
        let elements = &mut *held.borrow_mut();
        let elements = elements.get_or_insert_with(|| Elements::new(gateway));
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

/// The element's link changed.
#[wasm_bindgen]
pub fn lead(number: u32, link: &str) {
    with(|elements| {
        if let Some((pane, _)) = elements.mounted.get(&number) {
            elements.app.lead(*pane, link);
        }
    });
}

/// Sets the theme of this element: `light`, `dark`, or the system's.
#[wasm_bindgen]
pub fn paint(number: u32, theme: &str) {
    with(|elements| {
        if let Some((pane, _)) = elements.mounted.get(&number) {
            elements.app.update(Some(*pane), Action::SetTheme(Theme::parse(theme)));
        }
    });
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
