//! What each term of a filter matches, and what can't be read.

use super::*;
use replica::testing;

fn matches(filter: &str, key: &str) -> bool {
    let table = testing::table_of(&["Name"], vec![testing::row(1, key, &[])]);
    let entry = table.iter().next().expect("one row").1;
    Filter::parse(filter).matches(entry, 0)
}

#[test]
fn all_terms_hold_and_an_exclamation_mark_denies() {
    for (filter, key, expected) in [
        ("", "shop/cart-0", true),
        ("cart", "shop/cart-0", true),
        ("CART", "shop/Cart-0", true),
        ("cart pay", "shop/cart-0", false),
        ("cart shop", "shop/cart-0", true),
        ("!cart", "shop/cart-0", false),
        ("!pay cart", "shop/cart-0", true),
        ("shop/cart", "shop/cart-0", true),
        ("/^shop/", "shop/cart-0", true),
        ("/cart-[0-9]$/", "shop/cart-0", true),
        ("!/cart-\\d/", "shop/cart-0", false),
        ("/a b/", "shop/cart-0", false),
    ] {
        assert_eq!(matches(filter, key), expected, "{filter} on {key}");
    }
}

#[test]
fn a_term_that_cannot_be_read_says_why_and_is_not_applied() {
    for (filter, word) in [("cart !", "!"), ("cart /a(", "closing"), ("cart /a(/", "regex")] {
        let parsed = Filter::parse(filter);
        let term = parsed.terms().last().expect("two terms");
        let why = term.unread().expect("can't be read");
        assert!(why.contains(word), "{filter}: {why}");
        assert_eq!(filter.get(term.span.clone()), filter.get(5..));
        assert!(matches(filter, "shop/cart-0"), "{filter}");
    }
}

#[test]
fn the_literal_of_a_regex_stands_in_every_match() {
    for (pattern, literal) in [
        ("cart-7+$", "cart-7"),
        ("^Cart.*web?", "cart"),
        ("\\d+-pod", "-pod"),
        ("a|b", ""),
        ("ab{2}", ""),
        ("x*", ""),
        ("(shop)?", ""),
        ("[abc]def", ""),
    ] {
        assert_eq!(literal_of(pattern), literal, "{pattern}");
    }
}

proptest::proptest! {
    #[test]
    fn the_literal_never_rules_a_match_out(pattern in "[a-c0-2.*?+^$-]{1,8}", hay in "[a-c0-2-]{0,12}") {
        if let Ok(regex) = regex(&pattern) {
            proptest::prop_assert!(!regex.is_match(&hay) || contains(&hay, &literal_of(&pattern)));
        }
    }
}

#[test]
fn a_filter_of_any_length_and_any_bytes_is_taken() {
    let long = "ü ".repeat(QUERY_BYTES_MAX);
    let parsed = Filter::parse(&long);
    assert!(parsed.terms().last().is_some_and(|term| term.unread().is_some()));
}
