//! Report, proof and mends of a view that has parts, for who asks the view as a whole: whether it is exact,
//! and by which clock ages tick. How fresh it is, is decided from the parts themselves, never here.

use shared::state::StateReport;

use super::Part;
use crate::source::Source;
use crate::subscription::{Mends, Proof, Subscription};

/// What the parts that show rows have in common, for who asks the view as a whole: no better than the worst.
pub(super) struct Summary {
    report: Option<StateReport>,
    proof: Option<Proof>,
    mends: Mends,
}

impl Summary {
    pub(super) fn of(parts: &[&mut Part]) -> Self {
        let is_empty = !parts.iter().any(|part| part.source.shows_rows());
        let sources: Vec<&Source> =
            parts.iter().map(|part| &part.source).filter(|source| is_empty || source.shows_rows()).collect();
        let reports = sources.iter().filter_map(|source| source.report());
        let report = reports.min_by_key(|report| (report.state.is_current(), report.problem.is_none()));
        let proofs: Vec<&Proof> = sources.iter().filter_map(|source| source.subscription.proof()).collect();
        let oldest = proofs.iter().min_by_key(|proof| proof.proven_ms);
        let proof = oldest.map(|oldest| Proof {
            heard_ms: proofs.iter().map(|proof| proof.heard_ms).min().unwrap_or(oldest.heard_ms),
            current: proofs.len() == sources.len() && proofs.iter().all(|proof| proof.current),
            equal_ms: proofs.iter().map(|proof| proof.equal_ms).min().flatten(),
            ..(*oldest).clone()
        });
        let mends = sources.iter().map(|source| source.subscription.mends());
        Self {
            report: report.cloned(),
            proof,
            mends: mends.max_by_key(|mends| mends.differed_ms).unwrap_or_default(),
        }
    }

    pub(super) fn tell(self, subscription: &mut Subscription) {
        (subscription.report, subscription.proof, subscription.mends) = (self.report, self.proof, self.mends);
    }
}
