//! The keepers of all shares: each kind is told to that of its share, and asked of it.

use std::collections::HashMap;
use std::sync::Arc;

use shared::column::Column;
use shared::past::Removed;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use crate::bounds::Bounds;
use crate::keeper::{Keeper, Standing};
use crate::kind::KindKey;
use crate::past::{Activity, Extent, Moment, Past, PastChange, PastVersion, Scanned, Within};
use crate::recorder::{Told, is_namespaces};
use crate::share::Share;
use crate::store::{Store, StoreError};
use crate::texts::Texts;
use crate::version::Head;

/// One keeper for each [`Share`], in the order of [`Share::ALL`].
pub struct Keepers {
    keepers: Vec<Keeper<Box<dyn Store>>>,
    /// The bytes that each of them took after the last commit: each is a question to its store.
    bytes: Vec<u64>,
    /// The bytes that all of them may take.
    budget: u64,
}

impl Keepers {
    /// `store` opens the place of a share, with what it may take at first.
    ///
    /// # Errors
    /// Those of `store`.
    pub fn open<E>(
        mut store: impl FnMut(Share, Bounds) -> Result<Box<dyn Store>, E>,
        bounds: Bounds,
        (run, now_ms): (u64, UnixMillis),
    ) -> Result<Self, E> {
        let mut open = |share: Share| {
            let bytes = share.bytes(bounds.bytes, u64::MAX);
            Ok(Keeper::open(store(share, Bounds { bytes, ..bounds })?, run, now_ms))
        };
        let mut keepers = Share::ALL.into_iter().map(&mut open).collect::<Result<Vec<_>, E>>()?;
        let texts = Texts::default();
        for (owner, keeper) in keepers.iter_mut().enumerate() {
            keeper.recorder.texts = texts.of_owner(owner);
        }
        let mut keepers = Self { keepers, bytes: Vec::new(), budget: bounds.bytes };
        keepers.share_namespaces();
        keepers.share_room();
        Ok(keepers)
    }

    /// A single store for all kinds, which has no budget.
    #[must_use]
    pub fn alone(store: Box<dyn Store>, (run, now_ms): (u64, UnixMillis)) -> Self {
        let keeper = Keeper::open(store, run, now_ms);
        Self { bytes: vec![keeper.byte_count()], keepers: vec![keeper], budget: u64::MAX }
    }

    pub fn tell(&mut self, key: &KindKey, told: Told, now_ms: UnixMillis) {
        let own = place_of(key, self.keepers.len());
        let Some(keeper) = self.keepers.get_mut(own) else { return };
        if !is_namespaces(key) {
            return keeper.tell(key, told, now_ms);
        }
        let named = match &told {
            Told::Version(version) => Some((version.row.name.clone(), version.row.id)),
            _ => None,
        };
        let may_end_one = matches!(told, Told::Deleted { .. } | Told::Loaded { .. });
        keeper.tell(key, told, now_ms);
        // The objects of all shares have the row of their namespace.
        if let Some((name, row)) = named {
            let others = self.keepers.iter_mut().enumerate().filter(|(place, _)| *place != own);
            others.for_each(|(_, keeper)| keeper.recorder.name_namespace(&key.cluster, &name, row));
        } else if may_end_one {
            self.share_namespaces();
        }
    }

    /// Writes what was told since the last time. How many versions were written.
    pub fn commit(&mut self, now_ms: UnixMillis) -> usize {
        let written = self.keepers.iter_mut().map(|keeper| keeper.commit(now_ms)).sum();
        if written > 0 {
            self.share_room();
        }
        written
    }

    /// Nothing more is told.
    pub fn end(&mut self, now_ms: UnixMillis) {
        self.keepers.iter_mut().for_each(|keeper| keeper.end(now_ms));
    }

