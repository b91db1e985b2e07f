//! The page: it passes each action and input to the part that handles it, and puts the model together. Actions and
//! inputs change the state at once; [`Page::render`] updates the model, once an animation frame.

mod address_bar;
mod announcer;
pub mod bar;
mod board;
pub mod clusters;
mod frame;
mod go_to;
pub mod guest;
pub mod guest_object;
pub mod health;
mod hint;
pub mod layout;
pub mod login;
pub mod namespaces;
pub mod navigation;
mod navigator;
pub mod palette;
mod panels;
mod pieces;
mod places;
mod recent;
pub mod rights;
pub mod session;
mod title;
pub mod who;

use replica::client::{Input, Output, SignIn};
use replica::connection::Link;
use replica::now::Now;
use shared::row::RowId;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use crate::action::{Action, Key, PaneAction, PaneId, PanelAction};
use crate::clipboard::{Clip, Clipboard};
use crate::effect::Effect;
use crate::limits::RIGHTS_PER_SECOND_MAX;
use crate::messages::{self, Zone};
use crate::model::{PageModel, PaneModel, PanelModel};
use crate::pane::Pane;
use crate::panel::PanelSlot;
use crate::piece::Pieces;
use crate::preferences::{Change, Preferences};
use crate::table_view::Client;
use crate::theme::Theme;
use crate::traffic::Traffic;
pub use address_bar::Host;
use announcer::Announcer;
use bar::Bar;
use board::Board;
use clusters::ClusterPicker;
use health::Health;
use hint::Hint;
use navigation::Navigation;
use navigator::Navigator;
use palette::Palette;
use session::{LastLogin, Session};
use title::Title;

pub struct Page {
    navigator: Navigator,
    title: Title,
    palette: Option<Palette>,
    clusters: Option<ClusterPicker>,
    /// A view couldn't be added, because the board is full.
    is_board_refused: bool,
    announcer: Announcer,
    clipboard: Clipboard,
    hint: Hint,
    traffic: Traffic,
    zone: Zone,
    session: Session,
    pieces: Pieces,
    model: PageModel,
}

/// What the page knows of the browser at the start.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub preferences: Preferences,
    pub sign_in: SignIn,
    pub last_login: LastLogin,
    /// What tabs told each other last of a login: see [`session::Elsewhere`].
    pub told: Box<str>,
    pub width_px: f64,
}

/// In the gateway's log.
const CLIENT: &str = concat!("page ", env!("CARGO_PKG_VERSION"));

impl Page {
    pub fn new(host: Host, environment: Environment) -> Self {
        let Environment { preferences, sign_in, last_login, told, width_px } = environment;
        let client = Client::new(CLIENT, sign_in);
        let panel = PanelSlot::new(width_px, preferences.panel_px.map(Into::into));
        Self {
            model: PageModel { theme: Theme::parse(&preferences.theme), ..PageModel::default() },
            navigator: Navigator::new(host, client, panel, preferences),
            title: Title::default(),
            palette: None,
            clusters: None,
            is_board_refused: false,
            announcer: Announcer::default(),
            clipboard: Clipboard::default(),
            hint: Hint::default(),
            traffic: Traffic::default(),
            zone: Zone::default(),
            session: Session::new(last_login, told),
            pieces: Pieces::default(),
        }
    }

    /// All but the panes and the panel.
    pub fn model(&self) -> &PageModel {
        &self.model
    }

    /// The panes, in their order on the board.
    pub fn panes(&self) -> impl Iterator<Item = (PaneId, &PaneModel)> {
        self.navigator.board.panes.iter().map(|pane| (pane.id, &pane.model))
    }

    pub fn panel(&self) -> &PanelModel {
        self.navigator.board.panel.model()
    }

