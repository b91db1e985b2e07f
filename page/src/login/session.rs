//! The reader's login, as the page acts on it: how it begins, that it ends soon or has ended, how it is renewed, and that
//! the reader signs out. Never a credential: the browser and the client hold those.

use replica::connection::{Link, Refusal};
use shared::frame::server::{Auth, Viewer, Wanted};
use shared::login_end::{renew_before_ms, warn_before_ms};
use shared::problem::Problem;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::{Login, WayIn, sign_in_link, words};
use crate::action::Action;
use crate::cx::Cx;
use crate::effect::Effect;
use crate::limits::{LOGIN_TOLD_LATE_MS, RENEW_AGAIN_MS};
use crate::location::Location;
use crate::messages;
use crate::model::PageModel;
use crate::page::bar::{Bar, BarKind};
use crate::page::history::History;
use crate::preferences::Preferences;
use crate::rights::part::Here;
use crate::rights::{Rights, RightsSheet};
use crate::who::Who;

/// What this tab's earlier documents did about a login.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastLogin {
    /// Nothing, or it succeeded.
    #[default]
    None,
    /// A redirect to the provider was made, and no sign-in has followed.
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

/// The reader's login, as this document knows it: whom the gateway let in, until when, and what was asked since. It owns the
/// sheets "Who am I?" and "What may I see?", which say so. [`crate::Page`] passes it the gateway's word and the reader's
/// actions; the login page stands in the model.
#[derive(Debug)]
pub(crate) struct Session {
    /// As the gateway knew the reader last; `None` until it let this document in.
    viewer: Option<Viewer>,
    /// How long the login was to hold when its end was told.
    held_ms: i64,
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
    /// The gateway said the new end on the open connection before it answered.
    Told,
    /// The gateway says the new end on the open connection before this; if not, another connection brings it.
    Heard(UnixMillis),
    /// Only signing in again helps.
    Refused,
}

impl Session {
    pub(crate) fn new(last: LastLogin, told: Box<str>) -> Self {
        Self {
            viewer: None,
            held_ms: 0,
            last,
            renewal: Renewal::NotBefore(0),
            has_left: false,
            is_who_open: false,
            rights_opened_ms: None,
            told,
            is_end_announced: false,
        }
    }

    pub(crate) fn has_left(&self) -> bool {
        self.has_left
    }

    pub(crate) fn who(&self, cx: &Cx) -> Option<Who> {
        let viewer = self.viewer.as_ref().filter(|_| self.is_who_open)?;
        let popover = cx.more.map(|more| more.who.popover);
        Some(popover.map(|of| of(viewer, &cx.client, cx.now_ms(), cx.zone)).unwrap_or_default())
    }

    pub(crate) fn rights(
        &self,
        rights: &Rights,
        (location, chosen): (&Location, &Namespaces),
        cx: &Cx,
    ) -> Option<RightsSheet> {
        let viewer = self.viewer.as_ref().filter(|_| self.rights_opened_ms.is_some())?;
        let here = Here { location, chosen, client: &cx.client, now_ms: cx.now_ms(), zone: cx.zone };
        Some(cx.more.map(|more| (more.rights.sheet)(viewer, rights, here)).unwrap_or_default())
    }

    pub(crate) fn rights_opened_ms(&self) -> Option<UnixMillis> {
        self.rights_opened_ms
    }

    /// How long the login holds, by the gateway's clock.
    fn left_ms(&self, cx: &Cx) -> Option<i64> {
        Some(cx.client.local_ms(self.viewer.as_ref()?.expires_ms?).saturating_sub(cx.now_ms()))
    }

    /// By the gateway's clock. `None`: it doesn't end by itself.
    pub(crate) fn expires_ms(&self) -> Option<UnixMillis> {
        self.viewer.as_ref()?.expires_ms
    }

    /// What is left of the login when the reader is told that it ends.
    fn told_ms(&self) -> i64 {
        warn_before_ms(self.held_ms) + LOGIN_TOLD_LATE_MS
    }

    /// What the gateway takes as a login.
    fn wanted(&self) -> Option<Wanted> {
        self.viewer.as_ref().map(|viewer| viewer.mode.wants())
    }