    /// That of a share that is stopped, if one is.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        let standings = || self.keepers.iter().map(Keeper::standing);
        standings()
            .find(|standing| matches!(standing, Standing::Stopped { .. }))
            .unwrap_or(&Standing::Recording)
    }

    #[must_use]
    pub fn past(&self) -> Arc<dyn Past> {
        Arc::new(PastOfShares { pasts: self.keepers.iter().map(Keeper::past).collect() })
    }

    /// The bytes of all shares after the last commit.
    #[must_use]
    pub fn byte_count(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Where the record of each kind ended.
    #[must_use]
    pub fn positions(&self) -> HashMap<KindKey, ResourceVersion> {
        self.keepers.iter().flat_map(Keeper::positions).collect()
    }

    /// The first kind of which a former run recorded a version that is as `is_it` says. The last versions of up to so many
    /// objects of each kind are looked at.
    pub fn find_last(
        &self,
        of_kind: usize,
        is_it: impl Fn(&KindKey, &[Column], Head, Vec<u8>) -> bool,
    ) -> Option<KindKey> {
        self.keepers.iter().find_map(|keeper| keeper.recorder.find_last(of_kind, &is_it))
    }

    /// Each share with its keeper.
    fn each(&mut self) -> impl Iterator<Item = (Share, &mut Keeper<Box<dyn Store>>)> {
        Share::ALL.into_iter().zip(&mut self.keepers)
    }

    /// All shares know the namespaces that are there.
    fn share_namespaces(&mut self) {
        let Some((own, others)) = self.keepers.split_first_mut() else { return };
        let namespaces = own.recorder.namespaces();
        others.iter_mut().for_each(|other| other.recorder.adopt_namespaces(namespaces));
    }

    /// What one share doesn't take is lent to the others, until it needs it.
    fn share_room(&mut self) {
        self.bytes = self.keepers.iter().map(Keeper::byte_count).collect();
        let (all, budget, bytes) = (self.byte_count(), self.budget, self.bytes.clone());
        for ((share, keeper), own) in self.each().zip(bytes) {
            keeper.store.bound(share.bytes(budget, all - own));
        }
    }
}

/// The place of a kind among so many keepers: that of its share, or the only one.
fn place_of(key: &KindKey, keepers: usize) -> usize {
    Some(Share::of(&key.resource).place()).filter(|place| *place < keepers).unwrap_or_default()
}

/// The past of each share, in the order of [`Share::ALL`].
struct PastOfShares {
    pasts: Vec<Arc<dyn Past>>,
}

impl PastOfShares {
    fn of(&self, key: &KindKey) -> Result<&dyn Past, StoreError> {
        let past = self.pasts.get(place_of(key, self.pasts.len()));
        past.map(|past| &**past).ok_or_else(|| StoreError("the record has no such share".into()))
    }
}

impl Past for PastOfShares {
    fn extent(&self, key: &KindKey) -> Result<Option<Extent>, StoreError> {
        self.of(key)?.extent(key)
    }

    fn removed(&self, key: &KindKey) -> Result<Vec<Removed>, StoreError> {
        self.of(key)?.removed(key)
    }

    fn moment(&self, key: &KindKey, at_ms: UnixMillis) -> Result<Option<Moment>, StoreError> {
        self.of(key)?.moment(key, at_ms)
    }

    fn versions(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        self.of(key)?.versions(key, row, before, limit)
    }

    fn named(&self, key: &KindKey, namespace: Option<&str>, name: &str) -> Result<Option<RowId>, StoreError> {
        self.of(key)?.named(key, namespace, name)
    }

    fn about(
        &self,
        key: &KindKey,
        row: RowId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PastVersion>, StoreError> {
        self.of(key)?.about(key, row, before, limit)
    }

    fn changes(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        after: i64,
        limit: usize,
    ) -> Result<Vec<PastChange>, StoreError> {
        self.of(key)?.changes(key, time, after, limit)
    }

    fn scan(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        is_wanted: &dyn Fn(&[u8]) -> bool,
        hear: &mut dyn FnMut(Scanned) -> bool,
    ) -> Result<(), StoreError> {
        self.of(key)?.scan(key, time, is_wanted, hear)
    }

    fn activity(
        &self,
        key: &KindKey,
        time: (UnixMillis, UnixMillis),
        slots: usize,
        within: &Within,
    ) -> Result<Activity, StoreError> {
        self.of(key)?.activity(key, time, slots, within)
    }
}
