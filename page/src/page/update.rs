//! What a reader does with the page as a whole; what concerns one table goes on to its pane.

use crate::messages;
use replica::client::Input;
use replica::connection::Link;
use replica::now::Now;
use shared::scope::Namespaces;

use super::Page;
use super::shell;
use crate::action::PaneId;
use crate::action::{Action, Key, PaneAction, PanelAction};
use crate::effect::Effect;
use crate::model::Theme;
use crate::preferences::{Change, Preferences};

impl Page {
    /// What a reader did, in a pane or in the page around them, and all that follows from it.
    pub fn update(&mut self, from: Option<PaneId>, action: Action, now: Now) {
        self.act(from, action, now);
        self.follow(now);
    }

    pub(super) fn act(&mut self, from: Option<PaneId>, action: Action, now: Now) {
        let pane = from.unwrap_or(self.active);
        match action {
            Action::OpenKind(resource) => self.open_kind(&resource, now),
            Action::OpenLink(link) => {
                self.effects.push_back(Effect::PushAddress(link.clone()));
                self.go_to_address(&link, now);
            }
            Action::SetNamespaces(namespaces) => self.set_namespaces(pane, namespaces, now),
            Action::LookEverywhere => self.set_namespaces(pane, Namespaces::All, now),
            Action::PickNamespaces(open) => self.pick_namespaces(open, now),
            Action::NextTheme => {
                let theme = self.model.theme.next();
                self.prefer(Change::Theme(theme.word().into()));
                self.model.theme = theme;
            }
            Action::SetTheme(theme) => self.model.theme = theme,
            Action::TryNow => self.client.handle(Input::Retry, now),
            Action::DismissUnread => {
                self.unread.clear();
                self.panes.iter_mut().for_each(|pane| pane.forget_unknown_sort(&self.client));
                self.write_address();
            }
            Action::Reload => self.effects.push_back(Effect::Reload),
            Action::Copy(text) => self.effects.push_back(Effect::Copy(text)),
            Action::CopyLink => self.effects.push_back(Effect::CopyAddress),
            Action::ToggleLog => self.toggle_log(pane, now),
            Action::Palette(asked) => self.act_in_palette(asked, now),
            Action::Help(open) => {
                self.model.help = open;
                if !open {
                    self.focus_rows();
                }
            }
            Action::Kinds => self.model.kinds_asked += 1,
            Action::Pin(resource) => {
                self.prefer(Change::TogglePin(resource.to_string().into()));
                self.render_navigation();
            }
            Action::ActivateAt(place) => {
                if let Some(pane) = self.panes.get_mut(place) {
                    pane.wants_focus();
                    let id = pane.id;
                    self.activate(id);
                }
            }
            Action::Split => self.split(pane, now),
            Action::ClosePane => self.close_pane(pane),
            Action::Activate(pane) => self.activate(pane),
            Action::Panel(action) => self.act_on_panel(pane, action, now),
            // One step back: the panel first.
            Action::In(PaneAction::Key(Key::Back)) if self.panel.is_open() => {
                self.act_on_panel(pane, PanelAction::Close, now);
            }
            Action::In(action) => {
                if let Some(held) = self.panes.iter_mut().find(|held| held.id == pane) {
                    self.effects.extend(held.update(&mut self.client, action, now));
                }
                self.follow_column_settings(pane, now);
                self.write_address();
            }
        }
    }

    /// What a pane shows may need other rows or cells than it was opened with; and what was chosen of its
    /// columns is remembered.
    fn follow_column_settings(&mut self, pane: PaneId, now: Now) {
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        let Some(held) = self.panes.get_mut(at) else { return };
        let chosen = held.columns_to_keep();
        if let Some((resource, chosen)) = chosen {
            self.prefer(Change::Columns { resource, chosen });
        }
        let Some(held) = self.panes.get_mut(at) else { return };
        if !held.must_reopen {
            return;
        }
        let key = held.key();
        let is_held = key.is_some_and(|key| {
            self.namespaces == Some(key)
                || self.panel.holds(key)
                || self.panes.iter().any(|other| other.id != pane && other.holds(key))
        });
        let left = self
            .panes
            .get_mut(at)
            .map(|held| held.open_again(&mut self.client, &self.preferences, is_held, now));
        for key in left.into_iter().flatten() {
            self.close_unless_held(key);
        }
    }

    fn activate(&mut self, pane: PaneId) {
        if self.active != pane && self.panes.iter().any(|held| held.id == pane) {
            self.active = pane;
            self.render_navigation();
        }
    }

    /// Changes one preference, and none of those that another tab kept meanwhile.
    pub(super) fn prefer(&mut self, change: Change) {
        change.apply(&mut self.preferences);
        self.effects.push_back(Effect::Keep(change));
    }

    /// Another tab kept something: its theme and pins are this one's too, and whom it signed in is the same
    /// person. Columns stay as they are: nobody touched them here.
    pub fn kept_elsewhere(&mut self, preferences: Preferences, has_credential: bool) {
        if self.model.login.is_some() && has_credential {
            return self.effects.push_back(Effect::Reload);
        }
        self.preferences = preferences;
        self.model.theme = Theme::parse(&self.preferences.theme);
        self.render_navigation();
    }

    pub(super) fn link_changed(&mut self) {
        if let Link::Refused { problem } = self.client.connection().link() {
            self.effects.push_back(Effect::ForgetCredential);
            let text = messages::sentence(&problem.message);
            self.model.login = Some(shell::login_refused(text));
        }
    }
}
