//! The reader's login, as the page acts on it: how it begins, that it ends soon or has ended, how it is renewed, and that
//! the reader signs out. Never a credential: the browser and the client hold those.

use replica::client::{Input, SignIn};
use replica::connection::{Link, Refusal};
use replica::now::Now;
use shared::frame::server::{Auth, LoginMode, Viewer};
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::address_bar::Host;
use super::bar::{Bar, BarKind};
use super::login::{Login, WayIn, sign_in_link, way_out};
use super::navigator::Navigator;
use super::rights::sheet::{Here, RightsSheet};
use super::who::Who;
use super::{Board, Page};
use crate::action::Action;
use crate::effect::Effect;
use crate::limits::{LOGIN_TOLD_MS, RENEW_AGAIN_MS, RENEW_BEFORE_MS, RIGHTS_AT_ONCE_MAX};
use crate::messages::{self, Zone};
use crate::model::PageModel;
use crate::panel::PanelSlot;
use crate::preferences::Preferences;
use crate::table_view::Client;
use crate::theme::Theme;

/// What this tab's earlier documents did about a login.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastLogin {
    /// Nothing, or it succeeded.
    #[default]
    None,
    /// One led to the provider, and nobody has come back signed in.
    Led,
    /// The reader signed out.
    Left,
}

/// The gateway's answer to [`Effect::Renew`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    Done,
    Refused,
    Unanswered,
}

#[derive(Debug)]
pub(super) struct Session {
    /// Whom the gateway took the reader for last; `None` until it let this document in.
    viewer: Option<Viewer>,
    last: LastLogin,
    renewal: Renewal,
    /// The reader signed out: nothing is connected or shown any more.
    has_left: bool,
    is_who_open: bool,
    /// When "What may I see?" was opened.
    rights_opened_ms: Option<UnixMillis>,
    /// What tabs of this browser told each other last.
    told: Box<str>,
    /// Screen readers were told that the login ends.
    is_end_announced: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Renewal {
    NotBefore(UnixMillis),
    Asked,
    /// The gateway says the new end on the open connection before this; if not, another connection brings it.
    Heard(UnixMillis),
    /// Only signing in again helps.
    Refused,
}

impl Session {
    pub(super) fn new(last: LastLogin, told: Box<str>) -> Self {
        Self {
            viewer: None,
            last,
            renewal: Renewal::NotBefore(0),
            has_left: false,
            is_who_open: false,
            rights_opened_ms: None,
            told,
            is_end_announced: false,
        }
    }

    pub(super) fn has_left(&self) -> bool {
        self.has_left
    }

