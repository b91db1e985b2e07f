//! A name in three spans: the owner's name, the template's hash, and the unique suffix. They are found by the
//! controller's name and `pod-template-hash`, never guessed from dashes.

use shared::row::Row;

/// The three parts together are the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameParts<'a> {
    pub owner: &'a str,
    /// With its dash; it is cut first if there is no room.
    pub hash: &'a str,
    pub suffix: &'a str,
}

pub fn parts(row: &Row) -> NameParts<'_> {
    let extra = row.extra.as_deref();
    let owner = extra.and_then(|extra| extra.owner.as_ref()).map(|owner| &*owner.name);
    let hash = extra.and_then(|extra| extra.hash.as_deref());
    cut(&row.name, owner, hash)
}

/// A name that no owner gave.
pub fn whole(name: &str) -> NameParts<'_> {
    NameParts { owner: name, hash: "", suffix: "" }
}

/// What may be cut, and the end, which may not: the suffix, else the hash, else the last characters.
pub fn with_end(parts: NameParts<'_>) -> (String, String) {
    let NameParts { owner, hash, suffix } = parts;
    match (hash, suffix) {
        ("", "") => {
            let end = owner.char_indices().rev().nth(END_CHARACTERS - 1).map_or(0, |(at, _)| at);
            let (head, tail) = owner.split_at_checked(end).unwrap_or((owner, ""));
            (head.to_owned(), tail.to_owned())
        }
        (hash, "") => (owner.to_owned(), hash.to_owned()),
        (hash, suffix) => (format!("{owner}{hash}"), suffix.to_owned()),
    }
}

/// The end of a name that has no suffix.
const END_CHARACTERS: usize = 8;

fn cut<'a>(name: &'a str, owner: Option<&str>, hash: Option<&str>) -> NameParts<'a> {
    let Some(owner) = owner.filter(|owner| !owner.is_empty()) else { return whole(name) };
    let Some(behind) = name.strip_prefix(owner).filter(|behind| behind.starts_with('-')) else {
        return whole(name);
    };
    let (head, _) = name.split_at(name.len() - behind.len());
    let dashed = |text: &'a str, hash: &str| {
        text.strip_suffix(hash).and_then(|head| head.strip_suffix('-')).filter(|head| !head.is_empty())
    };
    match hash.filter(|hash| !hash.is_empty()) {
        // A pod: the name of its ReplicaSet ends with the hash.
        Some(hash) if dashed(head, hash).is_some() => {
            let stem = dashed(head, hash).unwrap_or(head);
            NameParts { owner: stem, hash: head.get(stem.len()..).unwrap_or_default(), suffix: behind }
        }
        // A ReplicaSet: the name of its Deployment, then the hash.
        Some(hash) if behind.strip_prefix('-').is_some_and(|rest| follows(rest, hash)) => {
            let (hash, suffix) = behind.split_at_checked(hash.len() + 1).unwrap_or((behind, ""));
            NameParts { owner: head, hash, suffix }
        }
        _ => NameParts { owner: head, hash: "", suffix: behind },
    }
}

fn follows(rest: &str, hash: &str) -> bool {
    rest.strip_prefix(hash).is_some_and(|end| end.is_empty() || end.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_where_its_owner_and_template_say() {
        let hash = Some("5d9f8c7b6");
        for (name, owner, hash, expected) in [
            ("api-5d9f8c7b6-tm4xz", Some("api-5d9f8c7b6"), hash, ["api", "-5d9f8c7b6", "-tm4xz"]),
            ("api-5d9f8c7b6", Some("api"), hash, ["api", "-5d9f8c7b6", ""]),
            ("cart-0", Some("cart"), None, ["cart", "", "-0"]),
            ("backup-2981-x7", Some("backup-2981"), None, ["backup-2981", "", "-x7"]),
            ("api-5d9f8c7b6-tm4xz", None, hash, ["api-5d9f8c7b6-tm4xz", "", ""]),
            ("other", Some("api"), hash, ["other", "", ""]),
            ("apiary", Some("api"), None, ["apiary", "", ""]),
        ] {
            let parts = cut(name, owner, hash);
            assert_eq!([parts.owner, parts.hash, parts.suffix], expected, "{name}");
        }
    }

    #[test]
    fn the_end_of_a_name_is_what_only_it_has() {
        for (parts, head, tail) in [
            (cut("api-5d9f8c7b6-tm4xz", Some("api-5d9f8c7b6"), Some("5d9f8c7b6")), "api-5d9f8c7b6", "-tm4xz"),
            (cut("api-5d9f8c7b6", Some("api"), Some("5d9f8c7b6")), "api", "-5d9f8c7b6"),
            (whole("payments-gateway-eu"), "payments-ga", "teway-eu"),
            (whole("db"), "", "db"),
            (whole(""), "", ""),
        ] {
            assert_eq!(with_end(parts), (head.to_owned(), tail.to_owned()));
        }
    }
}
