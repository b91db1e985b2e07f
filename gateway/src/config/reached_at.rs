//! Where people reach the gateway: an origin, and the path below it.

use shared::problem::Problem;

use super::wrong;
use crate::address::BasePath;
use crate::address::origin::Origin;

/// What `--public-url` and `--base-path` say together. The path may stand in either; where it stands in both it is one
/// path.
pub(super) fn reached_at(
    public_url: Option<&str>,
    base_path: Option<&str>,
) -> Result<(Option<Origin>, BasePath), Problem> {
    let base_path = base_path.map(|text| path("--base-path", text)).transpose()?;
    let Some(url) = public_url else { return Ok((None, base_path.unwrap_or_default())) };
    let (public, of_url) = split(url)?;
    match base_path {
        Some(base) if !of_url.is_root() && base != of_url => Err(wrong(format!(
            "--base-path {:?} isn't the path of --public-url {url}; leave one of them out, for a reverse proxy passes the path as it is",
            base.as_str()
        ))),
        Some(base) => Ok((Some(public), base)),
        None => Ok((Some(public), of_url)),
    }
}

fn split(url: &str) -> Result<(Origin, BasePath), Problem> {
    let after_scheme = url.find("://").map_or(0, |at| at + "://".len());
    let path_at = url.get(after_scheme..).and_then(|rest| rest.find('/')).map(|at| after_scheme + at);
    let (start, rest) = path_at.and_then(|at| url.split_at_checked(at)).unwrap_or((url, ""));
    Ok((origin("--public-url", start)?, path("--public-url", rest)?))
}

fn path(flag: &str, text: &str) -> Result<BasePath, Problem> {
    BasePath::parse(text).ok_or_else(|| {
        wrong(format!(
            "{flag}: {text:?} is not a path that a gateway can be served below; one begins with a slash and has letters, \
             digits, -, _, . and ~, such as /dogwatch"
        ))
    })
}

pub(super) fn origin(flag: &str, text: &str) -> Result<Origin, Problem> {
    // A page's address may end in a slash; an origin has no path.
    Origin::parse(text.strip_suffix('/').unwrap_or(text)).ok_or_else(|| {
        wrong(format!(
            "{flag} {text} is not an origin: scheme, host in lower case and, where it isn't the scheme's own, \
             a port, such as https://dogwatch.example"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(public_url: &str, base_path: &str) -> Result<String, String> {
        let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let (public_url, base_path) = (public_url.to_owned().leak(), base_path.to_owned().leak());
        let (origin, base) =
            reached_at(given(public_url), given(base_path)).map_err(|problem| problem.message)?;
        Ok(format!("{}{}", origin.map_or_else(String::new, |origin| origin.to_string()), base.as_str()))
    }

    #[test]
    fn the_path_stands_in_the_public_url_or_beside_it() {
        let at_portal = Ok("https://portal.example/dogwatch".to_owned());
        for (public_url, base_path) in [
            ("https://portal.example/dogwatch", ""),
            ("https://portal.example/dogwatch/", ""),
            ("https://portal.example", "/dogwatch"),
            ("https://portal.example/", "/dogwatch/"),
            ("https://portal.example/dogwatch", "/dogwatch"),
        ] {
            assert_eq!(reached(public_url, base_path), at_portal, "{public_url} {base_path}");
        }
        assert_eq!(reached("", "/dogwatch"), Ok("/dogwatch".to_owned()));
        assert_eq!(reached("https://portal.example/", ""), Ok("https://portal.example".to_owned()));
    }

    #[test]
    fn what_does_not_fit_together_or_is_no_path_is_named() {
        for (public_url, base_path, words) in [
            ("https://portal.example/a", "/b", "--base-path \"/b\" isn't the path of --public-url"),
            ("https://portal.example/a", "/", "isn't the path"),
            ("https://portal.example/a?b", "", "--public-url: \"/a?b\""),
            ("https://portal.example//", "", "is not a path"),
            ("portal.example/a", "", "--public-url portal.example is not an origin"),
            ("", "dogwatch", "--base-path: \"dogwatch\""),
            ("", "/../a", "such as /dogwatch"),
        ] {
            let why = reached(public_url, base_path).expect_err(words);
            assert!(why.contains(words), "{why}");
        }
    }
}