    pub(super) fn who(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Who> {
        let viewer = self.viewer.as_ref().filter(|_| self.is_who_open)?;
        Some(Who::of(viewer, client, now_ms, zone))
    }

    pub(super) fn rights(&self, board: &Board, here: Here<'_>) -> Option<RightsSheet> {
        let viewer = self.viewer.as_ref().filter(|_| self.rights_opened_ms.is_some())?;
        Some(RightsSheet::of(viewer, &board.client, &board.rights, here))
    }

    pub(super) fn rights_opened_ms(&self) -> Option<UnixMillis> {
        self.rights_opened_ms
    }

    /// How long the login holds, by the gateway's clock.
    fn left_ms(&self, client: &Client, now_ms: UnixMillis) -> Option<i64> {
        Some(client.local_ms(self.viewer.as_ref()?.expires_ms?).saturating_sub(now_ms))
    }

    /// By the gateway's clock. `None`: it doesn't end by itself.
    pub(super) fn expires_ms(&self) -> Option<UnixMillis> {
        self.viewer.as_ref()?.expires_ms
    }

    fn mode(&self) -> Option<LoginMode> {
        self.viewer.as_ref().map(|viewer| viewer.mode)
    }

    /// The login ends soon, or has ended while rows are on the screen.
    pub(super) fn bar(&self, client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Bar> {
        let connection = client.connection();
        if let (Link::Refused { why, problem }, Some(_)) = (&connection.link, &self.viewer) {
            let ended_ms = connection.lost_ms.unwrap_or(now_ms);
            let action = match why {
                Refusal::Proxy => (messages::TRY_AGAIN, Action::Reload),
                _ => (messages::SIGN_IN_AGAIN, Action::SignInAgain),
            };
            return Some(Bar {
                strong: messages::login_ended(&messages::instant(ended_ms, now_ms, zone)),
                text: messages::rows_of_ended_login(&problem.message),
                action: Some(action),
                kind: BarKind::Stale,
            });
        }
        let left_ms = self.left_ms(client, now_ms).filter(|left_ms| (0..=LOGIN_TOLD_MS).contains(left_ms))?;
        let (text, action) = match (&self.renewal, self.mode()?) {
            (Renewal::Asked | Renewal::Heard(_), _) => (messages::LOGIN_IS_RENEWED, None),
            (_, LoginMode::Proxy) => {
                (messages::LOGIN_ENDS_AT_PROXY, Some((messages::RELOAD, Action::Reload)))
            }
            // Another document: the link brings the views back.
            (_, LoginMode::Oidc) => {
                (messages::LOGIN_ENDS_LINK, Some((messages::SIGN_IN_AGAIN, Action::SignInAgain)))
            }
            (_, LoginMode::Local | LoginMode::Bearer) => {
                (messages::LOGIN_ENDS_WHY, Some((messages::SIGN_IN_AGAIN, Action::SignInAgain)))
            }
        };
        let (strong, text) = (messages::login_ends(left_ms), text.to_owned());
        Some(Bar { strong, text, action, kind: BarKind::Busy })
    }
}

impl Page {
    /// The gateway lets the reader in.
    pub(super) fn let_in(&mut self, viewer: Viewer, now: Now) {
        let session = &mut self.session;
        let is_first = session.viewer.is_none();
        self.model.user = viewer.user.to_string();
        self.model.login = None;
        session.last = LastLogin::None;
        session.renewal = Renewal::NotBefore(now.now_ms + RENEW_AGAIN_MS);
        session.is_end_announced = false;
        if is_first && viewer.mode == LoginMode::Oidc {
            self.navigator.effects.push_back(Effect::SignedIn);
        }
        session.viewer = Some(viewer);
    }

    /// The gateway says when the login ends, or that another one took its place.
    pub(super) fn login_told(&mut self, auth: &Auth, now: Now) {
        if self.session.renewal != Renewal::Asked {
            self.session.renewal = Renewal::NotBefore(now.now_ms + RENEW_AGAIN_MS);
        }
        if let Some(viewer) = &mut self.session.viewer {
            viewer.expires_ms = auth.expires_ms;
        }
        self.session.is_end_announced = false;
        self.model.login = None;
    }

    /// The gateway refuses the login. Rows that are on the screen stay, and the bar says why they stand still.
    pub(super) fn refused(&mut self, why: Refusal, problem: &Problem) {
        let is_ours = self.navigator.address_bar.host() == Host::Dogwatch;
        if why == Refusal::Key {
            self.navigator.effects.push_back(Effect::ForgetSession);
        }
        let ends_by_itself = matches!(why, Refusal::Token | Refusal::Login | Refusal::Proxy);
        let can_return = self.session.viewer.is_some() && ends_by_itself;
        if can_return && self.model.login.is_none() {
            return;
        }
        let mut login = Login { can_return, ..Login::of(why, problem) };
        if why == Refusal::Login && is_ours {
            match self.session.last {
                // Nothing is on the screen, and no try has failed.
                LastLogin::None if !can_return => self.lead_to_provider(true),
                LastLogin::None | LastLogin::Left => {}
                LastLogin::Led => login.text = messages::sentence(&problem.message),
            }
        }
        self.model.login = Some(login);
    }

    fn lead_to_provider(&mut self, is_by_itself: bool) {
        self.session.last = LastLogin::Led;
        let link = sign_in_link(self.navigator.address_bar.shown());
        self.navigator.effects.push_back(Effect::SignIn { link, is_by_itself });
    }

    /// The reader asks for the way in.
    pub(super) fn sign_in_again(&mut self) {
        self.session.is_who_open = false;
        let way_in = self.model.login.as_ref().map(|login| login.way_in);
        let mode = match way_in {
            Some(WayIn::Provider) => Some(LoginMode::Oidc),
            _ => self.session.mode(),
        };
        let login = match mode {
            Some(LoginMode::Oidc) => return self.lead_to_provider(false),
            Some(LoginMode::Proxy) => return self.navigator.effects.push_back(Effect::Reload),
            Some(LoginMode::Local) => Login::needed(),
            Some(LoginMode::Bearer) | None => Login::token(),
        };
        self.model.login = Some(Login { can_return: self.session.viewer.is_some(), ..login });
    }

    pub(super) fn sign_in(&mut self, token: &str, now: Now) {
        let token = SignIn::Bearer(token.trim().into());
        self.navigator.board.client.handle(Input::SignIn(token), now);
    }

    pub(super) fn return_to_views(&mut self) {
        if self.model.login.as_ref().is_some_and(|login| login.can_return) {
            self.model.login = None;
        }
    }

    pub(super) fn show_who(&mut self, is_open: bool) {
        self.session.is_who_open = is_open;
    }

    /// It takes the place of "Who am I?".
    pub(super) fn show_rights(&mut self, is_open: bool, now_ms: UnixMillis) {
        self.session.is_who_open = false;
        self.session.rights_opened_ms = is_open.then_some(now_ms);
        self.ask_rights(RIGHTS_AT_ONCE_MAX, now_ms);
    }

    /// Once a second: asks for a renewal in time, and tells screen readers once that the login ends.
    pub(super) fn watch_login(&mut self, now: Now) {
        let client = &self.navigator.board.client;
        let left_ms = self.session.left_ms(client, now.now_ms).filter(|left_ms| *left_ms > 0);
        let is_open = client.connection().is_open();
        let Some(left_ms) = left_ms.filter(|_| is_open) else { return };
        let is_renewed = self.session.mode() == Some(LoginMode::Oidc)
            && self.navigator.address_bar.host() == Host::Dogwatch
            && left_ms <= RENEW_BEFORE_MS;
        match self.session.renewal {
            Renewal::NotBefore(at_ms) if is_renewed && at_ms <= now.now_ms => {
                self.session.renewal = Renewal::Asked;
                self.navigator.effects.push_back(Effect::Renew);
            }
            Renewal::Heard(by_ms) if by_ms <= now.now_ms => self.handle(Input::Renewed, now),
            _ => {}
        }
        if left_ms <= LOGIN_TOLD_MS && !std::mem::replace(&mut self.session.is_end_announced, true) {
            self.model.announced = messages::login_ends(left_ms);
        }
    }

    /// The answer to [`Effect::Renew`].
    pub fn renewed(&mut self, answer: Renewed, now: Now) {
        let in_a_while_ms = now.now_ms + RENEW_AGAIN_MS;
        self.session.renewal = match answer {
            Renewed::Done => Renewal::Heard(in_a_while_ms),
            Renewed::Refused => Renewal::Refused,
            Renewed::Unanswered => Renewal::NotBefore(in_a_while_ms),
        };
    }

    /// The answer to [`Effect::SignOut`]: where the gateway leads from here. `Err`: the reader is still signed in.
    pub fn signed_out(&mut self, answer: Result<Option<String>, ()>, now: Now) {
        match answer {
            Ok(to) => {
                self.leave();
                let to = to.as_deref().and_then(way_out).map(str::to_owned);
                self.navigator.effects.extend([Effect::TellSignedOut, Effect::Leave(to)]);
            }
            Err(()) => self.hint.say(messages::SIGN_OUT_FAILED, now.now_ms),
        }
    }

    /// Drops all that came from the cluster, before the browser is led to another document.
    fn leave(&mut self) {
        let host = self.navigator.address_bar.host();
        let preferences = std::mem::take(&mut self.navigator.preferences);
        let client = Client::new(super::CLIENT, SignIn::Connection);
        self.navigator = Navigator::new(host, client, PanelSlot::new(0.0, None), preferences);
        self.palette = None;
        let theme = self.model.theme;
        self.model = PageModel { theme, login: Some(Login::left()), ..PageModel::default() };
        self.session.viewer = None;
        self.session.has_left = true;
        self.navigator.effects.push_back(Effect::Disconnect);
    }

    /// Another tab stored preferences, signed in or signed out. This tab takes its theme, its pins and its login, and
    /// keeps its own columns.
    pub fn kept_elsewhere(&mut self, elsewhere: Elsewhere, now: Now) {
        let Elsewhere { preferences, is_signed_in, told } = elsewhere;
        let is_told = told != self.session.told;
        let signs_in = is_told && told.starts_with(TOLD_IN);
        if is_told && told.starts_with(TOLD_OUT) && self.session.mode() == Some(LoginMode::Oidc) {
            self.leave();
            return self.navigator.effects.push_back(Effect::Leave(None));
        }
        self.session.told = told;
        if self.model.login.is_some() && (is_signed_in || signs_in) {
            return self.navigator.effects.push_back(Effect::Reload);
        }
        if signs_in && matches!(self.navigator.board.client.connection().link, Link::Refused { .. }) {
            self.handle(Input::SignIn(SignIn::Key), now);
        }
        self.model.theme = Theme::parse(&preferences.theme);
        self.navigator.preferences = preferences;
        self.render_navigation();
    }
}

/// What this browser's storage says after another tab wrote to it.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere {
    pub preferences: Preferences,
    /// A key of mode `local` is there.
    pub is_signed_in: bool,
    /// What tabs tell each other of a login: one of these words, and the time.
    pub told: Box<str>,
}

pub const TOLD_IN: &str = "in";
pub const TOLD_OUT: &str = "out";
