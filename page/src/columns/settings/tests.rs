//! Columns that are chosen, kept, linked, and read from strange links.

use proptest::prelude::*;

use super::*;
use replica::testing::column;

fn columns() -> Vec<Column> {
    let name = Column { format: "name".into(), ..column("Name") };
    let wide = Column { priority: 1, ..column("Nominated Node") };
    let own = CustomColumn::parse("IMAGE", ".spec.containers[*].image").expect("valid").column();
    vec![name, column("Status"), column("Age"), wide, own]
}

/// Without the wide column.
const SERVED: &[Source] = &[Source::Namespace, Source::Cell(0), Source::Cell(1), Source::Cell(2)];

fn available(columns: &[Column]) -> AvailableColumns<'_> {
    AvailableColumns { columns, served: SERVED, with_namespace: true }
}

fn linked(cols: &str) -> ColumnSettings {
    let (cols, problems) = ChosenColumns::parse(cols);
    assert_eq!(problems, []);
    ColumnSettings::of(cols.as_ref(), "")
}

fn shown(settings: &ColumnSettings) -> String {
    settings.shown(available(&columns())).into_iter().map(|placed| placed.key).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_link_says_which_columns_in_which_order() {
    let settings = linked("age,name,IMAGE:.spec.containers[*].image,gone");
    assert_eq!(shown(&settings), "age name image");
    assert_eq!(
        settings.own().iter().map(CustomColumn::path).collect::<Vec<_>>(),
        [".spec.containers[*].image"]
    );
    let entries = settings.entries(available(&columns()));
    let listed: Vec<(&str, bool)> = entries.iter().map(|entry| (&*entry.key, entry.is_shown)).collect();
    assert_eq!(
        listed,
        [
            ("age", true),
            ("name", true),
            ("image", true),
            ("namespace", false),
            ("status", false),
            ("nominated-node", false)
        ]
    );
}

#[test]
fn a_custom_column_is_hidden_shown_again_and_forgotten() {
    let columns = columns();
    let available = available(&columns);
    let mut settings = ColumnSettings::default();
    settings.add(" IMAGE : .spec.containers[*].image", available).expect("a column");
    settings.toggle("image", available);
    assert_eq!((shown(&settings).as_str(), settings.own().is_empty()), ("namespace name status age", true));
    settings.toggle("image", available);
    assert_eq!(shown(&settings), "namespace name status age image");
    settings.forget("image", available);
    assert!(settings.entries(available).iter().all(|entry| !entry.is_own));
}

#[test]
fn a_column_that_cannot_be_had_is_refused_in_words() {
    let columns = columns();
    let mut settings = ColumnSettings::default();
    for (written, words) in [
        ("IMAGE", "NAME:PATH is expected"),
        ("Status:.a", "there is a column Status already"),
        ("IMAGE:.a[x]", "invalid array index x at character 4"),
    ] {
        let said = settings.add(written, available(&columns)).expect_err(written);
        assert!(said.contains(words), "{written}: {said}");
    }
    assert_eq!(settings, ColumnSettings::default());
}

#[test]
fn what_is_kept_comes_back_and_the_link_wins() {
    let columns = columns();
    let mut settings = linked("name,IMAGE:.spec.containers[*].image,age");
    settings.set_width("name", Some(300));
    settings.set_width("age", Some(1));
    settings.set_width("nominated-node", Some(60_000));
    let kept = settings.to_keep();
    assert_eq!(ColumnSettings::of(None, &kept), settings);
    let (link, _) = ChosenColumns::parse("status");
    let merged = ColumnSettings::of(link.as_ref(), &kept);
    assert_eq!(shown(&merged), "name status", "NAME is always there");
    assert!(merged.entries(available(&columns)).iter().any(|entry| entry.key == "image" && !entry.is_shown));
    let placed = settings.shown(available(&columns));
    let widths: Vec<Option<u16>> = placed.into_iter().map(|placed| placed.width_px).collect();
    assert_eq!(widths, [Some(300), None, Some(COLUMN_PX_MIN)]);
    assert_eq!(ColumnSettings::default().to_keep(), "");
}

#[test]
fn what_a_link_cannot_say_is_named_and_the_rest_is_used() {
    let (cols, problems) = ChosenColumns::parse("name,A:.x[,status,name,B:.y");
    assert_eq!(cols.map(|cols| cols.to_string()).as_deref(), Some("name"), "an open bracket takes the rest");
    assert_eq!(problems.len(), 1, "{problems:?}");
    let (cols, problems) = ChosenColumns::parse("name,A:.x[z],name,B:.y");
    assert_eq!(cols.map(|cols| cols.to_string()).as_deref(), Some("name,B:.y"));
    assert_eq!(problems.len(), 2, "{problems:?}");
    let (cols, problems) = ChosenColumns::parse(&"a,".repeat(5_000));
    assert!(cols.is_none() && problems.len() == 1, "{problems:?}");
    let many: Vec<String> = (0..300).map(|number| format!("c{number}")).collect();
    let (cols, problems) = ChosenColumns::parse(&many.join(","));
    assert_eq!((cols.map_or(0, |cols| cols.iter().count()), problems.len()), (256, 1));
}

proptest! {
    #[test]
    fn whatever_is_read_is_written_and_read_again_alike(text in "[a-cA-C:,.\\\\\\[\\]'=*0 ü-]{0,40}") {
        let (cols, _) = ChosenColumns::parse(&text);
        if let Some(cols) = cols {
            let (again, problems) = ChosenColumns::parse(&cols.to_string());
            prop_assert_eq!(problems, vec![]);
            prop_assert_eq!(again, Some(cols));
        }
        let settings = ColumnSettings::of(None, &text.replace('0', "\n"));
        prop_assert_eq!(ColumnSettings::of(None, &settings.to_keep()), settings);
    }
}
