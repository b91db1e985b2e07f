//! Questions, each with a view that is open for it: how they are asked, looked at once a second, and answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use replica::client::ViewKey;
use replica::table::{Entry, Table};
use shared::cell::Cell;
use shared::custom_column::CustomColumns;
use shared::health::Standing;
use shared::resource::Kind;
use shared::rollout::{self, Workload};
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::draft::{Draft, Form, Meaning, Which};
use super::held::{Known, Question, Sheet, TellMe, ToldEntry};
use super::linked::{self, LinkedDraft};
use super::model::{QuestionLine, TellSheet, TellShown, ToldLine};
use super::part::{Around, Asked, AskedAt, Linked, Part, Questions, Subject};
use super::picks::{self, Pick};
use super::subjects::link_of_object;
use super::views::{Shown, Views};
use super::watcher::{Seen, Watcher};
use super::{kept, words};
use crate::action::TellAction;
use crate::address::Look;
use crate::effect::{Effect, MayNotify};
use crate::location::PanelPlace;
use crate::messages::{self, Zone};
use crate::preferences::{Change, QUESTIONS_MAX};
use crate::query::Filter;
use crate::status::{Class, RowHealth};
use crate::table_view::View;

pub(crate) const PART: Part = Part { make: || Box::new(TellMe::default()), subjects: super::subjects::asked };

const TOLD_MAX: usize = 200;
/// Questions about what is wrong: each has a view of each kind.
const WRONG_MAX: usize = 3;
/// More at once are told together.
const TOLD_APART_MAX: usize = 3;
/// A tab that didn't look for so long says so: its seconds come once a minute at most while it is hidden.
const STOPPED_MS: i64 = 90_000;
/// What one tab sees, the others see within that.
const GONE_MS: i64 = 5_000;

impl Questions for TellMe {
    fn update(
        &mut self,
        action: TellAction,
        subjects: Vec<Subject>,
        around: &mut Around<'_>,
    ) -> Vec<ViewKey> {
        update(self, action, subjects, around)
    }

    fn link(&mut self, question: &str, at: &AskedAt<'_>) -> Linked {
        link(self, question, at)
    }

    fn second(&mut self, around: &mut Around<'_>) -> Vec<ViewKey> {
        second(self, around)
    }

    fn sheet(&mut self, now_ms: UnixMillis, zone: Zone) -> Option<TellShown> {
        let sheet = sheet(self, now_ms, zone)?;
        let held = self.shown.take().filter(|held| **held == sheet);
        Some(TellShown::of(Arc::clone(self.shown.insert(held.unwrap_or_else(|| Arc::new(sheet))))))
    }

    fn is_asking(&self) -> bool {
        !self.questions.is_empty()
    }

    fn bell(&self) -> Option<usize> {
        let has_any = self.is_asking() || !self.waiting.is_empty() || !self.told.is_empty();
        has_any.then_some(self.unseen)
    }

    fn holds(&self, key: ViewKey) -> bool {
        self.questions.iter().any(|question| question.views.keys().contains(&key))
    }

    fn may_notify(&mut self, may: MayNotify) {
        self.may_notify = may;
    }
}

fn update(
    held: &mut TellMe,
    action: TellAction,
    subjects: Vec<Subject>,
    around: &mut Around<'_>,
) -> Vec<ViewKey> {
    match action {
        TellAction::Open => open(held, subjects, words::FIRST_FORM),
        TellAction::About(about) => open(held, subjects, about.form),
        TellAction::Close => held.sheet = None,
        TellAction::Write(draft) => {
            if let Some(sheet) = &mut held.sheet {
                // It is heard what is chosen, and a browser plays nothing before a click.
                if draft.has_sound && !sheet.draft.has_sound {
                    around.effects.push_back(Effect::Sound);
                }
                sheet.draft = draft;
                sheet.why.clear();
            }
        }
        TellAction::Ask => return ask(held, around),
        TellAction::Remove(number) => return remove(held, number, around),
        TellAction::Allow => around.effects.push_back(Effect::AskToNotify),
    }
    Vec::new()
}

fn open(held: &mut TellMe, subjects: Vec<Subject>, form: &str) {
    let draft = Draft { form: form.to_owned(), ..Draft::default() };
    held.sheet = Some(Sheet { subjects, draft, is_linked: false, why: String::new() });
    held.unseen = 0;
}

