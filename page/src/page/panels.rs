//! All panels of the page: the one beside its panes, and those of elements in another page. Never a pane.

use replica::client::ViewKey;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::guest_object::{GuestObject, GuestObjectModel};
use crate::action::{PaneId, PanelAction, PanelKey};
use crate::cx::Cx;
use crate::model::PieceShown;
use crate::panel::PanelModel;
use crate::panel::PanelOutcome;
use crate::panel::{MakePanel, PanelSlot, Wanted};
use crate::tab::overview::rollout::Progress;
use crate::theme::Theme;

/// The panel beside the panes, and the elements that show one object and no rows. [`super::Page`] passes it the object
/// that the address names, and tells it of news.
pub(super) struct Panels {
    panel: PanelSlot,
    page_width_px: f64,
    /// The elements in another page that show one object: they have a panel and no rows.
    objects: Vec<GuestObject>,
    focus: PanelFocus,
    /// Once the piece with the panel is there.
    make: Option<MakePanel>,
}

/// Whether the panel beside the panes has the browser's focus, and whether it had it when something was opened over the page.
#[derive(Clone, Copy, Default)]
struct PanelFocus {
    is_here: bool,
    is_lent: bool,
}

/// The navigation, a table of pods with its wide columns cut, and the panel at its usual width.
const DOCKED_PX_MIN: f64 = 1_680.0;

impl Panels {
    pub(super) fn new(width_px: f64, preferred_px: Option<f64>) -> Self {
        let panel = PanelSlot::new(width_px, preferred_px);
        Self { panel, page_width_px: width_px, objects: Vec::new(), focus: PanelFocus::default(), make: None }
    }

    fn all(&self) -> impl Iterator<Item = &PanelSlot> {
        std::iter::once(&self.panel).chain(self.objects.iter().map(GuestObject::panel))
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut PanelSlot> {
        std::iter::once(&mut self.panel).chain(self.objects.iter_mut().map(GuestObject::panel_mut))
    }

    /// The piece with the panel has come.
    pub(super) fn fill(&mut self, make: MakePanel) {
        self.make = Some(make);
        self.all_mut().for_each(|panel| panel.fill(make));
    }

    pub(super) fn lack_piece(&self) -> bool {
        self.all().any(PanelSlot::lacks_piece)
    }

    /// Whether a panel uses the view.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.all().any(|panel| panel.holds(key))
    }

    /// Entries or rows of a view arrived.
    pub(super) fn news(&mut self, key: ViewKey) {
        self.all_mut().for_each(|panel| panel.news(key));
    }

    /// Recorded versions of an object came.
    pub(super) fn history_came(&mut self, answer: &PastAnswer) {
        self.all_mut().for_each(|panel| panel.history_came(answer));
    }

    pub(super) fn history_failed(&mut self, id: SubscriptionId, problem: &Problem) {
        self.all_mut().for_each(|panel| panel.history_failed(id, problem));
    }

    /// Whether the piece with the logs is there. Returns whether a panel needs it.
    pub(super) fn fill_logs(&mut self, piece: &PieceShown, cx: &Cx) -> bool {
        let mut lacks = false;
        self.all_mut().for_each(|panel| lacks |= panel.fill_logs(cx.logs, piece));
        lacks
    }

    /// A view dropped all that it held. Returns the views that the panels no longer use.
    pub(super) fn purged(&mut self, key: ViewKey, cx: &mut Cx) -> Vec<ViewKey> {
        self.all_mut().flat_map(|panel| panel.purged(key, &mut cx.client, cx.now)).collect()
    }

    /// When an object that waits is to be subscribed to.
    pub(super) fn timers_ms(&self) -> impl Iterator<Item = UnixMillis> {
        self.all().filter_map(PanelSlot::timer_ms)
    }

    pub(super) fn set_page_width(&mut self, width_px: f64) {
        self.page_width_px = width_px;
        self.panel.set_page_width(width_px);
    }
}

/// The panel beside the panes.
impl Panels {
    pub(super) fn model(&self) -> &PanelModel {
        self.panel.model()
    }

