//! Choices that are made, kept, linked and survived.

use proptest::prelude::*;

use super::*;
use replica::testing::column;

fn columns() -> Vec<Column> {
    let name = Column { format: "name".into(), ..column("Name") };
    let wide = Column { priority: 1, ..column("Nominated Node") };
    let own = CustomColumn::parse("IMAGE", ".spec.containers[*].image").expect("valid").column();
    vec![name, column("Status"), column("Age"), wide, own]
}

fn offer(columns: &[Column]) -> Offer<'_> {
    Offer { columns, wide: false, with_namespace: true }
}

fn linked(cols: &str) -> Choice {
    let (cols, problems) = Cols::parse(cols);
    assert_eq!(problems, []);
    Choice::of(cols.as_ref(), "")
}

fn shown(choice: &Choice) -> String {
    choice.shown(offer(&columns())).into_iter().map(|placed| placed.key).collect::<Vec<_>>().join(" ")
}

#[test]
fn without_a_choice_the_servers_columns_stand_in_its_order_and_the_wide_ones_on_a_switch() {
    let (choice, columns) = (Choice::default(), columns());
    assert_eq!(shown(&choice), "namespace name status age");
    assert_eq!(choice.shown(Offer { wide: true, with_namespace: false, columns: &columns }).len(), 4);
    assert_eq!(choice.count(offer(&columns)), (4, 5));
    assert_eq!(choice.cols(), None);
}

#[test]
fn a_link_says_which_columns_in_which_order() {
    let choice = linked("age,name,IMAGE:.spec.containers[*].image,gone");
    assert_eq!(shown(&choice), "age name image");
    assert_eq!(
        choice.own().iter().map(CustomColumn::path).collect::<Vec<_>>(),
        [".spec.containers[*].image"]
    );
    let entries = choice.entries(offer(&columns()));
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
fn columns_are_hidden_moved_added_and_forgotten() {
    let columns = columns();
    let offer = offer(&columns);
    let mut choice = Choice::default();
    choice.toggle("status", offer);
    choice.toggle("name", offer);
    assert_eq!(shown(&choice), "namespace name age", "NAME stays");
    choice.toggle("status", offer);
    choice.move_by("status", -2, offer);
    assert_eq!(shown(&choice), "namespace status name age");
    choice.place("age", 0, offer);
    choice.move_by("age", -1, offer);
    assert_eq!(shown(&choice), "age namespace status name");
    choice.add(" IMAGE : .spec.containers[*].image", offer).expect("a column");
    assert_eq!(
        choice.cols().map(ToString::to_string).as_deref(),
        Some("age,namespace,status,name,IMAGE:.spec.containers[*].image")
    );
    choice.toggle("image", offer);
    assert_eq!((shown(&choice).as_str(), choice.own().is_empty()), ("age namespace status name", true));
    choice.toggle("image", offer);
    assert_eq!(shown(&choice), "age namespace status name image");
    choice.forget("image", offer);
    assert!(choice.entries(offer).iter().all(|entry| entry.path.is_none()));
    choice.reset();
    assert_eq!((shown(&choice).as_str(), choice.cols()), ("namespace name status age", None));
}

#[test]
fn a_column_that_cannot_be_had_is_refused_in_words() {
    let columns = columns();
    let mut choice = Choice::default();
    for (written, words) in [
        ("IMAGE", "NAME:PATH is expected"),
        ("Status:.a", "there is a column Status already"),
        ("IMAGE:.a[x]", "invalid array index x at character 4"),
    ] {
        let said = choice.add(written, offer(&columns)).expect_err(written);
        assert!(said.contains(words), "{written}: {said}");
    }
    assert_eq!(choice, Choice::default());
}

#[test]
fn what_is_kept_comes_back_and_the_link_wins() {
    let columns = columns();
    let mut choice = linked("name,IMAGE:.spec.containers[*].image,age");
    choice.set_width("name", Some(300));
    choice.set_width("age", Some(1));
    choice.set_width("nominated-node", Some(60_000));
    let kept = choice.to_keep();
    assert_eq!(Choice::of(None, &kept), choice);
    let (link, _) = Cols::parse("status");
    let merged = Choice::of(link.as_ref(), &kept);
    assert_eq!(shown(&merged), "status");
    assert!(merged.entries(offer(&columns)).iter().any(|entry| entry.key == "image" && !entry.is_shown));
    let widths: Vec<Option<u16>> = linked_widths(&Choice::of(None, &kept), &columns).into_iter().collect();
    assert_eq!(widths, [Some(300), None, Some(COLUMN_PX_MIN)]);
    assert_eq!(Choice::default().to_keep(), "");
}

fn linked_widths(choice: &Choice, columns: &[Column]) -> Vec<Option<u16>> {
    choice.shown(offer(columns)).into_iter().map(|placed| placed.width_px).collect()
}

#[test]
fn what_a_link_cannot_say_is_named_and_the_rest_is_used() {
    let (cols, problems) = Cols::parse("name,A:.x[,status,name,B:.y");
    assert_eq!(cols.map(|cols| cols.to_string()).as_deref(), Some("name"), "an open bracket takes the rest");
    assert_eq!(problems.len(), 1, "{problems:?}");
    let (cols, problems) = Cols::parse("name,A:.x[z],name,B:.y");
    assert_eq!(cols.map(|cols| cols.to_string()).as_deref(), Some("name,B:.y"));
    assert_eq!(problems.len(), 2, "{problems:?}");
    let (cols, problems) = Cols::parse(&"a,".repeat(COLS_MANY));
    assert!(cols.is_none() && problems.len() == 1, "{problems:?}");
    let many: Vec<String> = (0..300).map(|number| format!("c{number}")).collect();
    let (cols, problems) = Cols::parse(&many.join(","));
    assert_eq!((cols.map_or(0, |cols| cols.iter().count()), problems.len()), (256, 1));
}

const COLS_MANY: usize = 5_000;

proptest! {
    #[test]
    fn whatever_is_read_is_written_and_read_again_alike(text in "[a-cA-C:,.\\\\\\[\\]'=*0 ü-]{0,40}") {
        let (cols, _) = Cols::parse(&text);
        if let Some(cols) = cols {
            let (again, problems) = Cols::parse(&cols.to_string());
            prop_assert_eq!(problems, vec![]);
            prop_assert_eq!(again, Some(cols));
        }
        let choice = Choice::of(None, &text.replace('0', "\n"));
        prop_assert_eq!(Choice::of(None, &choice.to_keep()), choice);
    }
}
