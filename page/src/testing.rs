//! A whole page without a browser: a test gives it an address, sends a reader's actions, and reads the model and
//! the effects. Its gateway is [`TestGateway`].

mod clusters;
mod frames;
mod gateway;
mod panel;
mod past;
mod reviews;
mod seen;

use replica::client::Input;
use replica::now::Now;
use shared::codec::{Message, decode_server};
use shared::frame::client::{ClientFrame, SubscriptionId};
use shared::frame::close;
use shared::frame::server::{ProblemFrame, ServerFrame};
use shared::state::UnixMillis;

use gateway::ROWS;
pub use gateway::TestGateway;
pub use panel::SeenPanel;
pub use past::TestPast;
use seen::cell_text;
pub use seen::{bar_of, cells_of, notice_of, resized, rows_of};

use crate::action::{Action, Key, PaneAction, PaneId, of_panel, of_rows};
use crate::clipboard::Clip;
use crate::effect::{Effect, File, TabIcon};
use crate::model::{PaneModel, SeenRow, Standing};
use crate::piece::{Brought, NotBrought, Piece};
use crate::preferences::Change;
use crate::{Environment, Host, Page};

/// 2026-01-01T10:00:00Z
pub const START_MS: UnixMillis = 1_767_261_600_000;
const SECOND_MS: i64 = 1_000;

pub struct PageRig {
    pub page: Page,
    pub gateway: TestGateway,
    pub now_ms: UnixMillis,
    /// What the address bar shows.
    pub address: String,
    effects: Vec<String>,
    files: Vec<File>,
    changes: Vec<Change>,
    is_connected: bool,
    pub refuses_clipboard: bool,
    /// The pieces of the program that are asked for don't come, for this reason.
    pub lacks_pieces: Option<NotBrought>,
}

impl PageRig {
    /// Dogwatch's own page at this address, connected to a cluster with three pods.
    pub fn live(address: &str) -> Self {
        let mut rig = Self::before(address, Host::Dogwatch, Environment::default());
        rig.start();
        rig
    }

    /// The same before it connects, so that a test can change the gateway first.
    pub fn before(address: &str, host: Host, environment: Environment) -> Self {
        let mut rig = Self {
            page: Page::new(host, Environment { width_px: 1_400.0, ..environment }),
            gateway: TestGateway::new(START_MS),
            now_ms: START_MS,
            address: address.to_owned(),
            effects: Vec::new(),
            files: Vec::new(),
            changes: Vec::new(),
            is_connected: false,
            refuses_clipboard: false,
            lacks_pieces: None,
        };
        for (resource, row) in ROWS {
            rig.gateway.put(resource, row, START_MS);
        }
        rig
    }

    /// Begins with panes that the browser has measured.
    pub fn start(&mut self) {
        self.start_unmeasured();
        for at in 0..self.page.panes().count() {
            self.resize(at, 1_200.0);
        }
        self.effects.clear();
    }

    pub fn start_unmeasured(&mut self) {
        if !self.address.is_empty() {
            let (address, now) = (self.address.clone(), self.now());
            self.page.address_changed(&address, now);
        }
        self.page.handle(Input::Start, self.now());
        self.carry_out();
    }

    pub fn now(&self) -> Now {
        Now { now_ms: self.now_ms, chance: 0.5 }
    }

    /// An action in the active pane.
    pub fn act(&mut self, action: impl Into<Action>) {
        self.page.update(None, action.into(), self.now());
        self.carry_out();
    }

    /// An action in the pane at this place on the board.
    pub fn act_in(&mut self, at: usize, action: impl Into<Action>) {
        let pane = self.id(at);
        self.page.update(Some(pane), action.into(), self.now());
        self.carry_out();
    }

    pub fn key(&mut self, key: Key) {
        self.act(PaneAction::Key(key));
    }

    /// Keys in the focused table, by the names that a browser gives them.
    pub fn keys(&mut self, names: &[&str]) {
        for name in names {
            let action = of_rows(name, false);
            self.act(action.unwrap_or_else(|| panic!("no key {name}")));
        }
    }

    /// Keys in the focused panel.
    pub fn panel_keys(&mut self, names: &[&str]) {
        for name in names {
            self.act(of_panel(name).unwrap_or_else(|| panic!("no key {name}")));
        }
    }

    pub fn resize(&mut self, at: usize, width_px: f64) {
        self.act_in(at, resized(width_px, 600.0));
    }

    /// Passes so many seconds, each with proofs from the gateway and a tick of the page's clock.
    pub fn seconds(&mut self, count: usize) {
        for _ in 0..count {
            self.now_ms += SECOND_MS;
            if self.is_connected {
                let frames = self.gateway.syncs(self.now_ms);
                self.receive(frames);
            }
            self.page.second(self.now());
            self.carry_out();
        }
    }

