//! The names that the style sheets and the sprite have for the model's variants. Never a decision.

use page::model::{Fold, Icon, NoticeKind, PillState, SeenColumn, TextLook};
use page::query::{Reading, Source};
use page::status::Class;
use shared::frame::timeline::EntryType;

pub(crate) fn status(class: Class) -> &'static str {
    match class {
        Class::Ok => "status status-ok",
        Class::Busy => "status status-busy",
        Class::Warn => "status status-warn",
        Class::Bad => "status status-bad",
        Class::Done => "status status-done",
        Class::Idle => "status status-idle",
        Class::Unknown => "status status-unknown",
    }
}

/// The symbol before a status.
pub(crate) fn glyph(class: Class) -> &'static str {
    match class {
        Class::Ok => "#g-ok",
        Class::Busy => "#g-busy",
        Class::Warn => "#g-warn",
        Class::Bad => "#g-bad",
        Class::Done => "#g-done",
        Class::Idle => "#g-idle",
        Class::Unknown => "#g-unknown",
    }
}

pub(crate) fn icon(icon: Icon) -> &'static str {
    match icon {
        Icon::Alert => "#i-alert",
        Icon::Clock => "#i-clock",
        Icon::Filter => "#i-filter",
        Icon::Gap => "#i-gap",
        Icon::Gone => "#i-gone",
        Icon::Lock => "#i-lock",
        Icon::Past => "#i-past",
        Icon::Log => "#i-log",
        Icon::Pause => "#i-pause",
        Icon::Retry => "#i-retry",
    }
}

/// The icon of a pill; `None`: it has a ring.
pub(crate) fn pill_icon(state: PillState) -> Option<Icon> {
    match state {
        PillState::None | PillState::Live | PillState::Syncing => None,
        PillState::Polled => Some(Icon::Clock),
        PillState::Resuming => Some(Icon::Retry),
        PillState::Stale | PillState::Failed => Some(Icon::Alert),
        PillState::Forbidden => Some(Icon::Lock),
        PillState::Gone => Some(Icon::Gone),
        PillState::Paused => Some(Icon::Pause),
        PillState::Past => Some(Icon::Past),
        PillState::Unrecorded => Some(Icon::Gap),
        PillState::Unreadable => Some(Icon::Alert),
    }
}

/// What differs in the pill of a view of the past.
pub(crate) fn pill_form(state: PillState) -> &'static str {
    match state {
        PillState::Unrecorded => " pill-past-off",
        PillState::Unreadable => " pill-past-bad",
        _ => "",
    }
}

pub(crate) fn notice(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Plain => "",
        NoticeKind::Stale => "notice-stale",
        NoticeKind::Bad => "notice-bad",
        NoticeKind::Busy => "notice-busy",
        NoticeKind::Gap | NoticeKind::Withdrawn => "notice-gap",
        NoticeKind::Paused => "notice-paused",
        NoticeKind::Resumed => "notice-resumed",
    }
}

pub(crate) fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Plain => "",
        Reading::Compared => "mark-typed",
        Reading::Unread => "mark-unread",
    }
}

/// The cells of a column.
pub(crate) fn column(column: &SeenColumn) -> String {
    let end = if column.at_end { " td-end" } else { "" };
    let polled = if column.is_polled { " td-polled" } else { "" };
    let fold = column.fold.map_or("", fold);
    match column.source {
        Source::Namespace => format!("td td-ns{fold}"),
        Source::Cell(_) => {
            let name = column.key.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
            format!("td td-{name}{end}{polled}{fold}")
        }
    }
}

/// The place of a cell in a row of two lines.
fn fold(fold: Fold) -> &'static str {
    match fold {
        Fold::BeforeLead => " fold-before",
        Fold::Lead => " fold-lead",
        Fold::End => " fold-end",
        Fold::Status => " fold-status",
        Fold::Cluster => " fold-cluster",
        Fold::Pair => " fold-pair",
        Fold::Rest => " fold-rest",
    }
}

pub(crate) fn text_look(look: TextLook) -> &'static str {
    match look {
        TextLook::Words => "",
        TextLook::Nothing => "td-none",
        TextLook::Identifier => "mono",
        TextLook::NoIdentifier => "mono td-none",
        TextLook::Short => "ready-short",
    }
}

/// The class of an event, and its sign in a diff.
pub(crate) fn event(kind: EntryType) -> (&'static str, &'static str) {
    match kind {
        EntryType::Added => ("ev ev-added", "+"),
        EntryType::Modified => ("ev ev-modified", "~"),
        EntryType::Deleted => ("ev ev-deleted", "−"),
        EntryType::Error => ("ev ev-error", "!"),
        _ => ("ev ev-quiet", ""),
    }
}
