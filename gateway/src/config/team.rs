//! Pinned kinds and boards, which a team's gateway shows on every page, and the kinds of children that it names. Here a link only has to be one of this
//! page; the page decides which views it opens.

use shared::frame::server::Board;
use shared::problem::Problem;

use super::lists::BoardLink;
use super::wrong;
use crate::limits::{BOARD_LINK_BYTES_MAX, BOARDS_MAX, CHILD_KINDS_NAMED_MAX, PINNED_MAX};
use crate::session::Team;

pub(super) fn team(
    pinned: Vec<String>,
    boards: Vec<BoardLink>,
    child_kinds: Vec<String>,
) -> Result<Team, Problem> {
    if pinned.len() > PINNED_MAX {
        return Err(wrong(format!("pinned names {} kinds; it can hold {PINNED_MAX}", pinned.len())));
    }
    if boards.len() > BOARDS_MAX {
        return Err(wrong(format!("boards has {} links; it can hold {BOARDS_MAX}", boards.len())));
    }
    if child_kinds.len() > CHILD_KINDS_NAMED_MAX {
        let names = child_kinds.len();
        return Err(wrong(format!("child-kinds names {names} kinds; it can hold {CHILD_KINDS_NAMED_MAX}")));
    }
    let pinned = pinned.into_iter().map(|name| kind("pinned", name)).collect::<Result<_, _>>()?;
    let children = child_kinds.into_iter().map(|name| kind("child-kinds", name));
    let child_kinds = children.collect::<Result<_, _>>()?;
    let boards = boards.into_iter().map(board).collect::<Result<_, _>>()?;
    Ok(Team { pinned, boards, child_kinds })
}

fn kind(setting: &str, name: String) -> Result<Box<str>, Problem> {
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-');
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err(wrong(format!(
            "{setting}: {name:?} is not the name of a resource, such as pods or deployments.apps"
        )));
    }
    Ok(name.into())
}

fn board(BoardLink { name, link }: BoardLink) -> Result<Board, Problem> {
    let shown = |text: &str| text.chars().take(60).collect::<String>();
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(wrong(format!("boards: {:?} is not a name", shown(&name))));
    }
    // A link that begins with `//host` would lead to another site.
    let is_ours = ["/b?", "/v/", "/log/", "/wrong"].iter().any(|start| link.starts_with(start));
    let is_plain = link.bytes().all(|b| b.is_ascii_graphic());
    if !is_ours || !is_plain || link.len() > BOARD_LINK_BYTES_MAX {
        return Err(wrong(format!(
            "boards: the link of {:?} is not path and query of this page, such as /b?v=pods@prod/shop&v=nodes@prod/-: {:?}",
            shown(&name),
            shown(&link)
        )));
    }
    Ok(Board { name: name.trim().into(), link: link.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(name: &str, link: &str) -> BoardLink {
        BoardLink { name: name.to_owned(), link: link.to_owned() }
    }

    #[test]
    fn a_board_is_a_link_of_this_page() {
        let link = |link: &str| team(Vec::new(), vec![board("On call", link)], Vec::new());
        assert!(link("/b?v=pods@prod/shop&v=nodes@prod/-").is_ok());
        for elsewhere in
            ["//evil.example/b?v=pods", "https://evil.example/", "javascript:alert(1)", "/", "/b?v= x", ""]
        {
            let problem = link(elsewhere).expect_err(elsewhere);
            assert!(problem.message.contains("On call"), "{problem:?}");
        }
        assert!(link(&format!("/b?{}", "v".repeat(BOARD_LINK_BYTES_MAX))).is_err());
    }

    #[test]
    fn boards_and_pins_are_bounded_and_named() {
        assert!(team(Vec::new(), vec![board("x", "/v/pods"); BOARDS_MAX + 1], Vec::new()).is_err());
        assert!(team(vec!["pods".to_owned(); PINNED_MAX + 1], Vec::new(), Vec::new()).is_err());
        assert!(team(vec!["Pods!".to_owned()], Vec::new(), Vec::new()).is_err());
        let of_children = |names: Vec<String>| team(Vec::new(), Vec::new(), names);
        assert!(of_children(vec!["pods".to_owned(); CHILD_KINDS_NAMED_MAX + 1]).is_err());
        let problem = of_children(vec!["Pods!".to_owned()]).expect_err("no resource");
        assert!(problem.message.contains("child-kinds"), "{problem:?}");
        assert!(team(Vec::new(), vec![board(" ", "/v/pods")], Vec::new()).is_err());
    }
}
