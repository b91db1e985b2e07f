//! Where what a subscription holds came from, and of when it is where no proof says so. While a viewer is refused, they see
//! nothing; the rows come anew with the right, perhaps from a gateway that saw every event meanwhile and marks no gap. So
//! the client marks it.

use shared::frame::server::Gap;
use shared::problem::Reason;
use shared::state::UnixMillis;

#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The gateway holds the same, or its feed continued it. Otherwise it was held before, until a cut comes.
    is_of_gateway: bool,
    /// The time of what was held before.
    before_ms: Option<UnixMillis>,
    /// Since its viewer was refused, until a cut comes.
    unseen: Option<Unseen>,
    /// The gateway told a gap while the viewer was still refused: what is held is of after the refusal.
    is_of_after: bool,
}

/// Since the last proof before a refusal, nothing was seen.
#[derive(Clone, Copy, Debug)]
struct Unseen {
    /// By the viewer's clock.
    from_ms: UnixMillis,
    /// How far the gateway's clock is ahead of it.
    ahead_ms: i64,
}

impl Origin {
    pub(crate) fn is_of_gateway(&self) -> bool {
        self.is_of_gateway
    }

    /// The time of what is held, where it isn't the gateway's and its time is known.
    pub(crate) fn before_ms(&self) -> Option<UnixMillis> {
        self.before_ms.filter(|_| !self.is_of_gateway)
    }

    /// A gateway answered. `continues`: from what is held, by the feed that it came from.
    pub(crate) fn answered(&mut self, continues: bool) {
        self.is_of_gateway = continues;
    }

    /// The gateway says of when what it holds is.
    pub(crate) fn dated(&mut self, since_ms: UnixMillis) {
        if self.is_of_gateway {
            self.before_ms = Some(since_ms);
        }
    }

    /// The viewer may not see it any more. `proven_ms`: the last proof.
    pub(crate) fn refused(&mut self, proven_ms: UnixMillis, ahead_ms: i64) {
        if !self.is_of_after {
            self.unseen.get_or_insert(Unseen { from_ms: proven_ms, ahead_ms });
        }
    }

    /// The gateway tells a gap before it says that the viewer may see the rows again: the gap is that of the refusal.
    pub(crate) fn told(&mut self, gap: Gap) -> Gap {
        (self.is_of_gateway, self.is_of_after) = (true, true);
        let from_ms = self.unseen.take().map(|unseen| unseen.from_ms.saturating_add(unseen.ahead_ms));
        Gap { from_ms: from_ms.map_or(gap.from_ms, |from_ms| from_ms.min(gap.from_ms)), ..gap }
    }

    /// The viewer may see it again, and what is held is of before.
    pub(crate) fn allowed(&mut self, proven_ms: Option<UnixMillis>, asked_ms: UnixMillis) {
        if std::mem::take(&mut self.is_of_after) {
            return;
        }
        self.is_of_gateway = false;
        self.before_ms = proven_ms.or(self.before_ms).or(Some(asked_ms));
    }

    /// What is held is now a state that the gateway holds. Returns the gap before it, by the gateway's clock as every gap is.
    pub(crate) fn cut(&mut self, now_ms: UnixMillis) -> Option<Gap> {
        self.is_of_gateway = true;
        let Unseen { from_ms, ahead_ms } = self.unseen.take()?;
        let of_gateway = |at_ms: UnixMillis| at_ms.saturating_add(ahead_ms);
        Some(Gap { from_ms: of_gateway(from_ms), to_ms: of_gateway(now_ms), reason: Reason::Forbidden })
    }

    /// Nothing is held any more.
    pub(crate) fn begin_anew(&mut self) {
        (self.before_ms, self.is_of_after) = (None, false);
    }
}