fn link(held: &mut TellMe, question: &str, at: &AskedAt<'_>) -> Linked {
    let LinkedDraft { draft, is_of_view } = match linked::read(question) {
        Ok(read) => read,
        Err(why) => return unread(question, &why),
    };
    let subjects = super::subjects::subjects(at);
    let is_of_object = !is_of_view && at.pane.location.panel.is_some();
    if at.pane.look == Look::Wrong && !is_of_object && !can_be_of_wrong(&draft) {
        return unread(question, words::NOT_OF_WRONG);
    }
    let Some(subject) = subjects.iter().position(|subject| subject.is_single == is_of_object) else {
        return Linked::Waits;
    };
    // A stranger's link makes no noise.
    let draft = Draft { subject, has_sound: false, ..draft };
    held.sheet = Some(Sheet { subjects, draft, is_linked: true, why: String::new() });
    Linked::Drafted
}

fn is_of_wrong(subject: &Subject) -> bool {
    matches!(subject.asked, Asked::Wrong(_))
}

/// The kind of a question, if it has rollouts.
fn workload(subject: &Subject) -> Option<Workload> {
    match &subject.asked {
        Asked::Rows(scope) => Workload::of(&scope.resource),
        Asked::Wrong(_) => None,
    }
}

/// The columns that decide are the last.
fn rollout_texts(row: &Row) -> Vec<String> {
    let from = row.cells.len().saturating_sub(rollout::PATHS.len());
    let text = |cell: &Cell| Some(cell.print(0)).filter(|text| text != "<none>").unwrap_or_default();
    row.cells.iter().skip(from).map(text).collect()
}

/// The kinds have no columns in common, and what is fine isn't among them.
fn can_be_of_wrong(draft: &Draft) -> bool {
    match draft.read().map(|meaning| meaning.form) {
        Ok(Form::Filter(text)) => {
            let filter = Filter::parse(&text);
            filter.unread_as_text("").is_none() && !filter.has_health(RowHealth::Fine)
        }
        _ => false,
    }
}

/// A part of the link that isn't used, as the bar over the view names it.
fn unread(question: &str, why: &str) -> Linked {
    Linked::Unread(messages::location_unread(question, "", why.trim_end_matches('.')))
}

/// From the preferences as well, so that no other tab goes on asking.
fn remove(held: &mut TellMe, number: u32, around: &mut Around<'_>) -> Vec<ViewKey> {
    let removed = held.questions.extract_if(.., |question| question.number == number);
    let removed: Vec<Question> = removed.collect();
    let waiting = held.waiting.extract_if(.., |(of, _)| *of == number).map(|(_, kept)| kept);
    let kept = removed.iter().filter_map(|question| question.kept.clone()).chain(waiting);
    kept.collect::<Vec<_>>().into_iter().for_each(|kept| keep(kept, false, around));
    removed.into_iter().flat_map(|question| question.views.keys()).collect()
}

/// Looks at once: what goes a moment later was there.
fn ask(held: &mut TellMe, around: &mut Around<'_>) -> Vec<ViewKey> {
    let is_full = held.questions.len() + held.waiting.len() >= QUESTIONS_MAX;
    let wrong_count = held.questions.iter().filter(|question| is_of_wrong(&question.subject)).count();
    let Some(Sheet { subjects, draft, is_linked, why }) = &mut held.sheet else { return Vec::new() };
    let asked = match (subjects.get(draft.subject), draft.read()) {
        (None, _) => Err(words::NO_SUBJECT.to_owned()),
        (_, Err(unread)) => Err(unread),
        _ if is_full => Err(words::TOO_MANY.to_owned()),
        (Some(subject), _) if is_of_wrong(subject) && !can_be_of_wrong(draft) => {
            Err(words::NOT_OF_WRONG.to_owned())
        }
        (Some(subject), _) if is_of_wrong(subject) && wrong_count >= WRONG_MAX => {
            Err(words::TOO_MANY_OF_WRONG.to_owned())
        }
        (Some(subject), Ok(Meaning { form: Form::Rollout(_), .. })) if workload(subject).is_none() => {
            Err(words::NO_ROLLOUTS.to_owned())
        }
        (Some(subject), Ok(meaning)) => Ok((subject.clone(), meaning)),
    };
    let (subject, meaning) = match asked {
        Ok(asked) => asked,
        Err(said) => {
            *why = said;
            return Vec::new();
        }
    };
    let draft = draft.clone();
    why.clear();
    *is_linked = false;
    let kept = kept::text(&subject, &draft);
    let is_asked =
        |question: &Question| kept.is_some() && question.kept == kept && question.gone_ms.is_none();
    if held.questions.iter().any(is_asked) {
        return Vec::new();
    }
    if let Some(kept) = &kept {
        keep(kept.clone(), true, around);
    }
    held.last_number += 1;
    held.questions.push(Question::ask(held.last_number, (subject, draft, meaning), kept, around));
    if held.may_notify == MayNotify::Asks {
        around.effects.push_back(Effect::AskToNotify);
    }
    held.looked_ms = around.now.now_ms;
    look(held, around)
}

