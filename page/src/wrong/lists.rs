//! The lists of all places where panes look: each has views of its own, and two panes of one place share them.

use replica::client::ViewKey;
use replica::now::Now;
use shared::state::UnixMillis;

use super::list::list;
use super::model::{TallyReport, WrongTally};
use super::part::{Around, Lists, Part};
use super::tally::{report, tally};
use super::views::{Made, Place, WrongViews, follow};
use super::words;
use crate::messages::Zone;
use crate::query::Filter;
use crate::query::sort::HEALTH_KEY;
use crate::status::RowHealth;
use crate::table_view::Client;

pub(crate) const PART: Part = Part { make: || Box::new(AllPlaces::default()) };

/// Places at once: each has a view of each kind, some 40, and a gateway takes 256 at once.
const PLACES_MAX: usize = 6;

#[derive(Default)]
struct AllPlaces {
    views: Vec<WrongViews>,
    /// What is said of a place whose kinds aren't known yet.
    nowhere: WrongViews,
}

impl Lists for AllPlaces {
    fn holds(&self, key: ViewKey) -> bool {
        self.views.iter().any(|views| views.holds(key))
    }

    fn rows_came(&mut self, key: ViewKey) {
        self.views.iter_mut().for_each(|views| views.rows_came(key));
    }

    fn grow_old(&self, client: &mut Client, now_ms: UnixMillis) {
        self.views.iter().for_each(|views| views.grow_old(client, now_ms));
    }

    fn follow(&mut self, places: Vec<Place>, stays: bool, client: &mut Client, now: Now) -> Vec<ViewKey> {
        if stays && places.is_empty() {
            return Vec::new();
        }
        let mut former = std::mem::take(&mut self.views);
        let mut left = Vec::new();
        for place in places {
            if self.views.len() < PLACES_MAX && !self.views.iter().any(|views| views.is_of(&place)) {
                let held = former.iter().position(|views| views.is_of(&place));
                let mut views = held.map(|at| former.swap_remove(at)).unwrap_or_default();
                left.extend(follow(&mut views, &place, client, now));
                self.views.push(views);
            }
        }
        left.extend(former.iter().flat_map(WrongViews::keys));
        left
    }

    fn list(&mut self, place: &Place, around: &Around<'_>, client: &Client) -> Option<Made> {
        let views = self.views.iter_mut().find(|views| views.is_of(place));
        Some(list(views?, around, client))
    }

    fn tally(&self, at: (UnixMillis, Zone), client: &Client) -> Option<WrongTally> {
        tally(self.views.first()?, at, client)
    }

    fn report(
        &self,
        place: Result<Place, &str>,
        link: String,
        at: (UnixMillis, Zone),
        client: &Client,
    ) -> TallyReport {
        let held = match place {
            Ok(place) => match self.views.iter().find(|views| views.is_of(&place)) {
                Some(views) => Ok(views),
                None if self.views.len() < PLACES_MAX => Ok(&self.nowhere),
                None => Err(words::TOO_MANY_PLACES),
            },
            Err("") => Ok(&self.nowhere),
            Err(why) => Err(why),
        };
        report(held, link, at, client)
    }

    fn fold(&mut self, place: &Place, key: String) {
        if let Some(views) = self.views.iter_mut().find(|views| views.is_of(place)) {
            views.fold(key);
        }
    }

    fn only(&self, filter: &str, health: RowHealth) -> String {
        let word = health.word().replace(' ', "-");
        Filter::parse(filter).toggled(health, &format!("{HEALTH_KEY}={word}"))
    }
}
