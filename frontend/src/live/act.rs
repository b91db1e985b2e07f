//! What a reader does with the page as a whole; what concerns one table goes on to its pane.

use leptos::prelude::{GetUntracked, Update, WithUntracked};
use page::messages;
use page::preferences::Preferences;
use replica::client::Input;
use replica::connection::Link;
use shared::scope::Namespaces;

use super::action::{Action, Key, PaneAction};
use super::detail::action::DetailAction;
use super::model::Theme;
use super::page::Page;
use super::pane::PaneId;
use super::signals::put;
use super::{preferences, shell};
use crate::dom;

impl Page {
    pub(super) fn act(&mut self, from: Option<PaneId>, action: Action) {
        let pane = from.unwrap_or(self.active);
        match action {
            Action::OpenKind(resource) => self.open_kind(&resource),
            Action::OpenLink(link) => {
                dom::address::push(&link);
                self.go_where_the_address_says();
            }
            Action::SetNamespaces(namespaces) => self.set_namespaces(pane, namespaces),
            Action::LookEverywhere => self.set_namespaces(pane, Namespaces::All),
            Action::PickNamespaces(open) => self.pick_namespaces(open),
            Action::NextTheme => self.next_theme(),
            Action::TryNow => self.handle(Input::Retry),
            Action::DismissUnread => {
                self.unread.clear();
                self.panes.iter_mut().for_each(|pane| pane.forget_unknown_sort(&self.client));
                self.write_address();
            }
            Action::Reload => dom::address::reload(),
            Action::Copy(text) => dom::page::copy(&text),
            Action::CopyLink => dom::page::copy(&dom::address::whole()),
            Action::ToggleLog => self.toggle_log(pane),
            Action::Palette(asked) => self.act_in_palette(asked),
            Action::Help(open) => {
                put(self.shell.help, open);
                if !open {
                    self.focus_rows();
                }
            }
            Action::Kinds => self.shell.to_kinds.update(|asked| *asked += 1),
            Action::Pin(resource) => {
                self.prefer(|preferences| preferences.toggle_pin(&resource.to_string()));
                self.write_navigation();
            }
            Action::ActivateAt(place) => {
                if let Some(pane) = self.panes.get_mut(place) {
                    pane.wants_focus();
                    let id = pane.id;
                    self.activate(id);
                }
            }
            Action::Beside => self.beside(pane),
            Action::ClosePane => self.close_pane(pane),
            Action::Activate(pane) => self.activate(pane),
            Action::Detail(action) => self.act_on_panel(pane, action),
            // One step back: the panel first.
            Action::In(PaneAction::Key(Key::Back)) if self.detail.is_open() => {
                self.act_on_panel(pane, DetailAction::Close);
            }
            Action::In(action) => {
                let now_ms = self.now_ms();
                if let Some(held) = self.panes.iter_mut().find(|held| held.id == pane) {
                    held.act(&mut self.client, action, now_ms);
                }
                self.follow_choice(pane);
                self.write_address();
            }
        }
    }

    /// What a pane shows may need other rows or cells than it was opened with; and what was chosen of its
    /// columns is remembered.
    fn follow_choice(&mut self, pane: PaneId) {
        let now = self.now();
        let Some(at) = self.panes.iter().position(|held| held.id == pane) else { return };
        let Some(held) = self.panes.get_mut(at) else { return };
        let chosen = held.columns_to_keep();
        if let Some((resource, choice)) = chosen {
            self.prefer(|preferences| preferences.keep_columns(&resource, &choice));
        }
        let Some(held) = self.panes.get_mut(at) else { return };
        if !held.screen.asks_anew {
            return;
        }
        let key = held.key();
        let is_held = key.is_some_and(|key| {
            self.namespaces == Some(key)
                || self.detail.holds(key)
                || self.panes.iter().any(|other| other.id != pane && other.holds(key))
        });
        let left = self.panes.get_mut(at).map(|held| held.open_again(&mut self.client, is_held, now));
        for key in left.into_iter().flatten() {
            self.close_unless_held(key);
        }
    }

    fn activate(&mut self, pane: PaneId) {
        if self.active != pane && self.panes.iter().any(|held| held.id == pane) {
            self.active = pane;
            self.write_navigation();
        }
    }

    fn next_theme(&mut self) {
        let theme = self.shell.theme.get_untracked().next();
        self.prefer(|preferences| preferences.theme = theme.word().into());
        self.show_theme(theme);
    }

    fn show_theme(&self, theme: Theme) {
        put(self.shell.theme, theme);
        dom::page::set_body_attribute("data-theme", theme.attribute());
    }

    /// Changes one preference, and none of those that another tab kept meanwhile.
    pub(super) fn prefer(&mut self, change: impl FnOnce(&mut Preferences)) {
        preferences::refresh(&mut self.preferences);
        change(&mut self.preferences);
        preferences::keep(&self.preferences);
    }

    /// Another tab kept something: its theme and pins are this one's too, and whom it signed in is the same
    /// person. Columns stay as they are: nobody touched them here.
    pub(super) fn kept_elsewhere(&mut self) {
        if self.shell.login.with_untracked(Option::is_some) && preferences::secret().is_some() {
            return dom::address::reload();
        }
        preferences::refresh(&mut self.preferences);
        self.show_theme(Theme::parse(&self.preferences.theme));
        self.write_navigation();
    }

    pub(super) fn link_changed(&mut self) {
        if let Link::Refused { problem } = self.client.connection().link() {
            preferences::forget_secret();
            let text = messages::sentence(&problem.message);
            put(self.shell.login, Some(shell::login_refused(text)));
        }
    }
}