fn second(held: &mut TellMe, around: &mut Around<'_>) -> Vec<ViewKey> {
    let now_ms = around.now.now_ms;
    let was_ms = std::mem::replace(&mut held.looked_ms, now_ms);
    let mut left = follow_kept(held, around);
    if !held.is_asking() {
        return left;
    }
    if was_ms > 0 && now_ms.saturating_sub(was_ms) > STOPPED_MS {
        let [from, to] = [was_ms, now_ms].map(|ms| messages::instant(ms, now_ms, around.zone));
        let text = words::could_not_look(&from, &to);
        tell(held, vec![ToldEntry { at_ms: now_ms, text, proof: String::new(), href: None }], around);
    }
    left.extend(look(held, around));
    left
}

/// The reader who is signed in, as a hash; empty before the login.
fn asker(around: &Around<'_>) -> Box<str> {
    around.client.welcome().map(|welcome| kept::asker(&welcome.viewer.user)).unwrap_or_default()
}

/// In the preferences, so that other tabs and the next document ask the same.
fn keep(question: Box<str>, is_asked: bool, around: &mut Around<'_>) {
    around.prefer(Change::Question { asker: asker(around), question, is_asked });
}

/// Asks what the preferences keep of this reader, and no longer what another tab removed. Returns the views that aren't
/// needed any more.
fn follow_kept(held: &mut TellMe, around: &mut Around<'_>) -> Vec<ViewKey> {
    let asker = asker(around);
    if asker.is_empty() {
        return Vec::new();
    }
    let mut left: Vec<ViewKey> = Vec::new();
    if held.asker != asker && !std::mem::replace(&mut held.asker, asker.clone()).is_empty() {
        // Another reader signed in: nothing of the former one is left.
        around.effects.push_back(Effect::CloseNotifications);
        left.extend(held.questions.drain(..).flat_map(|question| question.views.keys()));
        held.told.clear();
        (held.sheet, held.unseen) = (None, 0);
    }
    let kept = around.preferences.questions.split_first().map(|(of, texts)| (of.clone(), texts.to_vec()));
    let Some((of, texts)) = kept else { return left };
    if of != asker {
        // What this tab asks goes on in it alone.
        if !texts.is_empty() {
            keep(Box::default(), false, around);
        }
        return left;
    }
    let now_ms = around.now.now_ms;
    for question in &mut held.questions {
        let is_gone = question.kept.as_ref().is_some_and(|kept| !texts.contains(kept));
        question.gone_ms = is_gone.then(|| question.gone_ms.unwrap_or(now_ms));
    }
    let is_over = |question: &mut Question| {
        question.gone_ms.is_some_and(|since_ms| now_ms.saturating_sub(since_ms) >= GONE_MS)
    };
    left.extend(held.questions.extract_if(.., is_over).flat_map(|question| question.views.keys()));
    let former = std::mem::take(&mut held.waiting);
    for text in texts {
        if held.questions.iter().any(|question| question.kept.as_ref() == Some(&text)) {
            continue;
        }
        let number = former.iter().find(|(_, waiting)| *waiting == text).map(|(number, _)| *number);
        let number = number.unwrap_or_else(|| {
            held.last_number += 1;
            held.last_number
        });
        match kept::read(&text, around.client) {
            Ok(Some((subject, draft))) => {
                if let Ok(meaning) = draft.read() {
                    let asked = (subject, draft, meaning);
                    held.questions.push(Question::ask(number, asked, Some(text), around));
                }
            }
            Ok(None) => held.waiting.push((number, text)),
            Err(kept::Unreadable) => keep(text, false, around),
        }
    }
    left
}

