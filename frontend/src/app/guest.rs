//! The panes of elements in another page: that page hears how each stands, and what its reader opens. Never a decision,
//! and never an answer of the page within a call: its script takes what it is told after the program has returned.

use crate::prelude::Owner;
use js_sys::Function;
use page::Page;
use page::action::{Action, PaneId};
use page::effect::ActivatedRow;
use page::effect::File;
use page::export::Format;
use page::page::guest::{LinkReport, ProofReport, ViewReport};
use page::page::guest_object::GuestObjectModel;
use page::panel::PanelModel;
use page::theme::Density;
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::HtmlElement;

use super::{App, State};
use crate::signals::{GuestObjectSignals, ObjectHandle, PaneHandle, PanelSignals};
use crate::views::fetched::{ShowTally, chip_view};

/// What the scripts of the elements were told last.
#[derive(Default)]
pub(super) struct Guests {
    link: Option<Told<LinkReport>>,
    elements: Vec<Guest>,
}

struct Guest {
    pane: PaneId,
    view: Told<ViewReport>,
    proof: Told<ProofReport>,
    chip: Option<Chip>,
}

/// How much is wrong, in an element of its own.
struct Chip {
    host: HtmlElement,
    /// Once the piece that draws it is there.
    show: Option<ShowTally>,
}

/// The object of an element.
pub(super) struct MountedObject {
    handle: ObjectHandle,
    /// Owns the signals.
    _owner: Owner,
}

/// A function of a script, `(kind, json)`, and what it was called with last.
struct Told<T> {
    function: Function,
    last: Option<T>,
}

impl<T: PartialEq + Serialize> Told<T> {
    fn new(function: Function) -> Self {
        Self { function, last: None }
    }

    fn tell(&mut self, kind: &str, report: T) {
        if self.last.as_ref() != Some(&report) {
            call(&self.function, kind, &report);
            self.last = Some(report);
        }
    }
}

fn call(function: &Function, kind: &str, report: &impl Serialize) {
    if let Ok(json) = serde_json::to_string(report) {
        let _ = function.call2(&JsValue::NULL, &kind.into(), &json.into());
    }
}

impl App {
    /// `tell` hears how the connection stands.
    pub(crate) fn tell_link(&self, tell: Function) {
        self.0.guests.borrow_mut().link = Some(Told::new(tell));
        self.tell_guests(&self.0.state.borrow().page);
    }

    /// Adds a view for an element of another page. `tell` hears how it stands.
    /// `chip`: the element says how much is wrong, and shows no view.
    pub(crate) fn embed(&self, link: &str, tell: Function, chip: Option<HtmlElement>) -> Option<PaneHandle> {
        let pane = self.with_page(|page, now| page.embed(link, now));
        self.add_guest(pane, tell, chip);
        let state = &mut *self.0.state.borrow_mut();
        self.write(state);
        state.panes.iter().find(|held| held.handle.id == pane).map(|pane| pane.handle)
    }

    /// Adds an object for an element of another page.
    pub(crate) fn embed_object(&self, link: &str, tell: Function) -> Option<ObjectHandle> {
        let id = self.with_page(|page, now| page.embed_object(link, now));
        self.add_guest(id, tell, None);
        let state = &mut *self.0.state.borrow_mut();
        self.write(state);
        state.objects.iter().map(|object| object.handle).find(|held| held.id == id)
    }

    fn add_guest(&self, pane: PaneId, tell: Function, chip: Option<HtmlElement>) {
        let chip = chip.map(|host| Chip { host, show: None });
        let guest = Guest { pane, view: Told::new(tell.clone()), proof: Told::new(tell), chip };
        self.0.guests.borrow_mut().elements.push(guest);
    }

    pub(crate) fn set_closable(&self, object: PaneId, is_closable: bool) {
        self.with_page(|page, _| page.set_closable(object, is_closable));
    }

    /// Writes the signals of the elements' objects. Those of an element that left go with it.
    pub(super) fn write_objects(&self, state: &mut State) {
        let mut objects = Vec::new();
        for (id, around, panel) in state.page.objects() {
            let held = state.objects.iter().position(|object| object.handle.id == id);
            let object = match held {
                Some(at) => state.objects.swap_remove(at),
                None => self.mount_object(id),
            };
            object.handle.act.write(state.page.model());
            object.handle.around.write(around);
            object.handle.panel.write(panel);
            objects.push(object);
        }
        state.objects = objects;
    }

    fn mount_object(&self, id: PaneId) -> MountedObject {
        let owner = Owner::default();
        let (around, panel) = owner.with(|| {
            (GuestObjectSignals::new(GuestObjectModel::default()), PanelSignals::new(PanelModel::default()))
        });
        let handle = ObjectHandle { id, around, panel, act: self.dispatch(id, &owner) };
        MountedObject { handle, _owner: owner }
    }

    pub(crate) fn lead(&self, pane: PaneId, link: &str) {
        self.with_page(|page, now| page.lead(pane, link, now));
    }

    pub(crate) fn unembed(&self, pane: PaneId) {
        self.0.guests.borrow_mut().elements.retain(|guest| guest.pane != pane);
        self.with_page(|page, now| page.unembed(pane, now));
    }

    pub(crate) fn set_density(&self, pane: PaneId, density: Option<Density>) {
        self.with_page(|page, _| page.set_density(pane, density));
    }

    pub(crate) fn set_paused(&self, pane: PaneId, is_paused: bool) {
        self.with_page(|page, now| page.set_paused(pane, is_paused, now));
    }

    pub(crate) fn export(&self, pane: PaneId, format: Format) -> Option<File> {
        self.with_page(|page, now| page.export(pane, format, now))
    }

    /// Signs in with a token, also while the connection is open.
    pub(crate) fn sign_in(&self, token: String) {
        self.update(None, Action::SignIn(token));
    }

    pub(super) fn tell_of_row(&self, pane: PaneId, row: &ActivatedRow) {
        self.tell(pane, "row-activate", row);
    }

    pub(super) fn tell_closed(&self, pane: PaneId) {
        self.tell(pane, "object-close", &json!({}));
    }

    fn tell(&self, pane: PaneId, kind: &str, detail: &impl Serialize) {
        if let Some(guest) = self.0.guests.borrow().elements.iter().find(|guest| guest.pane == pane) {
            call(&guest.view.function, kind, detail);
        }
    }

    /// Says what isn't as it was said last.
    pub(super) fn tell_guests(&self, page: &Page) {
        let guests = &mut *self.0.guests.borrow_mut();
        if let Some(link) = &mut guests.link {
            link.tell("link", page.link_report());
        }
        for Guest { pane, view, proof, chip } in &mut guests.elements {
            if let Some((chip, report)) = chip.as_mut().zip(page.tally_report(*pane)) {
                if chip.show.is_none() {
                    chip.show = chip_view().map(|make| make(&chip.host, &view.function));
                }
                if let Some(show) = &mut chip.show {
                    show(report);
                }
                continue;
            }
            if let Some(report) = page.view_report(*pane) {
                view.tell("state", report);
            }
            if let Some(report) = page.proof_report(*pane) {
                proof.tell("sync", report);
            }
        }
    }
}

/// A file as the scripts take it.
pub(crate) fn file_json(file: &File) -> String {
    let File { name, media_type, text } = file;
    json!({ "name": name, "type": media_type, "text": text }).to_string()
}
