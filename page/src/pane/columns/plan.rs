//! Which columns stand in a view of some width, and whether a row takes one line or two. Wide columns come by
//! themselves where there is room for all of their cells, and stay while the reader changes nothing; columns
//! without a value leave first. Never a cell.

use super::sizes::{Size, Stage, grown_px, sum_px, widths_px};
use crate::model::{Fold, Layout};
use crate::pane::column::{Column, Look};
use crate::query::Source;
use crate::theme::WideColumns;
use shared::sorted;

/// In a view that is narrower, a row takes two lines.
const FOLDED_PX: f64 = 420.0;
/// A wider view scrolls sideways if its columns have no room; a narrower one folds its rows.
const NARROW_PX: f64 = 800.0;
/// The room that stays free when a wide column comes, so that it isn't cut by the next wider cell.
const RESERVE_PX: f64 = 24.0;

/// A column that may be shown.
pub(super) struct Candidate {
    pub(super) column: Column,
    pub(super) size: Size,
    /// The rows are ordered or filtered by it, so it leaves no view that has room for anything.
    pub(super) is_named: bool,
}

/// What the reader asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked<'a> {
    /// These columns, and no others.
    Chosen,
    Served {
        wide: WideColumns,
        /// The wide columns that came by themselves; `None` while the rows aren't all here.
        came: Option<&'a [Source]>,
        /// Those that came in a view of another width: they come before others, so that columns don't take turns.
        before: &'a [Source],
        /// The cells of a sample are known.
        is_measured: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) layout: Layout,
    pub(super) hides_ago: bool,
}

/// The columns to show.
pub(super) fn choose<'a>(candidates: &'a [Candidate], asked: Asked<'_>, width_px: f64) -> Vec<&'a Candidate> {
    // A reader who chose all columns gets all of them.
    let (wide, came, before, is_measured) = match asked {
        Asked::Chosen | Asked::Served { wide: WideColumns::Wide, .. } => return candidates.iter().collect(),
        Asked::Served { wide, came, before, is_measured } => (wide, came, before, is_measured),
    };
    let sum = |shown: &[(usize, &Candidate)], stage| {
        sum_px(shown.iter().map(|(_, candidate)| &candidate.size), stage)
    };
    let all = candidates.iter().enumerate();
    let mut shown: Vec<(usize, &Candidate)> =
        all.filter(|(_, candidate)| !candidate.column.is_wide || candidate.is_named).collect();
    if is_measured && sum(&shown, Stage::Usual) > width_px {
        shown.retain(|(_, candidate)| candidate.size.says_something() || candidate.is_named);
    }
    // What pods and nodes use isn't the server's, and is in their panels too.
    if sum(&shown, Stage::Usual) > width_px {
        shown.retain(|(_, candidate)| !candidate.column.is_usage || candidate.is_named);
    }
    let may_come = wide == WideColumns::Auto && width_px >= FOLDED_PX;
    let mut in_turn: Vec<(usize, &Candidate)> = candidates.iter().enumerate().filter(|_| may_come).collect();
    sorted::sort_by_key(&mut in_turn, |(_, candidate)| !before.contains(&candidate.column.source));
    for (at, candidate) in in_turn {
        let is_here = came.is_some_and(|came| came.contains(&candidate.column.source));
        if !candidate.column.is_wide
            || candidate.is_named
            || !candidate.size.says_something()
            || !(is_here || is_measured && came.is_none())
        {
            continue;
        }
        shown.push((at, candidate));
        // A column that came stays until another one would have to be cut for it.
        let (stage, reserve_px) = if is_here { (Stage::Usual, 0.0) } else { (Stage::Whole, RESERVE_PX) };
        if sum(&shown, stage) + reserve_px > width_px {
            shown.pop();
        }
    }
    sorted::sort_by_key(&mut shown, |(at, _)| *at);
    shown.into_iter().map(|(_, candidate)| candidate).collect()
}

impl Plan {
    pub(super) fn of(sizes: &[&Size], width_px: f64) -> Self {
        let sum = |stage| sum_px(sizes.iter().copied(), stage);
        let layout = match sum(Stage::Titles) <= width_px {
            _ if width_px < FOLDED_PX => Layout::Folded,
            true => Layout::Flat,
            false if width_px <= NARROW_PX => Layout::Folded,
            false => Layout::Across,
        };
        let hides_ago = match layout {
            Layout::Across => false,
            Layout::Flat => sum(Stage::Usual) > width_px,
            Layout::Folded => true,
        };
        Self { layout, hides_ago }
    }

    pub(super) fn widths_px(self, sizes: &[&Size], width_px: f64) -> Vec<f64> {
        match self.layout {
            Layout::Across => sizes.iter().map(|size| size.at(Stage::Usual)).collect(),
            Layout::Flat | Layout::Folded => widths_px(sizes, width_px),
        }
    }

