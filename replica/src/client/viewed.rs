//! What a client holds of one subscription, whatever its projection: what all of them have in common.
//! Never how frames are applied.

use shared::frame::server::Subscribed;
use shared::token::Token;

use super::parts::Part;
use crate::object::ObjectView;
use crate::observer::RowObserver;
use crate::subscription::Subscription;
use crate::timeline::TimelineView;
use crate::view::View;

#[derive(Debug)]
pub(super) enum Viewed<O> {
    Rows(Box<View<O>>),
    Object(Box<ObjectView>),
    Timeline(Box<TimelineView>),
    /// One namespace of a table that may not be had as a whole.
    Part(Box<Part>),
}

impl<O: RowObserver> Viewed<O> {
    pub(super) fn subscription(&self) -> &Subscription {
        match self {
            Self::Rows(view) => &view.source.subscription,
            Self::Object(view) => &view.subscription,
            Self::Timeline(view) => &view.subscription,
            Self::Part(part) => &part.source.subscription,
        }
    }

    pub(super) fn subscription_mut(&mut self) -> &mut Subscription {
        match self {
            Self::Rows(view) => &mut view.source.subscription,
            Self::Object(view) => &mut view.subscription,
            Self::Timeline(view) => &mut view.subscription,
            Self::Part(part) => &mut part.source.subscription,
        }
    }

    /// It has no subscription of its own, but parts that have.
    pub(super) fn is_split(&self) -> bool {
        !self.subscription().parts().is_empty()
    }

    pub(super) fn token(&self) -> Option<&Token> {
        match self {
            Self::Rows(view) => view.table().token(),
            Self::Object(view) => view.place.token(),
            Self::Timeline(view) => view.place.token(),
            Self::Part(part) => part.source.table.token(),
        }
    }

    pub(super) fn position(&self) -> Option<u64> {
        match self {
            Self::Rows(view) => view.table().position(),
            Self::Object(view) => view.place.position(),
            Self::Timeline(view) => view.place.position(),
            Self::Part(part) => part.source.table.position(),
        }
    }

    pub(super) fn subscribed(&mut self, answer: &Subscribed) {
        match self {
            Self::Rows(view) => view.table_mut().subscribed(answer),
            Self::Part(part) => part.source.table.subscribed(answer),
            Self::Object(view) => view.place.subscribed(answer),
            Self::Timeline(view) => {
                view.place.subscribed(answer);
                // A log that said nothing yet has a place all the same: its beginning.
                view.place.cut(shared::resource_version::ResourceVersion::default());
            }
        }
    }

    pub(super) fn detached(&mut self) {
        match self {
            Self::Rows(view) => view.table_mut().detached(),
            Self::Object(view) => view.place.detached(),
            Self::Timeline(view) => view.place.detached(),
            Self::Part(part) => part.source.table.detached(),
        }
    }

    pub(super) fn distrust(&mut self) {
        match self {
            Self::Rows(view) => view.table_mut().distrust(),
            Self::Object(view) => view.place.distrust(),
            Self::Timeline(view) => view.place.distrust(),
            Self::Part(part) => part.source.table.distrust(),
        }
    }
}