    /// The changes of preferences since they were taken last, which the browser keeps.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// The browser goes back or forward to this address.
    pub fn go(&mut self, address: &str) {
        self.address = address.to_owned();
        self.page.address_changed(address, self.now());
        self.carry_out();
    }

    pub fn put(&mut self, resource: &str, row: &str) {
        let frames = self.gateway.put(resource, row, self.now_ms);
        self.receive(frames);
    }

    pub fn delete(&mut self, resource: &str, key: &str) {
        let frames = self.gateway.delete(resource, key);
        self.receive(frames);
    }

    pub fn object(&mut self, resource: &str, key: &str, object: serde_json::Value) {
        let frames = self.gateway.object(resource, key, object);
        self.receive(frames);
    }

    pub fn log(&mut self, resource: &str, key: &str, entry: serde_json::Value) {
        let frames = self.gateway.log(resource, key, entry, self.now_ms);
        self.receive(frames);
    }

    pub fn receive(&mut self, frames: Vec<ServerFrame>) {
        for frame in frames {
            self.page.handle(Input::Frame { frame: Box::new(frame), bytes: 100 }, self.now());
        }
        self.carry_out();
    }

    /// A part of the answer to what was asked for last of logs, as the wire has it.
    pub fn logs(&mut self, part: serde_json::Value) {
        let id = self.gateway.logs.last().expect("logs are asked for").id;
        self.logs_answer(id, &part);
    }

    /// The same to what was asked for last of this cluster.
    pub fn logs_of(&mut self, cluster: &str, part: serde_json::Value) {
        let id = self.gateway.logs_of(cluster).expect("logs are asked for").id;
        self.logs_answer(id, &part);
    }

    fn logs_answer(&mut self, id: SubscriptionId, part: &serde_json::Value) {
        let answer = serde_json::json!({"log": {"id": id, "part": part}});
        let frame = decode_server(&Message::Text(answer.to_string())).expect("a frame");
        self.receive(vec![frame]);
    }

    /// The socket closes, and none opens before [`Self::reconnect`].
    pub fn disconnect(&mut self) {
        self.is_connected = false;
        self.gateway.disconnected();
        self.gateway.is_silent = true;
        self.page.handle(Input::Closed { code: None }, self.now());
        self.carry_out();
    }

    /// The gateway closes the connection, because it takes no login as it is, and says why.
    pub fn refuse(&mut self) {
        let problem = self.gateway.refuses.clone().expect("a gateway that refuses");
        let problem = ServerFrame::Problem(ProblemFrame { id: None, problem });
        self.is_connected = false;
        self.gateway.disconnected();
        self.page.handle(Input::Frame { frame: Box::new(problem), bytes: 100 }, self.now());
        self.page.handle(Input::Closed { code: Some(close::UNAUTHORIZED) }, self.now());
        self.carry_out();
    }

    pub fn reconnect(&mut self) {
        self.gateway.is_silent = false;
        self.page.handle(Input::Online, self.now());
        self.carry_out();
    }

    /// Carries out the effects, and renders, which may ask for a piece of the program. A silent gateway refuses
    /// connections.
    fn carry_out(&mut self) {
        self.carry_out_effects();
        self.page.render(self.now_ms);
        if self.carry_out_effects() {
            self.page.render(self.now_ms);
        }
    }