    pub(super) fn is_open(&self) -> bool {
        self.panel.is_open()
    }

    /// The page has room for a panel that keeps its object while its reader looks through other kinds.
    pub(super) fn are_docked(&self) -> bool {
        self.page_width_px >= DOCKED_PX_MIN
    }

    pub(super) fn take_focus(&mut self) {
        self.panel.take_focus();
    }

    pub(super) fn has_focus(&mut self, has_focus: bool) {
        self.focus.is_here = has_focus;
    }

    /// Something opens over the page, and takes the focus.
    pub(super) fn lend_focus(&mut self) {
        self.focus.is_lent = self.focus.is_here && self.is_open();
    }

    /// What was opened over the page is closed. Returns whether the panel had the focus before and takes it again.
    pub(super) fn take_focus_back(&mut self) -> bool {
        let is_lent = std::mem::take(&mut self.focus.is_lent) && self.is_open();
        if is_lent {
            self.take_focus();
        }
        is_lent
    }

    /// Shows the object that the address names. Returns the views that the panel no longer uses.
    pub(super) fn follow(&mut self, wanted: Option<Wanted>, cx: &mut Cx) -> Vec<ViewKey> {
        self.panel.follow(&mut cx.client, wanted, cx.now)
    }

    pub(super) fn update(&mut self, action: PanelAction, cx: &Cx) -> PanelOutcome {
        self.panel.update(&cx.client, action, cx.now_ms())
    }

    /// A key asks for a part of the open object.
    pub(super) fn key(&mut self, key: PanelKey, cx: &Cx) -> PanelOutcome {
        self.panel.key(&cx.client, key)
    }

    /// The rollout of the open object, while it goes on.
    pub(super) fn rollout(&self, cx: &Cx) -> Option<Progress> {
        self.panel.rollout(&cx.client, cx.now_ms(), cx.zone)
    }

    pub(super) fn render(&mut self, theme: Theme, cx: &Cx) {
        self.panel.render(&cx.client, theme, cx.now_ms(), cx.zone);
        self.objects.iter_mut().for_each(|object| object.render(theme, cx));
    }
}

/// The elements that show one object.
impl Panels {
    pub(super) fn objects(&self) -> impl Iterator<Item = (PaneId, &GuestObjectModel, &PanelModel)> {
        self.objects.iter().map(|object| (object.id(), object.model(), object.panel().model()))
    }

    pub(super) fn object(&self, id: PaneId) -> Option<&GuestObject> {
        self.objects.iter().find(|object| object.id() == id)
    }

    pub(super) fn object_mut(&mut self, id: PaneId) -> Option<&mut GuestObject> {
        self.objects.iter_mut().find(|object| object.id() == id)
    }

    pub(super) fn add_object(&mut self, id: PaneId, link: &str) {
        let mut panel = PanelSlot::new(0.0, None);
        if let Some(make) = self.make {
            panel.fill(make);
        }
        self.objects.push(GuestObject::new(id, link, panel));
    }

    /// Returns the views that it no longer uses.
    pub(super) fn remove_object(&mut self, id: PaneId, cx: &mut Cx) -> Vec<ViewKey> {
        let Some(at) = self.objects.iter().position(|object| object.id() == id) else { return Vec::new() };
        let mut object = self.objects.remove(at);
        object.panel_mut().follow(&mut cx.client, None, cx.now)
    }

    /// Opens what each object's place names. Returns the views that they no longer use.
    pub(super) fn follow_objects(&mut self, cx: &mut Cx) -> Vec<ViewKey> {
        self.objects.iter_mut().flat_map(|object| object.follow(cx)).collect()
    }

    pub(super) fn second(&mut self, cx: &Cx) {
        self.objects.iter_mut().for_each(|object| object.note_freshness(cx));
    }

    pub(super) fn render_lacking(&mut self, piece: &PieceShown) {
        self.objects.iter_mut().for_each(|object| object.render_lacking(piece));
    }
}
