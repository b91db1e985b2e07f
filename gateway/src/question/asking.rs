//! What became of each object of a question so far, and what follows. Never a row and never a clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::form::{Asks, Form, Truth};
use super::{Join, Of, Question};

/// An object's place among all that are asked about, in the order in which they are named or listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) target: usize,
    /// Its namespace and its name, in the order of lists; in a view of several clusters after the cluster's.
    pub(crate) key: Box<str>,
}

impl Place {
    /// The object's own name.
    pub(crate) fn name(&self) -> &str {
        self.key.rsplit('/').next().unwrap_or_default()
    }
}

/// How well the rows are proven to be the present, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Proof {
    /// They are.
    Now,
    /// Not yet, but no change was missed.
    Soon,
    /// It isn't known what was in the meantime.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Open,
    /// It is so.
    So,
    /// It can't be asked of what is there: kubectl's sentence.
    Refused(&'static str),
    /// The form, by its number, reads what is behind a mask.
    Masked(Place, usize),
}

/// Why an object keeps a question open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    NotSo,
    Missing,
    /// kubectl's sentence.
    Refused(&'static str),
}

/// A form that was so of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fired {
    pub(crate) place: Place,
    pub(crate) form: usize,
    pub(crate) at: Seen,
}

impl Fired {
    /// The version that was so, as a sentence; empty where the API has none.
    pub(crate) fn in_words(&self, kind: &str, form: &str) -> String {
        match self.at.version.is_empty() {
            true => String::new(),
            false => format!("{kind}/{}: {form}, at resourceVersion {}", self.place.name(), self.at.version),
        }
    }
}

/// A version of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) version: ResourceVersion,
    /// The whole object, where it is printed.
    pub(crate) object: Option<Arc<str>>,
}

/// A question, and what became of its objects so far. It owns no rows: [`super::Observed`] says what the forms say of
/// each.
#[derive(Debug)]
pub(crate) struct Asking {
    question: Question,
    objects: BTreeMap<Place, Progress>,
    /// Objects come and go, because a view selects them; otherwise each is named.
    is_selection: bool,
    /// Those that come from now on aren't asked about: the deletion of what was there is waited for.
    is_complete: bool,
    /// Since when none is so.
    none_since: Option<UnixMillis>,
    verdict: Verdict,
}

/// What became of one object. It owns what the forms said of its last version, and which of them were met by which
/// version.
#[derive(Debug)]
struct Progress {
    /// `None`: it isn't there.
    truths: Option<Vec<Truth>>,
    seen: Seen,
    was_there: bool,
    /// The forms that were so, each with the version that showed it.
    met: Vec<Option<Met>>,
    /// Since when it is so as a whole.
    so_since: Option<UnixMillis>,
    /// Why what is waited for can't be asked of it.
    refusal: Option<&'static str>,
}

#[derive(Debug)]
struct Met {
    at: Seen,
    is_told: bool,
}

impl Asking {
    pub(crate) fn new(question: Question, is_selection: bool) -> Self {
        Self {
            question,
            objects: BTreeMap::new(),
            is_selection,
            is_complete: false,
            none_since: None,
            verdict: Verdict::Open,
        }
    }

    /// An object that is asked about by its name, whether it is there or not.
    pub(crate) fn expect(&mut self, place: Place) {
        let progress = self.new_progress();
        self.objects.entry(place).or_insert(progress);
    }

    /// The object is there, with what the forms say of this version.
    pub(crate) fn put(&mut self, place: Place, truths: Vec<Truth>, seen: Seen) {
        if !self.objects.contains_key(&place) {
            if self.is_complete {
                return;
            }
            self.expect(place.clone());
        }
        if let Some(object) = self.objects.get_mut(&place) {
            (object.truths, object.seen, object.was_there) = (Some(truths), seen, true);
        }
        self.interrupt(&place);
    }

