//! The address of a page: one view (`/v/…`), its log (`/log/…`), or a board of several
//! (`/b?v={view};q=…&log={view}`). Equal pages have equal addresses; what can't be read is named.

use shared::problem::Problem;

use crate::location::{Location, Parsed};
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

impl Default for Address {
    fn default() -> Self {
        Self { panes: vec![Pane::default()], letters: true }
    }
}

/// An address, and what of it couldn't be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub address: Address,
    pub problems: Vec<Problem>,
}

/// Panes of one board: a window has no room for more.
pub const PANES_MAX: usize = 12;

/// `path` without the base path, `query` without its question mark.
#[must_use]
pub fn parse(path: &str, query: &str) -> Read {
    let rest: Vec<&str> = query.split('&').filter(|part| *part != KEYS_OFF).collect();
    let letters = rest.len() == query.split('&').count();
    let query = rest.join("&");
    let mut read = match path.split('/').find(|part| !part.is_empty()) {
        Some("b") => board(&query),
        Some("log") => one(Look::Log, &path.replacen("/log", "/v", 1), &query),
        _ => one(Look::Table, path, &query),
    };
    read.address.letters = letters;
    read
}

const KEYS_OFF: &str = "keys=off";

fn one(look: Look, path: &str, query: &str) -> Read {
    let Parsed { location, problems } = crate::location::parse(path, query);
    Read { address: Address { panes: vec![Pane { look, location }], letters: true }, problems }
}

fn board(query: &str) -> Read {
    let mut read = Read { address: Address { panes: Vec::new(), letters: true }, problems: Vec::new() };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let look = match key {
            "v" => Look::Table,
            "log" => Look::Log,
            _ => {
                read.problems.push(messages::location_part_unknown(key));
                continue;
            }
        };
        if read.address.panes.len() == PANES_MAX {
            read.problems.push(messages::board_too_large(PANES_MAX));
            break;
        }
        let (path, rest) = value.split_once(';').unwrap_or((value, ""));
        let Parsed { location, problems } =
            crate::location::parse(&format!("/v/{path}"), &rest.replace(';', "&"));
        read.problems.extend(problems);
        read.address.panes.push(Pane { look, location });
    }
    if read.address.panes.is_empty() {
        read.address = Address::default();
    }
    read
}

impl Address {
    /// Path and query, canonical.
    #[must_use]
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
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let read = parse(path, query);
        (read.address.href(), read.problems.len())
    }

    #[test]
    fn equal_pages_have_equal_addresses() {
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
    }

    #[test]
    fn a_board_of_one_view_is_that_view() {
        assert_eq!(round("/b?v=pods@dev/payments").0, "/v/pods@dev/payments");
        assert_eq!(round("/b").0, "/");
    }

    #[test]
    fn what_of_a_board_cannot_be_read_is_named_and_the_rest_is_used() {
        let (href, problems) = round("/b?x=1&v=pods@dev/a;q=%ff;nonsense=2&v=p%00ds");
        assert_eq!((href.as_str(), problems), ("/b?v=pods@dev/a;q=%EF%BF%BD&v=", 3));
    }

    #[test]
    fn a_board_has_at_most_twelve_panes() {
        let query: Vec<String> = (0..20).map(|n| format!("v=pods@dev/n{n}")).collect();
        let read = parse("/b", &query.join("&"));
        assert_eq!((read.address.panes.len(), read.problems.len()), (PANES_MAX, 1));
    }
}
