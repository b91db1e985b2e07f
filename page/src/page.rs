//! The page: it passes each action and input to the feature that handles it, and puts the model together. Actions and
//! inputs change the state at once; [`Page::render`] updates the model, once an animation frame.

/// Whether another feature than the panes uses a view. No function, because a closure borrows these fields alone, for as
/// long as it is used.
macro_rules! held_elsewhere {
    ($page:expr) => {
        |key| $page.pickers.holds(key) || $page.panels.holds(key) || $page.feedback.holds(key)
    };
}

mod address_bar;
mod announcer;
pub mod bar;
mod feedback;
pub mod guest;
pub mod guest_object;
pub mod health;
mod hint;
pub(crate) mod history;
pub mod layout;
pub mod navigation;
mod panels;
mod panes;
mod pickers;
mod pieces;
mod places;
mod recent;
mod tell;
mod title;
mod update;
pub mod words;

use std::sync::Arc;

use replica::client::{Input, Output, SignIn, ViewKey};
use replica::connection::Link;
use replica::now::Now;
use shared::state::UnixMillis;

use crate::action::{Action, PaneId};
use crate::address::Look;
use crate::clipboard::Clip;
use crate::cx::Cx;
use crate::effect::{Effect, MayNotify};
use crate::limits::RIGHTS_PER_SECOND_MAX;
use crate::login::session::{Elsewhere, Heard, LastLogin, Renewed, Session};
use crate::login::{self, Login, way_out};
use crate::messages::{self, Zone};
use crate::model::{PageModel, PaneModel};
use crate::namespaces::Picked;
use crate::pane::Pane;
use crate::panel::PanelModel;
use crate::piece::{Brought, NotBrought, Piece, PieceShown, Pieces};
use crate::preferences::Preferences;
use crate::rights::{Rights, Shown};
use crate::table_view::Client;
use crate::theme::Theme;
pub use address_bar::Host;
use bar::Bar;
use feedback::Feedback;
use health::Health;
use history::History;
use navigation::Navigation;
use panels::Panels;
use panes::Panes;
use pickers::Pickers;
use title::News;

/// The whole page, in Dogwatch's own window or behind the elements of another page. The browser's side calls it: an action
/// of the reader goes to [`Page::update`], a frame or a timer to [`Page::handle`], another address to
/// [`Page::address_changed`], each second to [`Page::second`] and each animation frame to [`Page::render`]. What the
/// browser has to do comes out of [`Page::poll_effect`], and what it has to show out of [`Page::model`],
/// [`Page::panes`], [`Page::panel`] and [`Page::objects`].
///
/// Each field is a feature that owns its state, and no other feature changes it. What all of them need is in the context
/// ([`Cx`]): the client, the effects, the preferences and the time. A feature answers with what its reader chose or with
/// the views that it no longer uses. The page knows the order alone in which the features are asked:
///
/// 1. An action goes to the pane or the panel that it came from, or to the feature that it names (`update.rs`).
/// 2. A change of a pane's place opens its view, and then the address is pushed or replaced ([`History`]).
/// 3. The panel opens the object that the address names, and the namespaces are watched while a picker or an empty view
///    needs them.
/// 4. The client's outputs are handled until there are none, because a frame may open or close a view.
///
/// A view is closed when the panes, the panels and the pickers no longer use it, so that two of them may share one. Closing
/// is therefore the page's part.
///
/// The model is written by `render`, except for what the next key or the login needs at once: the palette, the pickers,
/// the help, the login page and the theme. A hidden page isn't rendered, but its seconds go on: its title says that a view is stale.
///
/// A sign-out drops the panes, the panels and the client, and nothing is handled any more.
pub struct Page {
    cx: Cx,
    panes: Panes,
    panels: Panels,
    history: History,
    pickers: Pickers,
    session: Session,
    rights: Rights,
    pieces: Pieces,
    feedback: Feedback,
    model: PageModel,
}

/// What the page knows of the browser at the start.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub preferences: Preferences,
    pub sign_in: SignIn,
    pub last_login: LastLogin,
    /// What tabs told each other last of a login: see [`Elsewhere`].
    pub told: Box<str>,
    pub width_px: f64,
}

/// In the gateway's log.
const CLIENT: &str = concat!("page ", env!("CARGO_PKG_VERSION"));

