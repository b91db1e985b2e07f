//! The address of a page: one view (`/v/…`), its log (`/log/…`), or a board of several
//! (`/b?t={title}&at={time}&vs={time}&v={view};q=…;w=14;h=9&log={view}`). Equal pages have equal addresses.

use std::ops::RangeInclusive;

use shared::problem::Problem;

use crate::location::words;
use crate::location::{self, Location, Parsed, percent};
use crate::past::{Against, At};

/// What a pane shows of its view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    #[default]
    Table,
    /// Every event as it came.
    Log,
    /// What is wrong, of all kinds.
    Wrong,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pane {
    pub look: Look,
    pub location: Location,
    /// On a board.
    pub size: PaneSize,
}

/// What a reader chose; the rest follows from the number of panes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaneSize {
    /// `w=`: of the 24 columns.
    pub columns: Option<u8>,
    /// `h=`: the weight of its row, if it is the first of a row.
    pub weight: Option<u8>,
}

/// At least one pane; more than one is a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub panes: Vec<Pane>,
    /// A board's title.
    pub title: Box<str>,
    /// The span of the slider, and the word that is looked for: `span=1h&find=x`. The bar reads it.
    pub bar: Box<str>,
    /// Single letters are keys of the page; `keys=off` switches them off (WCAG 2.2, 2.1.4).
    pub letters: bool,
}

/// Panes of one board: a window has no room for more.
pub const PANES_MAX: usize = 12;

/// The columns of a board, and how many a pane may have.
pub const COLUMNS: u8 = 24;
pub const WIDTHS: RangeInclusive<u8> = 4..=COLUMNS;
/// The weight of a row: its usual one, and what a link may say.
pub const ROW_WEIGHT: u8 = 12;
pub const ROW_WEIGHTS: RangeInclusive<u8> = 3..=48;
/// Characters of a board's title: the top of the page has room for half as many.
pub const TITLE_CHARACTERS_MAX: usize = 100;

const KEYS_OFF: &str = "keys=off";
const QUESTION: &str = "tell=";
/// A question as a link has it: three bytes for each of its own.
pub(crate) const QUESTION_BYTES_MAX: usize = 2_000;

/// Reads path and query, without the base path. Returns a problem for each part that can't be read.
pub fn parse(link: &str) -> (Address, Vec<Problem>) {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    let is_of_views = |part: &&str| *part != KEYS_OFF && !part.starts_with(QUESTION);
    let rest = query.split('&').filter(is_of_views);
    let letters = query.split('&').all(|part| part != KEYS_OFF);
    let is_of_bar = |part: &&str| part.starts_with("span=") || part.starts_with("find=");
    let (bar, rest): (Vec<&str>, Vec<&str>) = rest.partition(is_of_bar);
    let bar = bar.into_iter().map(plain).collect::<Vec<_>>().join("&").into();
    let query = rest.join("&");
    let mut title = Box::default();
    let (panes, problems) = match path.split('/').find(|part| !part.is_empty()) {
        Some("b") => board(&query, &mut title),
        Some("wrong") => one(Look::Wrong, &path.replacen("/wrong", "/v", 1), &query),
        Some("log") => one(Look::Log, &path.replacen("/log", "/v", 1), &query),
        _ => one(Look::Table, path, &query),
    };
    (Address { panes, title, bar, letters }, problems)
}

/// What a link asks to be told of, with its key: `tell=health=failing;for=10m`. It is of no view, and read where it is shown.
pub(crate) fn question_of(link: &str) -> &str {
    let (_, query) = link.split_once('?').unwrap_or((link, ""));
    query.split('&').find(|part| part.starts_with(QUESTION)).unwrap_or_default()
}

/// The link with another part of its query.
pub(crate) fn add(href: &mut String, part: &str) {
    if !part.is_empty() {
        href.push(if href.contains('?') { '&' } else { '?' });
        href.push_str(part);
    }
}