fn look(held: &mut TellMe, around: &mut Around<'_>) -> Vec<ViewKey> {
    let mut told = Vec::new();
    let mut ended = Vec::new();
    let mut has_sound = false;
    let mut left = Vec::new();
    let mut questions = std::mem::take(&mut held.questions);
    for question in &mut questions {
        left.extend(question.views.follow(&question.subject, around.client, around.now));
        let entries = question.look(around);
        if !entries.is_empty() {
            has_sound |= question.draft.has_sound;
            ended.extend((!question.draft.repeats).then_some(question.number));
        }
        told.extend(entries);
    }
    held.questions = questions;
    if has_sound {
        around.effects.push_back(Effect::Sound);
    }
    tell(held, told, around);
    left.extend(ended.into_iter().flat_map(|number| remove(held, number, around)));
    left
}

fn tell(held: &mut TellMe, entries: Vec<ToldEntry>, around: &mut Around<'_>) {
    if entries.is_empty() {
        return;
    }
    if held.sheet.is_none() {
        held.unseen += entries.len();
    }
    if held.may_notify == MayNotify::Yes {
        for entry in &entries {
            let (text, href) = (entry.text.clone(), entry.href.clone());
            around.effects.push_back(Effect::Notify { text, href });
        }
    }
    for entry in entries {
        held.told.push_front(entry);
    }
    held.told.truncate(TOLD_MAX);
}

impl Question {
    /// Opens its view.
    fn ask(
        number: u32,
        (subject, draft, meaning): (Subject, Draft, Meaning),
        kept: Option<Box<str>>,
        around: &mut Around<'_>,
    ) -> Self {
        let columns = match &meaning.form {
            Form::Cell { column, .. } | Form::Rollout(column) => column.clone(),
            Form::Filter(_) | Form::Created | Form::Deleted | Form::Changes => CustomColumns::default(),
        };
        let views = Views::open(&subject, columns, around.client, around.now);
        let (watcher, known, unknown_since_ms) = (Watcher::default(), None, None);
        let rollouts = BTreeMap::new();
        let asked_ms = around.now.now_ms;
        Self {
            number,
            subject,
            draft,
            meaning,
            views,
            asked_ms,
            gone_ms: None,
            kept,
            watcher,
            known,
            rollouts,
            unknown_since_ms,
        }
    }

    /// Only a proven state answers.
    fn look(&mut self, around: &Around<'_>) -> Vec<ToldEntry> {
        let now_ms = around.now.now_ms;
        let shown = match self.views.proven(around.client, now_ms) {
            Ok(shown) => shown,
            Err(since_ms) => {
                self.unknown_since_ms.get_or_insert(since_ms);
                return Vec::new();
            }
        };
        self.unknown_since_ms = None;
        let seen: Vec<Seen> = shown.iter().flat_map(|shown| self.seen(shown.view, now_ms)).collect();
        let asked = (self.which(), self.meaning.hold_ms, self.subject.is_single);
        let told = self.watcher.look(&seen, asked, now_ms);
        let entries: Vec<ToldEntry> = told.iter().map(|of| self.entry(*of, &shown, around)).collect();
        for id in told.into_iter().flatten() {
            shown.iter().for_each(|shown| self.note_told(id, shown.view.table()));
        }
        if entries.len() > TOLD_APART_MAX { vec![self.together(entries)] } else { entries }
    }

    fn which(&self) -> Which {
        if self.subject.is_single { Which::Any } else { self.draft.which }
    }