    /// The same widths as before, unless content needs more. `None`: it needs another plan.
    pub(super) fn grown_px(self, held: &[f64], sizes: &[&Size], width_px: f64) -> Option<Vec<f64>> {
        match self.layout {
            Layout::Across => grown_px(held, sizes, Stage::Usual, f64::INFINITY),
            Layout::Folded => Some(held.to_vec()),
            Layout::Flat if self.hides_ago => grown_px(held, sizes, Stage::WithoutAgo, width_px),
            Layout::Flat => grown_px(held, sizes, Stage::Whole, width_px),
        }
    }
}

/// The column that takes the rest of the width: the message of an Event, else text that stands last, after which no eye
/// has to cross a gap. Never one to which the reader gave a width.
pub(super) fn rest(columns: &[Column]) -> Option<usize> {
    let at = message(columns).or_else(|| columns.len().checked_sub(1))?;
    let column = columns.get(at)?;
    let is_text = !column.at_end && matches!(column.look, Look::Words | Look::Identifier);
    (is_text && column.width_px.is_none()).then_some(at)
}

/// Only Events have a reason, too.
fn message(columns: &[Column]) -> Option<usize> {
    let keyed = |key: &str| columns.iter().position(|column| *column.key == *key);
    keyed("reason").and(keyed("message"))
}