/// The same pair, as an address has it.
fn plain(pair: &str) -> String {
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    format!("{key}={}", percent::encode(&percent::decode(value)))
}

fn one(look: Look, path: &str, query: &str) -> (Vec<Pane>, Vec<Problem>) {
    let Parsed { mut location, mut problems } = location::parse(path, query);
    if look == Look::Wrong && !location.resource.is_empty() {
        problems.push(Problem::bad_request(words::location_of_all_kinds(&std::mem::take(
            &mut location.resource,
        ))));
    }
    (vec![Pane { look, location, size: PaneSize::default() }], problems)
}

/// A title as it is kept: in one line and not too long.
pub fn title(text: &str) -> Box<str> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(TITLE_CHARACTERS_MAX).collect()
}

fn board(query: &str, board_title: &mut Box<str>) -> (Vec<Pane>, Vec<Problem>) {
    let (mut panes, mut problems) = (Vec::new(), Vec::new());
    let (mut at, mut against) = (None, None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let look = match key {
            "v" => Look::Table,
            "log" => Look::Log,
            "wrong" => Look::Wrong,
            "t" => {
                *board_title = title(&percent::decode(value));
                continue;
            }
            "at" => {
                let time = percent::decode(value);
                at = At::parse(&time);
                if at.is_none() {
                    problems.push(words::location_time(&time));
                }
                continue;
            }
            "vs" => {
                let other = percent::decode(value);
                against = Against::parse(&other);
                if against.is_none() {
                    problems.push(words::location_compared(&other));
                }
                continue;
            }
            _ => {
                problems.push(words::location_part_unknown(key, &percent::decode(value)));
                continue;
            }
        };
        if panes.len() == PANES_MAX {
            problems.push(words::board_too_large(PANES_MAX));
            break;
        }
        let (path, rest) = value.split_once(';').unwrap_or((value, ""));
        let mut size = PaneSize::default();
        let mut parts = rest.split(';').collect::<Vec<_>>();
        parts.retain(|part| !size.read(part, &mut problems));
        let (pane, unread) = one(look, &format!("/v/{path}"), &parts.join("&"));
        panes.extend(pane.into_iter().map(|pane| Pane { size, ..pane }));
        problems.extend(unread);
    }
    if panes.is_empty() {
        panes.push(Pane::default());
    }
    // One time holds for all.
    let against = against.filter(|_| at.is_some());
    panes.iter_mut().for_each(|pane| (pane.location.at, pane.location.against) = (at, against));
    (panes, problems)
}

impl PaneSize {
    /// Returns whether the part of the link is a size.
    fn read(&mut self, part: &str, problems: &mut Vec<Problem>) -> bool {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (size, range) = match key {
            "w" => (&mut self.columns, WIDTHS),
            "h" => (&mut self.weight, ROW_WEIGHTS),
            _ => return false,
        };
        *size = value.parse().ok().filter(|number| range.contains(number));
        if size.is_none() {
            problems.push(words::location_size(key, &percent::decode(value), &range));
        }
        true
    }
}

impl Pane {
    /// Path and query of this view alone, canonical.
    pub fn href(&self) -> String {
        let href = self.location.href();
        match self.look {
            Look::Table => href,
            Look::Log => href.replacen("/v", "/log", 1),
            Look::Wrong => self.location.href_of_all_kinds("/wrong"),
        }
    }
}

impl Address {
    /// Path and query, canonical.
    pub fn href(&self) -> String {
        let mut href = self.shown();
        for part in [&*self.bar, if self.letters { "" } else { KEYS_OFF }] {
            add(&mut href, part);
        }
        href
    }

    fn shown(&self) -> String {
        match self.panes.as_slice() {
            [] => "/".to_owned(),
            [pane] => pane.href(),
            panes => {
                let title = (!self.title.is_empty()).then(|| format!("t={}", percent::encode(&self.title)));
                let at = panes.iter().find_map(|pane| pane.location.at);
                let against = at.and_then(|_| panes.iter().find_map(|pane| pane.location.against));
                let at = at.map(|at| format!("at={}", percent::encode(&at.to_string())));
                let against = against.map(|other| format!("vs={}", percent::encode(&other.to_string())));
                let parts: Vec<String> =
                    title.into_iter().chain(at).chain(against).chain(panes.iter().map(part)).collect();
                format!("/b?{}", parts.join("&"))
            }
        }
    }
}