/// What the browser's side asks of it and tells it.
impl Page {
    pub fn new(host: Host, environment: Environment) -> Self {
        let Environment { preferences, sign_in, last_login, told, width_px } = environment;
        Self {
            model: PageModel { theme: Theme::parse(&preferences.theme), ..PageModel::default() },
            panes: Panes::default(),
            panels: Panels::new(width_px, preferences.panel_px.map(Into::into)),
            history: History::new(host),
            pickers: Pickers::default(),
            session: Session::new(last_login, told),
            rights: Rights::default(),
            pieces: Pieces::default(),
            feedback: Feedback::default(),
            cx: Cx::new(Client::new(CLIENT, sign_in), preferences),
        }
    }

    /// All but the panes and the panel.
    pub fn model(&self) -> &PageModel {
        &self.model
    }

    /// The panes, in their order on the board.
    pub fn panes(&self) -> impl Iterator<Item = (PaneId, &PaneModel)> {
        self.panes.iter().map(|pane| (pane.id(), pane.model()))
    }

    pub fn panel_model(&self) -> &PanelModel {
        self.panels.model()
    }

    #[cfg(any(test, feature = "testing"))]
    pub fn panel(&self) -> crate::testing::SeenPanel<'_> {
        crate::testing::SeenPanel::of(self.panel_model())
    }

    /// The next effect to carry out.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.cx.effects.pop_front()
    }

    /// When [`Input::Timer`] is due.
    pub fn timer_ms(&self) -> Option<UnixMillis> {
        let client = self.cx.client.timer_ms().into_iter();
        client.chain(self.panels.timers_ms()).chain(self.feedback.timers_ms()).min()
    }

    /// The reader's time zone. The browser is asked for it every second.
    pub fn set_zone(&mut self, zone: Zone) {
        self.cx.zone = zone;
    }

    /// The width of the browser's window changed.
    pub fn set_width(&mut self, width_px: f64) {
        self.panels.set_page_width(width_px);
    }

    /// A message of so many bytes arrived on the socket.
    pub fn received(&mut self, bytes: u64, now_ms: UnixMillis) {
        self.cx.traffic.note(bytes, now_ms);
    }

    /// Handles an input of the client, and its outputs.
    pub fn handle(&mut self, input: Input, now: Now) {
        self.cx.now = now;
        if self.session.has_left() {
            return;
        }
        self.cx.client.handle(input, now);
        self.follow();
    }

    /// Handles an action of the reader, in a pane or in the page around the panes.
    pub fn update(&mut self, from: Option<PaneId>, action: Action, now: Now) {
        self.cx.now = now;
        self.apply(from, action);
        self.follow();
    }

    /// The answer to [`Effect::Copy`].
    pub fn copied(&mut self, clip: Clip, is_done: bool, now: Now) {
        self.feedback.copied(clip, is_done, now.now_ms);
    }

    /// A piece of the program has come.
    pub fn brought(&mut self, brought: Brought, now: Now) {
        self.cx.now = now;
        self.pieces.came(brought.piece());
        match brought {
            Brought::Shell => {}
            Brought::Panel(make) => self.panels.fill(make),
            Brought::Logs(make) => {
                self.cx.logs = Some(make);
                self.panels.fill_logs(&PieceShown::Here, &self.cx);
            }
            Brought::More(parts) => {
                self.cx.more = Some(parts);
                Session::say_login(&mut self.model, &self.cx);
                self.more_came(parts);
                self.search_again();
            }
        }
        self.follow();
    }

    /// A piece of the program couldn't be had.
    pub fn not_brought(&mut self, piece: Piece, why: NotBrought, now_ms: UnixMillis) {
        self.pieces.failed(piece, why, now_ms);
    }

    /// The answer to [`Effect::Renew`].
    pub fn renewed(&mut self, answer: Renewed, now: Now) {
        self.cx.now = now;
        self.session.renewed(answer, &self.cx);
    }

    /// The answer to [`Effect::SignOut`]: where the gateway leads from here. `Err`: the reader is still signed in.
    pub fn signed_out(&mut self, answer: Result<Option<String>, ()>, now: Now) {
        self.cx.now = now;
        match answer {
            Ok(to) => {
                self.leave();
                let to = to.as_deref().and_then(way_out).map(str::to_owned);
                self.cx.effects.extend([Effect::TellSignedOut, Effect::Leave(to)]);
            }
            Err(()) => self.feedback.hint(login::words::SIGN_OUT_FAILED, &self.cx),
        }
    }

    /// Whether the browser shows notifications: at the start, and as the answer to [`Effect::AskToNotify`].
    pub fn may_notify(&mut self, may: MayNotify) {
        self.feedback.telling().may_notify(may);
    }

    /// Another tab stored preferences, signed in or signed out. This tab takes its theme, its pins and its login, and
    /// keeps its own columns.
    pub fn kept_elsewhere(&mut self, elsewhere: Elsewhere, now: Now) {
        self.cx.now = now;
        let Elsewhere { preferences, is_signed_in, told } = elsewhere;
        match self.session.hear(told, is_signed_in, &self.model, &self.cx) {
            Heard::SignedOut => {
                self.leave();
                return self.cx.effect(Effect::Leave(None));
            }
            Heard::Reload => return self.cx.effect(Effect::Reload),
            Heard::SignedIn => self.handle(Input::SignIn(SignIn::Key), now),
            Heard::Nothing => {}
        }
        self.model.theme = Theme::parse(&preferences.theme);
        self.cx.preferences = preferences;
        self.render_navigation();
    }

    /// The address bar shows this path and query, at the start or after back and forward.
    pub fn address_changed(&mut self, address: &str, now: Now) {
        self.cx.now = now;
        if self.session.has_left() {
            return;
        }
        self.go_to_address(address);
        self.follow();
    }

    /// Once a second, also while the page is hidden.
    pub fn second(&mut self, now: Now) {
        self.cx.now = now;
        self.ask_rights(RIGHTS_PER_SECOND_MAX);
        self.panes.ask_recorded(self.history.is_own_page(), &mut self.cx);
        self.handle(Input::Timer, now);
        self.watch_login();
        self.cx.traffic.turn(now.now_ms);
        let is_stale = self.panes.second(&mut self.cx);
        self.panels.second(&self.cx);
        if self.history.is_own_page() {
            let left = self.feedback.telling().second(&mut self.cx);
            self.close_unused(left);
        }
        let message = self.panes.announce(&self.cx);
        self.feedback.announce(message, &mut self.model, &self.cx);
        if self.history.is_own_page() {
            let rollout = self.panels.rollout(&self.cx);
            self.cx.client.follow(rollout.is_some() || self.feedback.telling().is_asking());
            let news = match (self.panes.past_clock(&self.cx), rollout) {
                (Some(clock), _) => News::Past(clock),
                (None, _) if is_stale => News::Stale,
                (None, Some(progress)) => News::Rollout(progress),
                (None, None) => News::Failing(self.panes.failing(&self.cx)),
            };
            let (state, icon) = news.said(self.panes.is_paused());
            let shown = self.panes.document_title();
            self.feedback.set_title(shown, &self.model.cluster, (&state, icon), &mut self.cx);
        }
    }

    /// Updates the model. A hidden page isn't rendered.
    pub fn render(&mut self, now_ms: UnixMillis) {
        self.cx.now.now_ms = now_ms;
        self.feedback.render(&mut self.model, &self.cx);
        let theme = self.model.theme;
        self.panes.stand(self.history.host(), theme, &self.cx);
        self.pickers.render_clusters(self.panes.active(), &mut self.model, &self.cx);
        self.render_namespaces();
        self.render_rights();
        self.model.who = self.session.who(&self.cx);
        self.model.bar = self.bar();
        self.model.pane_count = self.panes.len();
        let (links, namespaces) = (self.history.links(&self.panes), self.pickers.all_namespaces(&self.cx));
        self.panes.link(&self.cx);
        for (at, pane) in self.panes.iter_mut().enumerate() {
            pane.follow_links(links.clone(), at);
            pane.render(namespaces, &mut self.cx);
        }
        self.panes.render_comparisons(links.as_deref(), &mut self.cx);
        if links.is_some() {
            self.panes.render_wrong(links.as_deref(), &self.cx);
        }
        self.model.wrong = self.panes.wrong_tally(&self.cx);
        self.model.health = Health::of(
            self.panes.iter().filter_map(|pane| Some((pane.freshness()?, pane.is_paused()))),
            (now_ms, self.cx.zone),
            self.cx.client.welcome().is_some_and(|welcome| welcome.replays.is_some()),
        );
        self.model.past = self.panes.render_past(self.history.is_own_page(), &self.cx);
        self.panels.render(theme, &self.cx);
        let is_own_page = self.history.is_own_page();
        let shown = (&self.panes, &mut self.panels, !self.history.question().is_empty());
        pieces::render(&mut self.pieces, shown, is_own_page, &mut self.model, &mut self.cx);
        self.panels.render_lacking(&self.model.panel_piece);
        self.rights.offer_kinds(self.panes.iter_mut(), &self.cx);
        self.model.board = self.panes.frame();
        let active = self.panes.active().into_iter();
        let counted = active.chain(self.panes.iter()).filter_map(|pane| pane.counted(&self.cx));
        Navigation::set_counts(&mut self.model.navigation, counted);
    }
}