    /// Returns whether there was one.
    fn carry_out_effects(&mut self) -> bool {
        let mut was_there = false;
        while let Some(effect) = self.page.poll_effect() {
            was_there = true;
            let said = match effect {
                Effect::Connect => {
                    self.gateway.disconnected();
                    self.is_connected = !self.gateway.is_silent;
                    let answer = if self.is_connected { Input::Opened } else { Input::Closed { code: None } };
                    self.page.handle(answer, self.now());
                    let asked = self.gateway.challenge().filter(|_| self.is_connected);
                    if let Some(asked) = asked {
                        self.page.handle(Input::Frame { frame: Box::new(asked), bytes: 100 }, self.now());
                    }
                    continue;
                }
                Effect::Send(ClientFrame::Hello(_)) if self.gateway.refuses.is_some() => {
                    self.refuse();
                    continue;
                }
                Effect::Send(frame) => {
                    for frame in self.gateway.answer(frame, self.now_ms) {
                        self.page.handle(Input::Frame { frame: Box::new(frame), bytes: 100 }, self.now());
                    }
                    continue;
                }
                Effect::Fetch(piece) => {
                    match self.lacks_pieces {
                        Some(why) => self.page.not_brought(piece, why, self.now_ms),
                        None => self.page.brought(brings(piece), self.now()),
                    }
                    continue;
                }
                Effect::Disconnect => continue,
                Effect::Notify { text, .. } => format!("Notify {text}"),
                Effect::AskToNotify => "ask to notify".to_owned(),
                Effect::Sound => "sound".to_owned(),
                Effect::CloseNotifications => "close notifications".to_owned(),
                Effect::PushAddress(address) => {
                    self.address = address;
                    format!("push {}", self.address)
                }
                Effect::ReplaceAddress(address) => {
                    self.address = address;
                    format!("replace {}", self.address)
                }
                Effect::Copy(clip) => {
                    self.page.copied(clip.clone(), !self.refuses_clipboard, self.now());
                    match clip {
                        Clip::Text(text) | Clip::Yaml(text) | Clip::Rows(text) => format!("copy {text}"),
                        Clip::ViewLink(href) => format!("copy the address {href}"),
                        Clip::Link(_) => "copy the address".to_owned(),
                    }
                }
                Effect::SignIn { link, is_by_itself } => {
                    format!("sign in at {link}{}", if is_by_itself { " by itself" } else { "" })
                }
                Effect::SignedIn => "signed in".to_owned(),
                Effect::Renew => "renew".to_owned(),
                Effect::SignOut => "sign out".to_owned(),
                Effect::TellSignedOut => "tell other tabs".to_owned(),
                Effect::Leave(to) => format!("leave {}", to.unwrap_or_default()).trim().to_owned(),
                Effect::Reload => "reload".to_owned(),
                Effect::SetTitle(title, TabIcon::Usual) => format!("title {title}"),
                Effect::SetTitle(title, icon) => format!("title {title} ({icon:?})"),
                Effect::Keep(change) => {
                    let said = format!("keep {change:?}");
                    self.changes.push(change);
                    said
                }
                Effect::Activated(_, row) => format!("activate {} {}", row.resource, row.name),
                Effect::Closed(_) => "close".to_owned(),
                Effect::ForgetSession => "forget the session".to_owned(),
                Effect::Prove(nonce) => format!("prove {nonce}"),
                Effect::TakeLetters(is_on) => format!("letters {is_on}"),
                Effect::Download(file) => {
                    let said = format!("download {}", file.name);
                    self.files.push(file);
                    said
                }
            };
            self.effects.push(said);
        }
        was_there
    }

    /// The effects since the last call.
    pub fn effects(&mut self) -> Vec<String> {
        std::mem::take(&mut self.effects)
    }

    /// The text of the file that was downloaded last.
    pub fn file(&self) -> &str {
        &self.files.last().expect("a file").text
    }

    pub fn id(&self, at: usize) -> PaneId {
        self.page.panes().nth(at).expect("a pane").0
    }

    pub fn pane(&self, at: usize) -> &PaneModel {
        self.page.panes().nth(at).expect("a pane").1
    }

    /// The active pane, or the first one of another page.
    pub fn model(&self) -> &PaneModel {
        let mut panes = self.page.panes().map(|(_, model)| model);
        panes.find(|model| model.standing.has_keys() || model.standing == Standing::Guest).expect("a pane")
    }

    /// The id of a pod's row, as it is in the DOM.
    pub fn row(&self, key: &str) -> String {
        self.gateway.row("pods", key).id.to_string()
    }

    /// The rows of the active pane, their cells joined by a space.
    pub fn rows(&self) -> Vec<String> {
        rows_of(self.model())
    }

    /// The names of the rows of the active pane.
    pub fn names(&self) -> String {
        let names = self.model().rows.rows.iter().map(|row| self.name_of(row));
        names.collect::<Vec<_>>().join(" ")
    }

    pub fn titles(&self) -> String {
        let columns = self.model().table.columns.iter().map(|column| column.title.as_str());
        columns.collect::<Vec<_>>().join(" ")
    }

    /// The name of the row that has the focus.
    pub fn focused(&self) -> String {
        let focused = self.model().rows.rows.iter().find(|row| row.has_focus);
        focused.map(|row| self.name_of(row)).unwrap_or_default()
    }

    fn name_of(&self, row: &SeenRow) -> String {
        let at = self.model().table.columns.iter().position(|column| column.is_name).expect("NAME");
        cell_text(&row.cells[at].body)
    }

    pub fn pill(&self) -> String {
        format!("{}{}", self.model().pill.word, self.model().pill.detail)
    }

    pub fn notice(&self) -> String {
        notice_of(self.model())
    }

    /// The bar over the whole page.
    pub fn bar(&self) -> String {
        bar_of(&self.page)
    }
}

/// What the browser gets with a piece of the program.
pub fn brings(piece: Piece) -> Brought {
    match piece {
        Piece::Shell => Brought::Shell,
        Piece::Panel => Brought::panel(),
        Piece::More => Brought::more(),
        Piece::Logs => Brought::logs(),
    }
}