    /// The next effect to carry out.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.navigator.effects.pop_front()
    }

    /// When [`Input::Timer`] is due.
    pub fn timer_ms(&self) -> Option<UnixMillis> {
        let Board { client, .. } = &self.navigator.board;
        let panels = self.navigator.board.panels_held().filter_map(PanelSlot::timer_ms);
        let messages = self.clipboard.until_ms().into_iter().chain(self.hint.until_ms());
        client.timer_ms().into_iter().chain(panels).chain(messages).min()
    }

    /// The reader's time zone. The browser is asked for it every second.
    pub fn set_zone(&mut self, zone: Zone) {
        self.zone = zone;
    }

    /// The width of the browser's window changed.
    pub fn set_width(&mut self, width_px: f64) {
        self.navigator.board.panel.set_page_width(width_px);
    }

    /// A message of so many bytes arrived on the socket.
    pub fn received(&mut self, bytes: u64, now_ms: UnixMillis) {
        self.traffic.note(bytes, now_ms);
    }

    /// Handles an input of the client, and its outputs.
    pub fn handle(&mut self, input: Input, now: Now) {
        if self.session.has_left() {
            return;
        }
        self.navigator.board.client.handle(input, now);
        self.follow(now);
    }

    /// Handles an action of the reader, in a pane or in the page around the panes.
    pub fn update(&mut self, from: Option<PaneId>, action: Action, now: Now) {
        self.apply(from, action, now);
        self.follow(now);
    }

    /// The answer to [`Effect::Copy`].
    pub fn copied(&mut self, clip: Clip, is_done: bool, now: Now) {
        self.clipboard.answered(clip, is_done, now.now_ms);
    }

    /// The address bar shows this path and query, at the start or after back and forward.
    pub fn address_changed(&mut self, address: &str, now: Now) {
        if self.session.has_left() {
            return;
        }
        self.navigator.go_to_address(address, now);
        self.follow(now);
    }

    /// Once a second, also while the page is hidden.
    pub fn second(&mut self, now: Now) {
        self.ask_rights(RIGHTS_PER_SECOND_MAX, now.now_ms);
        self.handle(Input::Timer, now);
        self.watch_login(now);
        let now_ms = now.now_ms;
        self.traffic.turn(now_ms);
        let is_stale = self.navigator.board.second(now_ms);
        let message = self.navigator.board.announce();
        if let Some(said) = self.announcer.next(message, now_ms) {
            self.model.announced = said;
        }
        if self.navigator.address_bar.host() == Host::Dogwatch {
            let shown = match self.navigator.board.panes.as_slice() {
                [pane] => pane.title(),
                panes if self.navigator.board.title.is_empty() => messages::board_of(panes.len()),
                _ => self.navigator.board.title.to_string(),
            };
            let is_paused = self.navigator.board.panes.iter().any(Pane::is_paused);
            let state = messages::title_state(is_stale, is_paused);
            let title = self.title.write(shown, &self.model.cluster, state);
            self.navigator.effects.extend(title.map(Effect::SetTitle));
        }
    }

    /// Updates the model. A hidden page isn't rendered.
    pub fn render(&mut self, now_ms: UnixMillis) {
        self.model.copied = self.clipboard.shown(now_ms).cloned();
        self.hint.shown(now_ms).clone_into(&mut self.model.hint);
        let (theme, zone, host) = (self.model.theme, self.zone, self.navigator.address_bar.host());
        self.navigator.board.stand(host, theme, self.navigator.preferences.density);
        self.render_clusters(now_ms);
        self.render_namespaces(now_ms);
        self.render_rights(now_ms);
        let links = self.navigator.links();
        let Board { client, panes, panel, namespaces, .. } = &mut self.navigator.board;
        let namespaces = namespaces.current(client, now_ms);
        let is_refused = self.is_board_refused;
        self.model.who = self.session.who(client, now_ms, zone);
        let of_login = self.session.bar(client, now_ms, zone);
        self.model.bar = of_login.or_else(|| Bar::of_link(client, now_ms, zone)).or_else(|| {
            if is_refused {
                return Some(Bar::of_full_board());
            }
            let unknown: Vec<String> = panes.iter().flat_map(|pane| pane.unknown_columns(client)).collect();
            let unread = self.navigator.address_bar.unread().chain(unknown.iter().map(String::as_str));
            Bar::of_address(&unread.collect::<Vec<_>>())
        });
        self.model.pane_count = panes.len();
        for (at, pane) in panes.iter_mut().enumerate() {
            pane.follow_links(links.clone(), at);
            pane.render(client, (&self.traffic, namespaces), now_ms, zone);
        }
        self.model.health = Health::of(panes.iter().filter_map(|pane| pane.freshness.as_ref()), now_ms, zone);
        panel.render(client, theme, now_ms, zone);
        self.navigator.board.render_objects(theme, now_ms, zone);
        self.render_pieces(now_ms);
        self.navigator.board.offer_kinds(now_ms);
        self.model.board = self.navigator.board.frame();
        let rows = self.navigator.board.active().and_then(|pane| pane.count(&self.navigator.board.client));
        Navigation::set_count(&mut self.model.navigation, rows);
    }

    /// Handles the client's outputs until there are none.
    fn follow(&mut self, now: Now) {
        self.navigator.board.follow_panel(now);
        self.watch_namespaces(now);
        while let Some(output) = self.navigator.board.client.poll_output() {
            self.output(output, now);
        }
        if std::mem::take(&mut self.navigator.has_moved) {
            self.render_navigation();
        }
    }

    fn output(&mut self, output: Output, now: Now) {
        match output {
            Output::Connect => self.navigator.effects.push_back(Effect::Connect),
            Output::Send(frame) => self.navigator.effects.push_back(Effect::Send(frame)),
            Output::Prove { nonce } => self.navigator.effects.push_back(Effect::Prove(nonce)),
            Output::Close { .. } => self.navigator.effects.push_back(Effect::Disconnect),
            Output::Rows(key, delta) => {
                self.navigator.board.rows_came(key, &delta, now.now_ms);
                self.navigator.board.panel_news(key);
                if self.navigator.board.namespaces.holds(key) {
                    self.search_again();
                }
            }
            Output::View(key) | Output::Ended(key) | Output::Object(key) | Output::Timeline(key, _) => {
                self.navigator.board.view_changed(key, now.now_ms);
            }
            Output::Purged(key) => self.navigator.board.purged(key, now),
            Output::Link => {
                if let Link::Refused { why, problem } = self.navigator.board.client.connection().link.clone()
                {
                    self.refused(why, &problem);
                }
            }
            Output::Welcome => {
                let welcome = self.navigator.board.client.welcome();
                welcome.map(|welcome| welcome.viewer.clone()).into_iter().for_each(|it| self.let_in(it, now));
                self.clusters_came(now);
            }
            Output::Team => self.clusters_came(now),
            Output::Auth(auth) => self.login_told(&auth, now),
            Output::Rights(answer) => self.navigator.board.rights_answered(*answer, now.now_ms),
            Output::Kinds => {
                self.navigator.board.kinds_came(&self.navigator.preferences, now);
                self.navigator.replace_address();
                self.navigator.has_moved = true;
            }
            Output::Problem(_) | Output::Got(..) => {}
        }
    }

    fn apply(&mut self, from: Option<PaneId>, action: Action, now: Now) {
        if let Some(object) = from.filter(|id| self.navigator.board.object(*id).is_some()) {
            return self.update_object(object, action, now);
        }
        let pane = from.unwrap_or(self.navigator.board.active_id());
        let refusal = self.navigator.board.pane(pane).and_then(|pane| pane.refusal(&action));
        if let Some(why) = refusal {
            return self.hint.say(why, now.now_ms);
        }
        match action {
            Action::OpenKind(resource) => {
                self.navigator.board.focus_rows();
                self.navigator.open_kind(resource.to_string().into(), None, "", now);
            }
            Action::FollowLink(link) => {
                if let Some(changed) = self.navigator.follow_link(&link, now) {
                    self.hint.say(changed, now.now_ms);
                }
            }
            Action::OpenLink(link) => {
                self.navigator.effects.push_back(Effect::PushAddress(link.clone()));
                self.navigator.go_to_address(&link, now);
            }
            Action::SetNamespaces(namespaces) => self.navigator.set_namespaces(pane, namespaces, now),
            Action::LookEverywhere => self.navigator.set_namespaces(pane, Namespaces::All, now),
            Action::OpenServed => {
                self.navigator.push_change(pane, |pane| pane.place.cluster = None, now);
            }
            Action::Namespaces(action) => self.update_namespaces(action, now),
            Action::Clusters(action) => self.update_clusters(action, now),
            Action::NextTheme => {
                self.model.theme = self.model.theme.next();
                self.navigator.prefer(Change::Theme(self.model.theme.word().into()));
            }
            Action::SetDensity(density) => self.navigator.prefer(Change::Density(density)),
            Action::SetTheme(theme) => self.navigator.board.set_theme(pane, theme),
            Action::ShowLogin(login) => self.model.login = Some(login),
            Action::SignInAgain => self.sign_in_again(),
            Action::SignIn(token) => self.sign_in(&token, now),
            Action::SignOut => self.navigator.effects.push_back(Effect::SignOut),
            Action::ReturnToViews => self.return_to_views(),
            Action::Who(is_open) => self.show_who(is_open),
            Action::Rights(is_open) => self.show_rights(is_open, now.now_ms),
            Action::TryNow => self.navigator.board.client.handle(Input::Retry, now),
            Action::DismissBar => {
                self.is_board_refused = false;
                self.navigator.address_bar.dismiss_unread();
                self.navigator.board.forget_unknown_columns();
                self.navigator.replace_address();
            }
            Action::FetchAgain => self.pieces.again(now.now_ms),
            Action::Reload => self.navigator.effects.push_back(Effect::Reload),
            Action::Copy(clip) => self.navigator.effects.push_back(Effect::Copy(clip)),
            Action::ToggleLog => self.navigator.push_change(pane, Pane::toggle_look, now),
            Action::Palette(action) => self.update_palette(action, now),
            Action::Help(open) => self.show_help(open),
            Action::Kinds => self.model.kinds_asked += 1,
            Action::Pin(resource) => self.navigator.toggle_pin(&resource),
            Action::ActivateAt(place) => {
                if let Some(pane) = self.navigator.board.panes.get_mut(place) {
                    pane.wants_focus();
                    let id = pane.id;
                    self.navigator.activate(id);
                }
            }
            Action::Split
            | Action::ClosePane
            | Action::MovePane(_)
            | Action::PlacePane(_)
            | Action::ResizePane(..)
            | Action::SizePane(..)
            | Action::PauseAll
            | Action::SetTitle(_) => self.update_board(pane, action, now),
            Action::Activate(pane) => self.navigator.activate(pane),
            Action::Panel(PanelAction::Open { row, key }) => {
                let row = row.as_deref().and_then(RowId::parse);
                self.open_row(pane, row, key, now);
            }
            Action::Panel(action) => self.navigator.update_panel(action, now),
            // The panel is closed before anything in the pane.
            Action::In(PaneAction::Key(Key::Back)) if self.navigator.board.panel.is_open() => {
                self.navigator.update_panel(PanelAction::Close, now);
            }
            Action::In(action) => {
                let walks = matches!(action, PaneAction::Key(key) if key.moves_rows());
                self.navigator.update_pane(pane, action, now);
                if walks {
                    self.navigator.panel_follows_row(pane);
                }
            }
        }
    }
}