    fn seen(&mut self, view: &View, now_ms: UnixMillis) -> Vec<Seen> {
        let table = view.table();
        let rows = || table.rows().map(|row| (row.id, Known::of(row, table)));
        // What is so of a row alone is compared with no other time.
        let compares = matches!(self.meaning.form, Form::Created | Form::Deleted | Form::Changes);
        let known = self.known.get_or_insert_with(|| rows().filter(|_| compares).collect());
        let standing = |holds: bool| if holds { Standing::So } else { Standing::Not };
        let seen = |row: &Row, holds: bool| Seen { id: row.id, standing: standing(holds) };
        match &self.meaning.form {
            Form::Filter(text) => {
                let mut filter = Filter::parse(text);
                filter.bind(table.columns(), None);
                let now = view.cluster_now_s(now_ms, None);
                let rows = table.iter().filter(|(_, entry)| !entry.is_tombstone());
                let seen = |entry: &Entry| Seen { id: entry.row().id, standing: filter.standing(entry, now) };
                rows.map(|(_, entry)| seen(entry)).collect()
            }
            Form::Cell { value, .. } => {
                table.rows().map(|row| seen(row, is_cell(row.cells.last(), value.as_deref()))).collect()
            }
            Form::Rollout(_) => {
                let mut is_over = |of: Workload, row: &Row| {
                    self.rollouts.entry(row.id).or_default().see(of, &rollout_texts(row)).is_over()
                };
                let workload = workload(&self.subject);
                let seen = |row: &Row| Some(seen(row, is_over(workload?, row)));
                table.rows().filter_map(seen).collect()
            }
            Form::Created => table.rows().map(|row| seen(row, !known.contains_key(&row.id))).collect(),
            Form::Deleted => {
                let is_there = |id: &RowId| table.slot_of(*id).and_then(|slot| table.entry(slot));
                let is_gone = |id: &RowId| is_there(id).is_none_or(|entry| entry.is_tombstone());
                for row in table.rows() {
                    known.entry(row.id).or_insert_with(|| Known::of(row, table));
                }
                known.keys().map(|id| Seen { id: *id, standing: standing(is_gone(id)) }).collect()
            }
            Form::Changes => {
                let has_changed =
                    |row: &Row| known.get(&row.id).is_some_and(|known| known.version != row.resource_version);
                let all = table.rows().map(|row| seen(row, has_changed(row))).collect();
                for row in table.rows() {
                    known.entry(row.id).or_insert_with(|| Known::of(row, table));
                }
                all
            }
        }
    }

    /// What was told of an object is known from now on.
    fn note_told(&mut self, id: RowId, table: &Table) {
        let row = table.slot_of(id).and_then(|slot| table.entry(slot)).map(|entry| entry.row());
        if let (Some(known), Some(row), Form::Changes) = (&mut self.known, row, &self.meaning.form) {
            known.insert(id, Known::of(row, table));
        }
    }

    fn entry(&self, of: Option<RowId>, shown: &[Shown<'_>], around: &Around<'_>) -> ToldEntry {
        let now_ms = around.now.now_ms;
        let found = of.and_then(|id| shown.iter().find_map(|shown| Some((shown, shown.row(id)?))));
        let of_row =
            found.map(|(shown, row)| Known::of(row, shown.view.table()).of_kind(shown.kind.as_deref()));
        let object = of_row.as_ref().or(of.and_then(|id| self.known.as_ref()?.get(&id)));
        let panel = object.and_then(|object| object.panel.as_ref()).filter(|_| !self.subject.is_single);
        let href = panel.and_then(|panel| link_of_object(&self.subject.link, panel));
        let said = match (&object, self.subject.is_single) {
            (Some(object), false) => format!("{}, of {}", object.said, self.subject.said),
            _ => match self.which() {
                Which::Any => self.subject.said.clone(),
                which => format!("{} of {}", which.word(), self.subject.said),
            },
        };
        let why = |row: &Row| match (&self.meaning.form, workload(&self.subject)) {
            (Form::Rollout(_), Some(of)) => Some(of.rollout(&rollout_texts(row)).word().to_owned()),
            _ => Some(row.health()?.reason.to_string()),
        };
        let why = found.and_then(|(_, row)| why(row)).unwrap_or_default();
        let proofs = found.map_or(shown, |(shown, _)| std::slice::from_ref(shown)).iter();
        let proven_ms = proofs.filter_map(Shown::proven_ms).min().unwrap_or(now_ms);
        let version = match (found, shown) {
            (Some((_, row)), _) => row.resource_version.to_string(),
            (None, [only]) => {
                let token = only.view.table().token();
                token.map(|token| token.resource_version.to_string()).unwrap_or_default()
            }
            (None, _) => String::new(),
        };
        ToldEntry {
            at_ms: now_ms,
            text: words::told(&said, self.draft.form.trim(), &why),
            proof: words::proof(&version, &messages::instant(proven_ms, now_ms, around.zone)),
            href: href.or_else(|| Some(self.subject.href.clone())),
        }
    }

    /// Many at once are one.
    fn together(&self, mut entries: Vec<ToldEntry>) -> ToldEntry {
        let number = entries.len();
        let last = entries.remove(0);
        let text =
            format!("{} of {}: {}", messages::count(number), self.subject.said, self.draft.form.trim());
        ToldEntry { text, href: Some(self.subject.href.clone()), ..last }
    }

    fn line(&self, now_ms: UnixMillis, zone: Zone) -> QuestionLine {
        let Draft { form, hold, repeats, has_sound, .. } = &self.draft;
        let of = (self.which().word(), self.subject.is_single);
        let (state, class) = match self.unknown_since_ms {
            Some(ms) => (words::unknown_since(&messages::instant(ms, now_ms, zone)), Class::Unknown),
            None => (words::waiting_since(&messages::instant(self.asked_ms, now_ms, zone)), Class::Busy),
        };
        let how = (*repeats, *has_sound);
        let mut text = words::question(&self.subject.said, of, form.trim(), hold.trim(), how);
        if self.kept.is_none() {
            text.push_str(words::OF_THIS_TAB);
        }
        // A reader who opens the link decides about noise.
        let draft = Draft { has_sound: false, ..self.draft.clone() };
        let link = linked::with(&self.subject.link, &draft, self.subject.is_single);
        QuestionLine { number: self.number, text, state, class, link }
    }
}

impl Known {
    fn of(row: &Row, table: &Table) -> Self {
        let panel = PanelPlace::of_row(row, table);
        Self { said: said(row, table), panel, version: row.resource_version.clone() }
    }

