//! The address of a page: one view (`/v/…`), its log (`/log/…`), or a board of several
//! (`/b?v={view};q=…&log={view}`). Equal pages have equal addresses.

use shared::problem::Problem;

use crate::location::{self, Location, Parsed};
use crate::messages;

/// What a pane shows of its view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    #[default]
    Table,
    /// Every event as it came.
    Log,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pane {
    pub look: Look,
    pub location: Location,
}

/// At least one pane; more than one is a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub panes: Vec<Pane>,
    /// Single letters are keys of the page; `keys=off` switches them off (WCAG 2.2, 2.1.4).
    pub letters: bool,
}

/// Panes of one board: a window has no room for more.
pub const PANES_MAX: usize = 12;

const KEYS_OFF: &str = "keys=off";

/// Reads path and query, without the base path. Returns a problem for each part that can't be read.
pub fn parse(link: &str) -> (Address, Vec<Problem>) {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let rest: Vec<&str> = query.split('&').filter(|part| *part != KEYS_OFF).collect();
    let letters = rest.len() == query.split('&').count();
    let query = rest.join("&");
    let (panes, problems) = match path.split('/').find(|part| !part.is_empty()) {
        Some("b") => board(&query),
        Some("log") => one(Look::Log, &path.replacen("/log", "/v", 1), &query),
        _ => one(Look::Table, path, &query),
    };
    (Address { panes, letters }, problems)
}

fn one(look: Look, path: &str, query: &str) -> (Vec<Pane>, Vec<Problem>) {
    let Parsed { location, problems } = location::parse(path, query);
    (vec![Pane { look, location }], problems)
}

fn board(query: &str) -> (Vec<Pane>, Vec<Problem>) {
    let (mut panes, mut problems) = (Vec::new(), Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let look = match key {
            "v" => Look::Table,
            "log" => Look::Log,
            _ => {
                problems.push(messages::location_part_unknown(key));
                continue;
            }
        };
        if panes.len() == PANES_MAX {
            problems.push(messages::board_too_large(PANES_MAX));
            break;
        }
        let (path, rest) = value.split_once(';').unwrap_or((value, ""));
        let (pane, unread) = one(look, &format!("/v/{path}"), &rest.replace(';', "&"));
        panes.extend(pane);
        problems.extend(unread);
    }
    if panes.is_empty() {
        panes.push(Pane::default());
    }
    (panes, problems)
}

impl Address {
    /// Path and query, canonical.
    pub fn href(&self) -> String {
        let href = self.shown();
        let sign = if href.contains('?') { '&' } else { '?' };
        if self.letters { href } else { format!("{href}{sign}{KEYS_OFF}") }
    }

    fn shown(&self) -> String {
        match self.panes.as_slice() {
            [] => "/".to_owned(),
            [Pane { look: Look::Table, location }] => location.href(),
            [Pane { look: Look::Log, location }] => location.href().replacen("/v", "/log", 1),
            panes => {
                let parts: Vec<String> = panes.iter().map(part).collect();
                format!("/b?{}", parts.join("&"))
            }
        }
    }
}

fn part(pane: &Pane) -> String {
    let key = match pane.look {
        Look::Table => "v",
        Look::Log => "log",
    };
    let path = pane.location.path();
    let view = path.strip_prefix("/v/").unwrap_or_default();
    let query = pane.location.query_string().replace('&', ";");
    let sign = if query.is_empty() { "" } else { ";" };
    format!("{key}={view}{sign}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(address: &str) -> (String, usize) {
        let (read, problems) = parse(address);
        (read.href(), problems.len())
    }

    #[test]
    fn equal_pages_have_equal_addresses_and_a_board_of_one_view_is_that_view() {
        for address in [
            "/",
            "/v/pods@dev/payments,shop?q=web&sort=-restarts",
            "/log/pods@dev/payments?l=app=web",
            "/v/pods@dev/*?keys=off",
            "/b?v=pods@dev/*&v=nodes@dev/-&keys=off",
            "/b?v=pods@dev/payments;q=a%3Bb%26c;sort=age&v=nodes@dev/-;wide=1&log=events@dev/*",
        ] {
            assert_eq!(round(address), (address.to_owned(), 0));
        }
        assert_eq!(round("/b?v=pods@dev/payments").0, "/v/pods@dev/payments");
        assert_eq!(round("/b").0, "/");
    }

    #[test]
    fn what_of_a_board_cannot_be_read_is_named_and_the_rest_is_used() {
        let (href, problems) = round("/b?x=1&v=pods@dev/a;q=%ff;nonsense=2&v=p%00ds");
        assert_eq!((href.as_str(), problems), ("/b?v=pods@dev/a;q=%EF%BF%BD&v=", 3));
    }
}