/// Where the cells of a row in two lines stand: the object's name leads, of an Event the object that it is about, else the
/// widest words.
pub(super) fn fold(columns: &mut [Column], sizes: &[&Size]) {
    let at = |wanted: &dyn Fn(&Column) -> bool| columns.iter().position(wanted);
    let widest = || {
        let words = columns.iter().zip(sizes).enumerate().filter(|(_, (column, _))| {
            !column.at_end && matches!(column.look, Look::Words | Look::Identifier | Look::Address)
        });
        let px = |size: &Size| size.at(Stage::Whole);
        words.max_by(|(_, (_, one)), (_, (_, other))| px(one).total_cmp(&px(other))).map(|(at, _)| at)
    };
    let message = message(columns);
    let object = at(&|column| &*column.key == "object").filter(|_| message.is_some());
    let lead = at(&|column| column.look == Look::Name).or(object).or_else(widest).unwrap_or_default();
    let end = at(&|column| matches!(&*column.key, "age" | "last-seen"));
    let is_name = object == Some(lead) || columns.get(lead).is_some_and(|column| column.look == Look::Name);
    for (at, column) in columns.iter_mut().enumerate() {
        column.fold = Some(match column.look {
            _ if at == lead => Fold::Lead,
            _ if Some(at) == end => Fold::End,
            Look::Namespace if is_name => Fold::BeforeLead,
            Look::Cluster => Fold::Cluster,
            Look::Status => Fold::Status,
            _ if object == Some(lead) && message == Some(at) => Fold::Rest,
            _ => Fold::Pair,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::columns::font::FontSize;
    use crate::pane::columns::widths::Extents;

    /// A column of cells that are so wide; `+` marks a wide one, and one without a width has no value.
    fn candidate(at: usize, written: &str) -> Candidate {
        let (title, px) = written.split_once(' ').unwrap_or((written, "0"));
        let px: f64 = px.parse().expect("a width");
        let look = match title.trim_start_matches('+') {
            "NAMESPACE" => Look::Namespace,
            "NAME" => Look::Name,
            "STATUS" => Look::Status,
            "RESTARTS" => Look::Count,
            _ => Look::Words,
        };
        let cells = Extents {
            least_px: if look == Look::Words { 0.0 } else { px / 2.0 },
            count_px: px / 2.0,
            usual_px: px,
            most_px: px.max(40.0),
            says_something: px > 0.0,
        };
        let column = Column {
            look,
            is_wide: title.starts_with('+'),
            source: Source::Cell(at),
            ..Column::of_test(title.trim_start_matches('+'))
        };
        let size = Size::of(&column, cells, &FontSize::default(), false);
        Candidate { column, size, is_named: false }
    }

    fn candidates(written: &str) -> Vec<Candidate> {
        written.split(", ").enumerate().map(|(at, written)| candidate(at, written)).collect()
    }

    const PODS: &str =
        "NAMESPACE 80, NAME 240, READY 30, STATUS 120, RESTARTS 90, AGE 30, +IP 90, +NODE 80, +GATES";

    fn titles(candidates: &[Candidate], asked: Asked<'_>, width_px: f64) -> String {
        let shown = choose(candidates, asked, width_px);
        shown.iter().map(|candidate| candidate.column.title.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn wide_columns_come_where_nothing_is_cut_for_them_and_stay_while_the_reader_changes_nothing() {
        let candidates = candidates(PODS);
        let narrow = "NAMESPACE NAME READY STATUS RESTARTS AGE";
        let served =
            |wide, came, is_measured| Asked::Served { wide, came, before: &[Source::Cell(7)], is_measured };
        let (both, ip) = ([Source::Cell(6), Source::Cell(7)], [Source::Cell(6)]);
        let first = |before| Asked::Served { wide: WideColumns::Auto, came: None, before, is_measured: true };
        for (asked, width_px, expected) in [
            (served(WideColumns::Auto, None, true), 2_000.0, format!("{narrow} IP NODE")),
            (served(WideColumns::Auto, None, false), 2_000.0, narrow.to_owned()),
            (served(WideColumns::Auto, None, true), 960.0, format!("{narrow} NODE")),
            (first(&[]), 960.0, format!("{narrow} IP")),
            (served(WideColumns::Auto, None, true), 800.0, narrow.to_owned()),
            (served(WideColumns::Auto, Some(&ip), true), 2_000.0, format!("{narrow} IP")),
            (served(WideColumns::Auto, Some(&both), true), 840.0, format!("{narrow} NODE")),
            (served(WideColumns::Narrow, None, true), 2_000.0, narrow.to_owned()),
            (served(WideColumns::Wide, None, true), 2_000.0, format!("{narrow} IP NODE GATES")),
            (served(WideColumns::Wide, None, true), 700.0, format!("{narrow} IP NODE GATES")),
            (Asked::Chosen, 300.0, format!("{narrow} IP NODE GATES")),
        ] {
            assert_eq!(titles(&candidates, asked, width_px), expected, "{asked:?} {width_px}");
        }
    }

    #[test]
    fn what_the_rows_are_ordered_or_filtered_by_stays_where_others_give_way() {
        let mut candidates = candidates("NAME 240, READY, STATUS 120, MEM 60, CPU 60, +NODE 80");
        for at in [3, 4] {
            candidates[at].column.is_usage = true;
        }
        let narrow = Asked::Served { wide: WideColumns::Auto, came: None, before: &[], is_measured: true };
        assert_eq!(titles(&candidates, narrow, 450.0), "NAME STATUS");
        for at in [1, 3, 5] {
            candidates[at].is_named = true;
        }
        assert_eq!(titles(&candidates, narrow, 450.0), "NAME READY STATUS MEM NODE");
    }

    #[test]
    fn a_row_takes_two_lines_where_its_columns_have_no_room() {
        let candidates = candidates(PODS);
        let sizes: Vec<&Size> = candidates[..6].iter().map(|candidate| &candidate.size).collect();
        let of = |width_px| {
            let plan = Plan::of(&sizes, width_px);
            (plan.layout, plan.hides_ago)
        };
        assert_eq!(of(1_200.0), (Layout::Flat, false));
        assert_eq!(of(680.0), (Layout::Flat, true));
        assert_eq!(of(430.0), (Layout::Folded, true));
        let few: Vec<&Size> = sizes[1..3].to_vec();
        assert_eq!(
            [Plan::of(&few, 430.0).layout, Plan::of(&few, 410.0).layout],
            [Layout::Flat, Layout::Folded]
        );
        let many: Vec<&Size> = candidates.iter().cycle().take(40).map(|candidate| &candidate.size).collect();
        assert_eq!(Plan::of(&many, 1_000.0).layout, Layout::Across);
    }

    #[test]
    fn text_that_stands_last_takes_the_rest_of_the_width_and_so_does_the_message_of_an_event() {
        let rest_of = |written: &str| {
            let columns: Vec<Column> = candidates(written).into_iter().map(|it| it.column).collect();
            rest(&columns).map(|at| columns[at].title.clone())
        };
        for (written, expected) in [
            ("NAMESPACE 80, NAME 240, STATUS 80, NODE 90", Some("NODE")),
            ("NAMESPACE 80, NAME 240, HOLDER 90, STATUS 80", None),
            ("TYPE 60, REASON 60, MESSAGE 700, RESTARTS 20", Some("MESSAGE")),
            ("TYPE 60, MESSAGE 700, RESTARTS 20", None),
        ] {
            assert_eq!(rest_of(written).as_deref(), expected, "{written}");
        }
        let mut dragged = candidates("NAME 240, NODE 90").into_iter().map(|it| it.column).collect::<Vec<_>>();
        dragged[1].width_px = Some(50);
        assert_eq!(rest(&dragged), None, "its reader gave it a width");
    }

    #[test]
    fn what_leads_a_row_in_two_lines_is_its_name_or_its_widest_words() {
        for (written, expected) in [
            ("NAMESPACE 80, NAME 240, STATUS 80, AGE 30", "BeforeLead Lead Status End"),
            ("NAMESPACE 80, AGE 30, REASON 60, MESSAGE 700", "Pair End Pair Lead"),
            (
                "NAMESPACE 80, AGE 30, STATUS 60, REASON 60, OBJECT 90, MESSAGE 700",
                "BeforeLead End Status Pair Lead Rest",
            ),
            ("A 10", "Lead"),
        ] {
            let candidates = candidates(written);
            let sizes: Vec<&Size> = candidates.iter().map(|candidate| &candidate.size).collect();
            let mut columns: Vec<Column> =
                candidates.iter().map(|candidate| candidate.column.clone()).collect();
            fold(&mut columns, &sizes);
            let places = columns.iter().flat_map(|column| column.fold).map(|fold| format!("{fold:?}"));
            assert_eq!(places.collect::<Vec<_>>().join(" "), expected, "{written}");
        }
    }
}