/// What several features have to do with an input or a frame.
impl Page {
    /// Handles the client's outputs until there are none.
    fn follow(&mut self) {
        self.follow_drag();
        self.follow_question();
        self.follow_comparisons();
        self.follow_wrong();
        let wanted = self.panes.wanted_object(&self.cx);
        let left = self.panels.follow(wanted, &mut self.cx);
        self.close_unused(left);
        let left = self.panels.follow_objects(&mut self.cx);
        self.close_unused(left);
        self.watch_namespaces();
        while let Some(output) = self.cx.client.poll_output() {
            self.output(output);
        }
        if self.history.take_moved() {
            self.render_navigation();
        }
    }

    fn output(&mut self, output: Output) {
        match output {
            Output::Connect => self.cx.effect(Effect::Connect),
            Output::Send(frame) => self.cx.effect(Effect::Send(frame)),
            Output::Prove { nonce } => self.cx.effect(Effect::Prove(nonce)),
            Output::Close { .. } => self.cx.effect(Effect::Disconnect),
            Output::Rows(key, delta) => {
                self.panes.rows_came(key, &delta, &mut self.cx);
                self.panels.news(key);
                if self.pickers.holds(key) {
                    self.search_again();
                }
            }
            Output::View(key) | Output::Ended(key) | Output::Object(key) | Output::Timeline(key, _) => {
                self.rights.note(&self.cx.client, key, self.cx.now_ms());
                self.panels.news(key);
            }
            Output::Purged(key) => {
                self.panes.purged(key, &mut self.cx);
                let left = self.panels.purged(key, &mut self.cx);
                self.close_unused(left);
            }
            Output::Link => {
                if let Link::Refused { why, problem } = self.cx.client.connection().link().clone() {
                    self.session.refused((why, &problem), &self.history, &mut self.model, &mut self.cx);
                }
            }
            Output::Welcome => {
                if let Some(viewer) = self.cx.client.welcome().map(|welcome| welcome.viewer.clone()) {
                    self.session.let_in(viewer, &mut self.model, &mut self.cx);
                }
                self.clusters_came();
            }
            Output::Team => self.clusters_came(),
            Output::Auth(auth) => self.session.login_told(&auth, &mut self.model, &self.cx),
            Output::Past(answer) => {
                self.panels.history_came(&answer);
                self.panes.recorded_came(&answer, &self.cx);
            }
            Output::Unanswered(id, problem) => {
                self.panels.history_failed(id, &problem);
                self.panes.recorded_failed(id, problem, &self.cx);
            }
            Output::Rights(answer) => self.rights.answered(&self.cx.client, *answer, self.cx.now_ms()),
            Output::Kinds => {
                let held =
                    |key| self.pickers.holds(key) || self.panels.holds(key) || self.feedback.holds(key);
                self.panes.kinds_came(&held, &mut self.cx);
                self.history.replace(&self.panes, &mut self.cx);
                self.history.moved(true);
            }
            Output::Problem(_) | Output::Got(..) | Output::Logs(_) => {}
        }
    }