    /// The login ends soon, or has ended while rows are on the screen.
    pub(crate) fn bar(&self, cx: &Cx) -> Option<Bar> {
        let (connection, now_ms, zone) = (cx.client.connection(), cx.now_ms(), cx.zone);
        if let (Link::Refused { why, problem }, Some(_)) = (connection.link(), &self.viewer) {
            let ended_ms = connection.lost_ms().unwrap_or(now_ms);
            let action = match why {
                Refusal::Proxy => (words::TRY_AGAIN, Action::Reload),
                _ => (words::SIGN_IN_AGAIN, Action::SignInAgain),
            };
            return Some(Bar {
                strong: words::login_ended(&messages::instant(ended_ms, now_ms, zone)),
                text: words::rows_of_ended_login(&problem.message),
                action: Some(action),
                kind: BarKind::Stale,
            });
        }
        let left_ms = self.left_ms(cx).filter(|left_ms| (0..=self.told_ms()).contains(left_ms))?;
        let (text, action) = match (&self.renewal, self.wanted()?) {
            (Renewal::Asked | Renewal::Told | Renewal::Heard(_), _) => (words::LOGIN_IS_RENEWED, None),
            (_, Wanted::Proxy) => (words::LOGIN_ENDS_AT_PROXY, Some((messages::RELOAD, Action::Reload))),
            // Another document: the link brings the views back.
            (_, Wanted::Login) => (words::LOGIN_ENDS_LINK, Some((words::SIGN_IN_AGAIN, Action::SignInAgain))),
            (_, Wanted::Proof | Wanted::Bearer) => {
                (words::LOGIN_ENDS_WHY, Some((words::SIGN_IN_AGAIN, Action::SignInAgain)))
            }
        };
        let (strong, text) = (words::login_ends(left_ms), text.to_owned());
        Some(Bar { strong, text, action, kind: BarKind::Busy })
    }
}

/// What the gateway and the reader do about the login.
impl Session {
    /// The gateway lets the reader in.
    pub(crate) fn let_in(&mut self, viewer: Viewer, model: &mut PageModel, cx: &mut Cx) {
        let is_first = self.viewer.is_none();
        model.user = viewer.user.to_string();
        model.login = None;
        self.last = LastLogin::None;
        self.is_end_announced = false;
        if is_first && viewer.mode.wants() == Wanted::Login {
            cx.effect(Effect::SignedIn);
        }
        let former_ms = self.viewer.replace(viewer).and_then(|former| former.expires_ms);
        self.end_told(former_ms, cx);
        self.renewal = Renewal::NotBefore(cx.now_ms() + RENEW_AGAIN_MS);
    }

    /// The gateway says when the login ends, or that another one took its place.
    pub(crate) fn login_told(&mut self, auth: &Auth, model: &mut PageModel, cx: &Cx) {
        let former_ms = self.expires_ms();
        if let Some(viewer) = &mut self.viewer {
            viewer.expires_ms = auth.expires_ms;
        }
        self.end_told(former_ms, cx);
        self.renewal = match self.renewal {
            // That it ends soon is no answer.
            Renewal::Asked if former_ms == auth.expires_ms => Renewal::Asked,
            Renewal::Asked | Renewal::Told => Renewal::Told,
            _ => Renewal::NotBefore(cx.now_ms() + RENEW_AGAIN_MS),
        };
        self.is_end_announced = false;
        model.login = None;
    }

    /// An end that is told again leaves the time of the next renewal as it is, unless it is the answer to one: the login
    /// then can't last for longer, and asking again and again changes nothing.
    fn end_told(&mut self, former_ms: Option<UnixMillis>, cx: &Cx) {
        let is_answer = matches!(self.renewal, Renewal::Heard(_));
        if is_answer || former_ms != self.expires_ms() {
            self.held_ms = self.left_ms(cx).unwrap_or_default();
        }
    }

    /// The gateway refuses the login. Rows that are on the screen stay, and the bar says why they stand still.
    pub(crate) fn refused(
        &mut self,
        (why, problem): (Refusal, &Problem),
        history: &History,
        model: &mut PageModel,
        cx: &mut Cx,
    ) {
        if why == Refusal::Key {
            cx.effect(Effect::ForgetSession);
        }
        let ends_by_itself = matches!(why, Refusal::Token | Refusal::Login | Refusal::Proxy);
        let can_return = self.viewer.is_some() && ends_by_itself;
        if can_return && model.login.is_none() {
            return;
        }
        let mut login = Login { can_return, ..Login::of(why, problem) };
        if why == Refusal::Login && history.is_own_page() {
            match self.last {
                // Nothing is on the screen, and no try has failed.
                LastLogin::None if !can_return => self.lead_to_provider(true, history, cx),
                LastLogin::None | LastLogin::Left => {}
                LastLogin::Led => login.text = messages::sentence(&problem.message),
            }
        }
        Self::show_login(login, model, cx);
    }

    /// The login page, in place of every view.
    pub(crate) fn show_login(login: Login, model: &mut PageModel, cx: &Cx) {
        model.login = Some(login);
        Self::say_login(model, cx);
    }

