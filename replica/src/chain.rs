//! Where a copy stands in the gateway's chain of frames, and the token with which the next subscription
//! continues from there. It never looks into the frames.

use shared::frame::server::{Subscribed, ViewId};
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::token::Token;

#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// As the gateway's last answer named it.
    history: History,
    /// The gateway's number of the view whose chain this is.
    view: ViewId,
    /// `to` of the last frame; `None` while nothing may be applied.
    position: Option<u64>,
    /// Moves at cuts only.
    token: Option<Token>,
}

/// A token continues only the history in which it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct History {
    cluster: Box<str>,
    columns: Box<str>,
    epoch: Box<str>,
}

/// What the gateway's answer to a subscription means for what is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Continuation {
    /// The gateway doesn't know yet whether the token holds; another answer follows.
    Unknown,
    /// The chain goes on; the columns may have become known.
    Same,
    /// The token holds: what is here stands at a position of another chain.
    Resumed,
    /// Everything is sent again.
    Anew,
}

/// Why a frame can't be applied; the subscription begins again from its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The frame continues another position than ours.
    NotChained { from: u64, position: Option<u64> },
    /// Its end lies before its beginning.
    Backwards { from: u64, to: u64 },
    /// Cells of a row that isn't here.
    UnknownRow(RowId),
    /// A cell beyond the row's last.
    UnknownCell(RowId, u16),
    /// A patch for another state of the object.
    Misfit,
}

impl Chain {
    /// `is_empty`: nothing was applied that other columns would make wrong.
    pub(crate) fn subscribed(&mut self, answer: &Subscribed, is_empty: bool) -> Continuation {
        if answer.epoch.is_empty() {
            self.detach();
            return Continuation::Unknown;
        }
        let history = History {
            cluster: answer.cluster.clone(),
            columns: answer.columns_hash.clone(),
            epoch: answer.epoch.clone(),
        };
        let known = std::mem::replace(&mut self.history, history);
        let without_columns = History { columns: "".into(), ..self.history.clone() };
        let columns_came = is_empty && answer.at.is_none() && known == without_columns;
        // A view that was closed and opened anew has the same history.
        let is_same_view = std::mem::replace(&mut self.view, answer.view) == answer.view;
        if self.position.is_some() && is_same_view && (known == self.history || columns_came) {
            return Continuation::Same;
        }
        self.position = Some(answer.at.unwrap_or(0));
        let Some(at) = answer.at else { return Continuation::Anew };
        if let Some(token) = &mut self.token {
            token.epoch.clone_from(&self.history.epoch);
            token.sequence = at.to_string().into();
        }
        Continuation::Resumed
    }

    /// Moves to the end of a frame.
    ///
    /// # Errors
    /// The frame isn't a continuation of what is here.
    pub(crate) fn step(&mut self, from: u64, to: u64, reset: bool) -> Result<(), Broken> {
        if reset {
            self.position = Some(from);
        }
        if self.position != Some(from) {
            return Err(Broken::NotChained { from, position: self.position });
        }
        if to < from {
            return Err(Broken::Backwards { from, to });
        }
        self.position = Some(to);
        Ok(())
    }

    /// What is held now is a state that the hub was in.
    pub(crate) fn cut(&mut self, resource_version: ResourceVersion, digest: Option<Box<str>>) {
        let Some(position) = self.position else { return };
        self.token = Some(Token {
            cluster: self.history.cluster.clone(),
            columns: self.history.columns.clone(),
            epoch: self.history.epoch.clone(),
            sequence: position.to_string().into(),
            resource_version,
            digest,
        });
    }

    /// Until the next cut the rows are between two states.
    pub(crate) fn clear_digest(&mut self) {
        if let Some(token) = &mut self.token {
            token.digest = None;
        }
    }

    /// The connection or the subscription ended: nothing applies before the next answer.
    pub(crate) fn detach(&mut self) {
        self.position = None;
    }

    /// What is held isn't the gateway's: the next subscription gets everything anew.
    pub(crate) fn drop_token(&mut self) {
        self.token = None;
    }

    pub(crate) fn begin_anew(&mut self) {
        self.position = Some(0);
    }

    pub(crate) fn position(&self) -> Option<u64> {
        self.position
    }

    pub(crate) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }
}