    /// The gateway has other clusters than before, or reaches others.
    fn clusters_came(&mut self) {
        let held = held_elsewhere!(self);
        self.panes.clusters_came(&held, &mut self.cx);
        self.history.replace(&self.panes, &mut self.cx);
        self.history.moved(true);
    }

    /// Closes those that no feature uses.
    fn close_unused(&mut self, left: impl IntoIterator<Item = ViewKey>) {
        let held = held_elsewhere!(self);
        self.panes.close_unused(left, &held, &mut self.cx);
    }

    fn follow_wrong(&mut self) {
        let held = held_elsewhere!(self);
        self.panes.follow_wrong(self.history.is_own_page(), &held, &mut self.cx);
    }

    fn follow_comparisons(&mut self) {
        let held = held_elsewhere!(self);
        self.panes.follow_comparisons(self.history.is_own_page(), &held, &mut self.cx);
    }

    /// Namespaces are watched while the reader looks for one, or sees no rows of one that may not exist.
    fn watch_namespaces(&mut self) {
        let wants = |pane: &Pane| pane.wants_namespaces(&self.cx);
        let is_wanted = self.pickers.look_for_namespaces() || self.panes.iter().any(wants);
        let left = self.pickers.watch(self.panes.active(), is_wanted, &mut self.cx);
        self.close_unused(left);
    }