    /// What time made of the same version.
    pub(crate) fn set_truth(&mut self, place: &Place, form: usize, truth: Truth) {
        let of_form = |object: &'_ mut Progress| -> Option<()> {
            *object.truths.as_mut()?.get_mut(form)? = truth;
            Some(())
        };
        let _ = self.objects.get_mut(place).and_then(of_form);
        self.interrupt(place);
    }

    /// The object is gone. `version`: of its deletion, where it is known.
    pub(crate) fn remove(&mut self, place: &Place, version: &ResourceVersion) {
        let is_awaited = !self.is_selection || self.question.asks_for_deletion();
        let Some(object) = self.objects.get_mut(place) else { return };
        object.truths = None;
        if !version.is_empty() {
            object.seen.version.clone_from(version);
        }
        // What was met of it counts, also if it is gone by now.
        let keeps = is_awaited || self.question.hold.is_none() && self.question.is_met(object);
        if keeps {
            self.interrupt(place);
        } else {
            self.objects.remove(place);
        }
    }

    /// The objects of a target that are there by what was seen last.
    pub(crate) fn there(&self, target: usize) -> Vec<Place> {
        let is_there =
            |(place, object): &(&Place, &Progress)| place.target == target && object.truths.is_some();
        self.objects.iter().filter(is_there).map(|(place, _)| place.clone()).collect()
    }

    /// Whether each object was there at some time, and one at least.
    pub(crate) fn were_all_there(&self) -> bool {
        !self.objects.is_empty() && self.objects.values().all(|object| object.was_there)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The objects that keep it open, and what each waits for.
    pub(crate) fn open(&self) -> impl Iterator<Item = (&Place, Waits)> {
        let open = self.objects.iter().filter(|(_, object)| !self.question.is_met(object));
        open.map(|(place, object)| {
            let waits = match object.refusal {
                Some(sentence) => Waits::Refused(sentence),
                None if object.truths.is_none() => Waits::Missing,
                None => Waits::NotSo,
            };
            (place, waits)
        })
    }

    /// Decides by what is known now. What was decided stays.
    pub(crate) fn look(&mut self, proof: Proof, now_ms: UnixMillis) -> Verdict {
        if self.verdict == Verdict::Open {
            match proof {
                Proof::Now => self.verdict = self.decide(now_ms),
                Proof::Soon => {}
                Proof::Unknown => {
                    self.none_since = None;
                    self.objects.values_mut().for_each(|object| object.so_since = None);
                }
            }
        }
        self.verdict.clone()
    }

    /// What was so and wasn't told yet, in the order of the objects: none before those in front of it. `is_over`: nothing
    /// more comes.
    pub(crate) fn tell(&mut self, is_over: bool) -> Vec<Fired> {
        let (mut fired, question) = (Vec::new(), &self.question);
        let waits_for_end = question.hold.is_some() || question.of == Of::Any;
        // kubectl looks at none before all were created.
        let are_created =
            !question.asks_for_creation() || question.join == Join::Any || self.were_all_there();
        if question.of == Of::None || !are_created || !is_over && waits_for_end {
            return fired;
        }
        for (place, object) in &mut self.objects {
            let is_met = question.is_met(object);
            if question.of == Of::Any && !is_met {
                continue;
            }
            for (form, met) in object.met.iter_mut().enumerate() {
                let Some(met) = met.as_mut().filter(|met| !met.is_told) else { continue };
                met.is_told = true;
                fired.push(Fired { place: place.clone(), form, at: met.at.clone() });
            }
            if !is_met && !is_over || question.of == Of::Any {
                break;
            }
        }
        fired
    }

    fn new_progress(&self) -> Progress {
        let met = self.question.forms.iter().map(|_| None).collect();
        Progress { truths: None, seen: Seen::default(), was_there: false, met, so_since: None, refusal: None }
    }

    /// What isn't so any more begins anew, also where the rows aren't proven.
    fn interrupt(&mut self, place: &Place) {
        let Some(object) = self.objects.get_mut(place) else { return };
        if self.question.goes_on(object) {
            self.none_since = None;
        } else {
            object.so_since = None;
        }
    }

    fn decide(&mut self, now_ms: UnixMillis) -> Verdict {
        let awaits_creation = self.question.asks_for_creation() && !self.were_all_there();
        if self.question.asks_for_deletion() && !self.is_complete && !awaits_creation {
            // The first proven rows are those whose deletion is waited for. What isn't there by then is gone, as for kubectl.
            self.is_complete = true;
            if self.question.hold.is_none() {
                self.objects.retain(|_, object| object.was_there);
            }
        }
        let (question, mut first) = (&self.question, None);
        for (place, object) in &mut self.objects {
            let problem = match question.hold {
                None => question.advance(object),
                Some(hold) => question.hold(object, hold.as_millis(), now_ms),
            };
            object.refusal = None;
            let verdict = match problem {
                Some((_, Truth::Refused(sentence))) => {
                    object.refusal = Some(sentence);
                    Verdict::Refused(sentence)
                }
                Some((form, Truth::Masked)) => Verdict::Masked(place.clone(), form),
                _ => continue,
            };
            first.get_or_insert(verdict);
        }
        if let Some(verdict) = first {
            return verdict;
        }
        let is_so = match question.of {
            // Nothing is left of what is all gone.
            Of::All if self.objects.is_empty() => self.is_complete,
            Of::All => self.objects.values().all(|it| question.is_met(it)),
            Of::Any => self.objects.values().any(|it| question.is_met(it)),
            Of::None if self.objects.values().any(|it| question.goes_on(it)) => {
                self.none_since = None;
                false
            }
            Of::None => {
                let since = *self.none_since.get_or_insert(now_ms);
                has_held(since, question.hold.unwrap_or_default().as_millis(), now_ms)
            }
        };
        if is_so { Verdict::So } else { Verdict::Open }
    }
}