    /// Gives the login page its sentences, once their piece is there.
    pub(crate) fn say_login(model: &mut PageModel, cx: &Cx) {
        if let (Some(login), Some(more)) = (&mut model.login, cx.more) {
            (more.login.say)(login);
        }
    }

    fn lead_to_provider(&mut self, is_by_itself: bool, history: &History, cx: &mut Cx) {
        self.last = LastLogin::Led;
        let link = sign_in_link(history.shown());
        cx.effect(Effect::SignIn { link, is_by_itself });
    }

    /// The reader asks for the way in.
    pub(crate) fn sign_in_again(&mut self, history: &History, model: &mut PageModel, cx: &mut Cx) {
        self.is_who_open = false;
        let way_in = model.login.as_ref().map(|login| login.way_in);
        let wanted = match way_in {
            Some(WayIn::Provider) => Some(Wanted::Login),
            _ => self.wanted(),
        };
        let login = match wanted {
            Some(Wanted::Login) => return self.lead_to_provider(false, history, cx),
            Some(Wanted::Proxy) => return cx.effect(Effect::Reload),
            Some(Wanted::Proof) => Login::needed(),
            Some(Wanted::Bearer) | None => Login::token(),
        };
        Self::show_login(Login { can_return: self.viewer.is_some(), ..login }, model, cx);
    }

    pub(crate) fn show_who(&mut self, is_open: bool) {
        self.is_who_open = is_open;
    }

    /// It takes the place of "Who am I?".
    pub(crate) fn show_rights(&mut self, is_open: bool, cx: &Cx) {
        self.is_who_open = false;
        self.rights_opened_ms = is_open.then_some(cx.now_ms());
    }

    /// Once a second: asks for a renewal in time. Returns how long the login holds while the connection is open, and
    /// whether another connection has to bring the new end.
    pub(crate) fn watch(&mut self, history: &History, cx: &mut Cx) -> Option<(i64, bool)> {
        let left_ms = self.left_ms(cx).filter(|left_ms| *left_ms > 0 && cx.client.connection().is_open())?;
        let is_due = left_ms <= renew_before_ms(self.held_ms);
        let is_renewed = self.wanted() == Some(Wanted::Login) && history.is_own_page() && is_due;
        match self.renewal {
            Renewal::NotBefore(at_ms) if is_renewed && at_ms <= cx.now_ms() => {
                self.renewal = Renewal::Asked;
                cx.effect(Effect::Renew);
                Some((left_ms, false))
            }
            Renewal::Heard(by_ms) => Some((left_ms, by_ms <= cx.now_ms())),
            _ => Some((left_ms, false)),
        }
    }

    /// Tells screen readers once that the login ends.
    pub(crate) fn announce_end(&mut self, left_ms: i64, model: &mut PageModel) {
        if left_ms <= self.told_ms() && !std::mem::replace(&mut self.is_end_announced, true) {
            model.announced = words::login_ends(left_ms);
        }
    }

    /// The answer to [`Effect::Renew`].
    pub(crate) fn renewed(&mut self, answer: Renewed, cx: &Cx) {
        let in_a_while_ms = cx.now_ms() + RENEW_AGAIN_MS;
        self.renewal = match answer {
            Renewed::Done if self.renewal == Renewal::Told => Renewal::NotBefore(in_a_while_ms),
            Renewed::Done => Renewal::Heard(in_a_while_ms),
            Renewed::Refused => Renewal::Refused,
            Renewed::Unanswered => Renewal::NotBefore(in_a_while_ms),
        };
    }

    /// The reader signed out: nothing is connected or shown any more.
    pub(crate) fn leave(&mut self) {
        self.viewer = None;
        self.has_left = true;
    }

    /// What another tab did about the login, as this browser's storage says.
    pub(crate) fn hear(&mut self, told: Box<str>, is_signed_in: bool, model: &PageModel, cx: &Cx) -> Heard {
        let is_told = told != self.told;
        let signs_in = is_told && told.starts_with(TOLD_IN);
        if is_told && told.starts_with(TOLD_OUT) && self.wanted() == Some(Wanted::Login) {
            return Heard::SignedOut;
        }
        self.told = told;
        if model.login.is_some() && (is_signed_in || signs_in) {
            return Heard::Reload;
        }
        let is_refused = matches!(cx.client.connection().link(), Link::Refused { .. });
        if signs_in && is_refused { Heard::SignedIn } else { Heard::Nothing }
    }
}

/// What follows from another tab's login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Nothing,
    /// The gateway is asked again, with the key of this browser.
    SignedIn,
    /// Another document shows what the login page hides.
    Reload,
    /// This tab leaves as well.
    SignedOut,
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