    /// Once a second: the login is renewed in time.
    fn watch_login(&mut self) {
        let Some((left_ms, is_renewed)) = self.session.watch(&self.history, &mut self.cx) else { return };
        if is_renewed {
            self.handle(Input::Renewed, self.cx.now);
        }
        self.session.announce_end(left_ms, &mut self.model);
    }

    /// Asks for what is shown of rights and isn't known.
    fn ask_rights(&mut self, at_once_max: usize) {
        let location = self.panes.active().map(|pane| pane.place().clone()).unwrap_or_default();
        let picked = self.model.navigation.current.as_ref().filter(|_| self.pickers.is_namespaces_open());
        let shown = Shown { location: &location, picked, opened_ms: self.session.rights_opened_ms() };
        self.rights.ask_for(self.panes.iter(), shown, at_once_max, &mut self.cx);
    }

    /// Drops all that came from the cluster, before the browser is led to another document.
    fn leave(&mut self) {
        self.cx.begin_anew(Client::new(CLIENT, SignIn::Connection));
        self.feedback.telling().leave(&mut self.cx);
        self.panes.clear();
        self.panels = Panels::new(0.0, None);
        self.history = History::new(self.history.host());
        self.pickers.leave();
        self.rights = Rights::default();
        let theme = self.model.theme;
        self.model = PageModel { theme, ..PageModel::default() };
        Session::show_login(Login::left(), &mut self.model, &self.cx);
        self.session.leave();
        self.cx.effect(Effect::Disconnect);
    }
}

/// The parts of the model that several features say together.
impl Page {
    fn bar(&self) -> Option<Bar> {
        self.session.bar(&self.cx).or_else(|| Bar::of_link(&self.cx)).or_else(|| {
            if self.panes.is_refused() {
                return Some(Bar::of_full_board());
            }
            let unknown: Vec<String> =
                self.panes.iter().flat_map(|pane| pane.unknown_columns(&self.cx)).collect();
            let unread = self.history.unread().chain(unknown.iter().map(String::as_str));
            Bar::of_address(&unread.collect::<Vec<_>>())
        })
    }

    fn render_namespaces(&mut self) {
        let picked = Picked { pane: self.panes.active(), rights: &self.rights };
        self.pickers.render_namespaces(picked, &mut self.model, &self.cx);
    }

    fn render_rights(&mut self) {
        let location = self.panes.active().map(|pane| pane.place().clone()).unwrap_or_default();
        let here = (&location, &self.model.namespaces.chosen);
        self.model.rights = self.session.rights(&self.rights, here, &self.cx);
    }

    fn render_navigation(&mut self) {
        let pane = self.panes.active();
        let here = pane.map(|pane| pane.place().clone()).unwrap_or_default();
        let current = pane.and_then(Pane::kind).map(|kind| kind.resource.clone());
        let clusters = pane.map(Pane::clusters).unwrap_or_default();
        match (clusters, &here.cluster) {
            ([_, ..], _) => self.model.cluster = messages::clusters_named(clusters),
            ([], Some(cluster)) => self.model.cluster = cluster.to_string(),
            ([], None) => {}
        }
        let counts = self.model.navigation.counts.clone();
        if let Some(navigation) = Navigation::of(&here, current, counts, &self.cx) {
            let is_wrong = self.panes.active().is_some_and(|pane| pane.look() == Look::Wrong);
            self.model.navigation = Arc::new(Navigation { is_wrong, ..navigation });
        }
    }
}