impl Question {
    /// Whether the form is so of the object as it is now.
    fn holds(&self, object: &Progress, at: usize, form: &Form) -> bool {
        match form.asks() {
            Asks::Created => object.was_there,
            Asks::Deleted => object.truths.is_none(),
            _ => object.truth(at) == Some(&Truth::So),
        }
    }

    fn is_so(&self, object: &Progress) -> bool {
        self.is_joined(|at, form| self.holds(object, at, form))
    }

    /// It is so, or was and will be again.
    fn goes_on(&self, object: &Progress) -> bool {
        self.is_joined(|at, form| self.holds(object, at, form) || object.truth(at) == Some(&Truth::Between))
    }

    fn is_joined(&self, is_so: impl Fn(usize, &Form) -> bool) -> bool {
        let mut forms = self.forms.iter().enumerate();
        match self.join {
            Join::All => forms.all(|(at, form)| is_so(at, form)),
            Join::Any => forms.any(|(at, form)| is_so(at, form)),
        }
    }

    /// Whether enough forms were so.
    fn is_met(&self, object: &Progress) -> bool {
        match self.join {
            Join::All => object.met.iter().all(Option::is_some),
            Join::Any => object.met.iter().any(Option::is_some),
        }
    }

    /// Counts what is so: in the order of the forms, or the first of them. Returns what can't be asked of the object.
    fn advance(&self, object: &mut Progress) -> Option<(usize, Truth)> {
        if self.is_met(object) {
            return None;
        }
        for (at, form) in self.forms.iter().enumerate() {
            if object.met.get(at).is_some_and(Option::is_some) {
                continue;
            }
            if self.holds(object, at, form) {
                self.meet(object, at);
                if self.join == Join::Any {
                    return None;
                }
            } else if let Some(problem) = problem(object, at) {
                return Some(problem);
            } else if self.join == Join::All {
                return None;
            }
        }
        None
    }

    /// Counts what is so as a whole, and for so long.
    fn hold(&self, object: &mut Progress, hold_ms: u128, now_ms: UnixMillis) -> Option<(usize, Truth)> {
        if !self.is_so(object) && self.goes_on(object) && object.so_since.is_some() {
            return None;
        }
        object.met.fill_with(|| None);
        if !self.is_so(object) {
            object.so_since = None;
            return (0..self.forms.len()).find_map(|at| problem(object, at));
        }
        let since = *object.so_since.get_or_insert(now_ms);
        if has_held(since, hold_ms, now_ms) {
            for (at, form) in self.forms.iter().enumerate() {
                if self.holds(object, at, form) {
                    self.meet(object, at);
                }
            }
        }
        None
    }

    fn meet(&self, object: &mut Progress, at: usize) {
        let met = Met { at: object.seen.clone(), is_told: false };
        if let Some(place) = object.met.get_mut(at) {
            *place = Some(met);
        }
    }
}

impl Progress {
    fn truth(&self, at: usize) -> Option<&Truth> {
        self.truths.as_ref()?.get(at)
    }
}

fn problem(object: &Progress, at: usize) -> Option<(usize, Truth)> {
    let truth = object.truth(at)?;
    matches!(truth, Truth::Refused(_) | Truth::Masked).then(|| (at, truth.clone()))
}

fn has_held(since: UnixMillis, hold_ms: u128, now_ms: UnixMillis) -> bool {
    u128::try_from(now_ms.saturating_sub(since)).is_ok_and(|held_ms| held_ms >= hold_ms)
}