    /// `Pod web-1 in shop`: of many kinds.
    fn of_kind(self, kind: Option<&Kind>) -> Self {
        let Some(kind) = kind else { return self };
        let resource = Some(kind.resource.to_string().into());
        let panel = self.panel.map(|panel| PanelPlace { resource, ..panel });
        Self { said: format!("{} {}", kind.kind, self.said), panel, ..self }
    }
}

/// `web-1 in shop`, and in a view of several clusters `web-1 in shop, prod`.
fn said(row: &Row, table: &Table) -> String {
    let said = match row.place() {
        (Some(namespace), name) => format!("{name} in {namespace}"),
        (None, name) => name.to_owned(),
    };
    match table.cluster_of(row) {
        Some(cluster) => messages::of_cluster(&said, cluster),
        None => said,
    }
}

/// Without a value: something is there. A condition's words are compared as kubectl compares them.
fn is_cell(cell: Option<&Cell>, value: Option<&str>) -> bool {
    let text = cell.map(|cell| cell.print(0)).unwrap_or_default();
    let is_there = !text.is_empty() && text != "<none>";
    is_there && value.is_none_or(|value| text.eq_ignore_ascii_case(value))
}

fn picks_of(subject: &Subject) -> &'static [Pick] {
    match &subject.asked {
        Asked::Wrong(_) => picks::WRONG_PICKS,
        Asked::Rows(_) if workload(subject).is_some() && subject.is_single => picks::WORKLOAD_PICKS,
        Asked::Rows(_) if workload(subject).is_some() => picks::WORKLOADS_PICKS,
        Asked::Rows(_) if subject.is_single => picks::OBJECT_PICKS,
        Asked::Rows(_) => picks::VIEW_PICKS,
    }
}

fn sheet(held: &TellMe, now_ms: UnixMillis, zone: Zone) -> Option<TellSheet> {
    let Sheet { subjects, draft, is_linked, why } = held.sheet.as_ref()?;
    let subject = subjects.get(draft.subject);
    let told = held.told.iter().map(|entry| ToldLine {
        at: messages::instant(entry.at_ms, now_ms, zone),
        text: entry.text.clone(),
        proof: entry.proof.clone(),
        href: entry.href.clone(),
    });
    let waiting = held.waiting.iter().map(|(number, kept)| QuestionLine {
        number: *number,
        text: kept.to_string(),
        state: words::NOT_YET.to_owned(),
        class: Class::Unknown,
        link: kept.to_string(),
    });
    let asked = held.questions.iter().filter(|question| question.gone_ms.is_none());
    let notes = match held.may_notify {
        MayNotify::Yes => "",
        MayNotify::Asks => words::NOT_ASKED,
        MayNotify::No => words::NOT_ALLOWED,
        MayNotify::NotHere => words::NOT_THERE,
    };
    let notes = format!("{} {notes}", words::KEPT);
    Some(TellSheet {
        subjects: subjects.iter().map(|subject| subject.said.clone()).collect(),
        is_single: subject.is_some_and(|subject| subject.is_single),
        picks: subject.map_or(&[], picks_of),
        draft: draft.clone(),
        is_linked: *is_linked,
        why: why.clone(),
        questions: asked.map(|question| question.line(now_ms, zone)).chain(waiting).collect(),
        told: told.collect(),
        notes: notes.trim_end().to_owned(),
        can_ask: held.may_notify == MayNotify::Asks,
    })
}