fn part(pane: &Pane) -> String {
    let key = match pane.look {
        Look::Table => "v",
        Look::Log => "log",
        Look::Wrong => "wrong",
    };
    let path = match pane.look {
        Look::Wrong => pane.location.path_of_all_kinds("/v"),
        Look::Table | Look::Log => pane.location.path(),
    };
    let view = path.strip_prefix("/v/").unwrap_or_default();
    let query = Location { at: None, against: None, ..pane.location.clone() }.query_string();
    let sizes = [("w", pane.size.columns), ("h", pane.size.weight)];
    let sizes = sizes.into_iter().filter_map(|(key, size)| Some(format!("{key}={}", size?)));
    let parts = query.split('&').filter(|part| !part.is_empty()).map(str::to_owned).chain(sizes);
    let parts: String = parts.map(|part| format!(";{part}")).collect();
    format!("{key}={view}{parts}")
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
            "/v/pods@dev%2F/payments",
            "/v/pods@dev/*?at=2026-11-29T14:02:10Z",
            "/b?t=Night&at=2026-11-29T14:02:10.250Z&v=pods@dev/*&v=nodes@dev/-",
            "/v/pods@dev/*?at=2026-11-29T14:02:10Z&vs=now",
            "/v/pods@dev/*?at=2026-11-29T14:02:10Z&o=shop/web&span=24h&find=OOM%20a%26b&keys=off",
            "/b?v=pods@dev/*&v=nodes@dev/-&span=15m",
            "/b?at=2026-11-29T14:02:10Z&vs=2026-11-29T14:20:00Z&v=pods@dev/*&v=nodes@dev/-",
            "/b?v=pods@dev/*&v=nodes@dev/-&keys=off",
            "/b?t=On%20call&v=pods@dev/*;wide=1;w=14;h=9&v=nodes@dev/-;w=10",
            "/b?v=pods@dev/payments;q=a%3Bb%26c;sort=age&v=nodes@dev/-;wide=1&log=events@dev/*",
        ] {
            assert_eq!(round(address), (address.to_owned(), 0));
        }
        assert_eq!(round("/v/pods?find=a?b c\0d&span=%31h").0, "/v/pods?find=a%3Fb%20c%00d&span=1h");
        assert_eq!(round("/b?v=pods@dev/payments").0, "/v/pods@dev/payments");
        assert_eq!(round("/b").0, "/");
        let asks = "/v/pods?q=a&tell=health=fine;for=1m&keys=off";
        assert_eq!(
            (round(asks), question_of(asks)),
            (("/v/pods?q=a&keys=off".into(), 0), "tell=health=fine;for=1m")
        );
    }

    #[test]
    fn what_of_a_board_cannot_be_read_is_named_and_the_rest_is_used() {
        let (href, problems) = round("/b?x=1&v=pods@dev/a;q=%ff;nonsense=2&v=p%00ds");
        assert_eq!((href.as_str(), problems), ("/b?v=pods@dev/a;q=%EF%BF%BD&v=", 3));
        let (href, problems) = round("/b?at=noon&v=pods@dev/a;at=2026-11-29T14:02:10Z&v=nodes@dev/-");
        assert_eq!((href.as_str(), problems), ("/b?v=pods@dev/a&v=nodes@dev/-", 1), "a board has one time");
        let (href, problems) = round("/b?t=%20a%0A%20b&v=pods@dev/a;w=25;h=x&v=pods@dev/a;w=4");
        assert_eq!((href.as_str(), problems), ("/b?t=a%20b&v=pods@dev/a&v=pods@dev/a;w=4", 2));
    }
}
