//! The cookies of a login: the session, in several parts where a browser wouldn't keep it in one, and one for each
//! login that was begun. Over https their names bind them to this host alone (`__Host-`), and no script reads them. A
//! browser keeps such cookies of `http://localhost` only partly, so there they have a plain name with the port.

use http::{HeaderMap, HeaderValue, header};

use crate::limits::{COOKIE_PART_BYTES_MAX, COOKIE_PARTS_MAX, LOGINS_BEGUN_MAX};

pub(super) struct Cookies {
    base: String,
    attributes: String,
}

/// The characters of a login's state that name its cookie.
const STATE_CHARACTERS: usize = 8;

impl Cookies {
    /// `public_url`: scheme, host, port and base path.
    pub(super) fn of(public_url: &str) -> Self {
        let (scheme, rest) = public_url.split_once("://").unwrap_or(("http", public_url));
        let (authority, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let attributes = format!("Path={path}; HttpOnly; SameSite=Lax");
        if scheme == "https" {
            // `__Host-` is for cookies of the whole host.
            let base = if path == "/" { "__Host-dogwatch" } else { "__Secure-dogwatch" };
            return Self { base: base.to_owned(), attributes: attributes + "; Secure" };
        }
        let (_, port) = authority.rsplit_once(':').unwrap_or((authority, "80"));
        Self { base: format!("dogwatch-{port}"), attributes }
    }

    pub(super) fn session(&self, headers: &HeaderMap) -> Option<String> {
        let (count, first) = one(headers, &self.base)?.split_once('.')?;
        let count: usize = count.parse().ok().filter(|count| (1..=COOKIE_PARTS_MAX).contains(count))?;
        let mut whole = first.to_owned();
        for number in 1..count {
            whole.push_str(one(headers, &self.part(number))?);
        }
        Some(whole)
    }

    /// The parts, and the end of those that `had` has besides. `None`: it is too long for a browser.
    pub(super) fn set_session(&self, value: &str, had: &HeaderMap, seconds: i64) -> Option<Vec<HeaderValue>> {
        // What is sealed is ASCII.
        let parts: Vec<&str> = value
            .as_bytes()
            .chunks(COOKIE_PART_BYTES_MAX)
            .filter_map(|part| std::str::from_utf8(part).ok())
            .collect();
        if parts.len() > COOKIE_PARTS_MAX {
            return None;
        }
        let mut set = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let text = if number == 0 { format!("{}.{part}", parts.len()) } else { (*part).to_owned() };
            set.push(self.set(&self.part(number), &text, seconds)?);
        }
        set.extend(self.ended(had, parts.len()));
        Some(set)
    }

    pub(super) fn clear_session(&self, had: &HeaderMap) -> Vec<HeaderValue> {
        self.ended(had, 0)
    }

    pub(super) fn login(&self, headers: &HeaderMap, state: &str) -> Option<String> {
        one(headers, &self.of_login(state)?).map(str::to_owned)
    }

    /// One more login that was begun; beyond a few the browser forgets the others.
    pub(super) fn set_login(
        &self,
        state: &str,
        value: &str,
        had: &HeaderMap,
        seconds: i64,
    ) -> Option<Vec<HeaderValue>> {
        let mut set = vec![self.set(&self.of_login(state)?, value, seconds)?];
        let prefix = format!("{}-login-", self.base);
        let begun = pairs(had).filter(|(name, _)| name.starts_with(&prefix));
        set.extend(begun.skip(LOGINS_BEGUN_MAX - 1).filter_map(|(name, _)| self.set(name, "", 0)));
        Some(set)
    }

    pub(super) fn clear_login(&self, state: &str) -> Option<HeaderValue> {
        self.set(&self.of_login(state)?, "", 0)
    }

    fn ended(&self, had: &HeaderMap, from: usize) -> Vec<HeaderValue> {
        let names = (from..COOKIE_PARTS_MAX).map(|number| self.part(number));
        let there = names.filter(|name| pairs(had).any(|(found, _)| found == name));
        there.filter_map(|name| self.set(&name, "", 0)).collect()
    }

    fn part(&self, number: usize) -> String {
        if number == 0 { self.base.clone() } else { format!("{}-{number}", self.base) }
    }

    /// A browser may begin a login in several tabs at once, so each has a cookie of its own.
    fn of_login(&self, state: &str) -> Option<String> {
        let short = state.get(..STATE_CHARACTERS)?;
        let is_plain = short.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        is_plain.then(|| format!("{}-login-{short}", self.base))
    }

    fn set(&self, name: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
        let text = format!("{name}={value}; Max-Age={seconds}; {}", self.attributes);
        let mut value = HeaderValue::try_from(text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

fn pairs(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(header::COOKIE).iter();
    let pairs = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    // Ours are ASCII. One of a sibling site may be of any bytes, and says nothing of the others.
    let texts = pairs.filter_map(|pair| std::str::from_utf8(pair).ok().filter(|text| text.is_ascii()));
    texts.filter_map(|pair| pair.trim().split_once('='))
}

/// `None` also if there are two of this name: one of them was set by another page.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut found = pairs(headers).filter(|(found, _)| *found == name).map(|(_, value)| value);
    match (found.next(), found.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `Cookie` header of a browser that was told this.
    fn kept(set: &[HeaderValue]) -> HeaderMap {
        let pairs = set.iter().map(|value| value.to_str().expect("text").split(';').next().expect("a pair"));
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, pairs.collect::<Vec<_>>().join("; ").parse().expect("a value"));
        headers
    }

    #[test]
    fn a_long_session_is_split_and_read_again_and_what_is_left_of_a_longer_one_is_ended() {
        let cookies = Cookies::of("https://dogwatch.example");
        let nothing = HeaderMap::new();
        for length in
            [1, COOKIE_PART_BYTES_MAX, COOKIE_PART_BYTES_MAX + 1, COOKIE_PARTS_MAX * COOKIE_PART_BYTES_MAX]
        {
            let value = "x".repeat(length - 1) + "y";
            let set = cookies.set_session(&value, &nothing, 60).expect("it fits");
            assert_eq!(set.len(), length.div_ceil(COOKIE_PART_BYTES_MAX));
            for part in &set {
                assert!(part.len() <= 4096 && part.is_sensitive(), "a browser keeps 4,096 bytes");
            }
            assert_eq!(cookies.session(&kept(&set)), Some(value));
        }
        let long =
            cookies.set_session(&"x".repeat(3 * COOKIE_PART_BYTES_MAX), &nothing, 60).expect("it fits");
        let had = kept(&long);
        let short = cookies.set_session("x", &had, 60).expect("it fits");
        let ended = short.iter().filter(|set| set.to_str().is_ok_and(|text| text.contains("Max-Age=0")));
        assert_eq!((short.len(), ended.count()), (3, 2));
        assert_eq!(cookies.clear_session(&had).len(), 3);
        assert!(
            cookies
                .set_session(&"x".repeat(COOKIE_PARTS_MAX * COOKIE_PART_BYTES_MAX + 1), &nothing, 60)
                .is_none()
        );
    }

    #[test]
    fn over_https_alone_a_cookie_is_bound_to_its_host() {
        let text = |url: &str| {
            let set = Cookies::of(url).set_session("v", &HeaderMap::new(), 60).expect("it fits");
            set.first().expect("one").to_str().expect("text").to_owned()
        };
        let secure = "__Host-dogwatch=1.v; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(text("https://dogwatch.example"), secure);
        let below = "__Secure-dogwatch=1.v; Max-Age=60; Path=/d/w; HttpOnly; SameSite=Lax; Secure";
        assert_eq!(text("https://portal.example/d/w"), below);
        let plain = "dogwatch-8484=1.v; Max-Age=60; Path=/; HttpOnly; SameSite=Lax";
        assert_eq!(text("http://127.0.0.1:8484"), plain);
    }

    #[test]
    fn parts_that_are_missing_or_come_twice_are_no_session() {
        let cookies = Cookies::of("https://dogwatch.example");
        let session = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, text.parse().expect("a value"));
            cookies.session(&headers)
        };
        assert_eq!(session("a=b; __Host-dogwatch=2.x; __Host-dogwatch-1=y"), Some("xy".to_owned()));
        for none in [
            "dogwatch=1.x",
            "__Host-dogwatch=x",
            "__Host-dogwatch=0.x",
            "__Host-dogwatch=99.x",
            "__Host-dogwatch=2.x",
            "__Host-dogwatch=1.x; __Host-dogwatch=1.z",
            "",
        ] {
            assert_eq!(session(none), None, "{none}");
        }
    }

    #[test]
    fn a_cookie_of_a_sibling_site_that_is_no_ascii_leaves_the_session_readable() {
        let cookies = Cookies::of("https://dogwatch.example");
        let foreign: [&[u8]; 3] = ["name=José".as_bytes(), b"name=\xff\xfe", b"__Host-dogwatch=\xff"];
        for foreign in foreign {
            let line = [foreign, b"; __Host-dogwatch=2.x; ", foreign, b"; __Host-dogwatch-1=y"].concat();
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_bytes(&line).expect("a value"));
            assert_eq!(cookies.session(&headers).as_deref(), Some("xy"), "{foreign:?}");
        }
    }

    #[test]
    fn logins_of_several_tabs_stand_beside_each_other_and_the_oldest_make_room() {
        let cookies = Cookies::of("https://dogwatch.example");
        let state = |number: usize| format!("state-{number:02}xyz");
        let mut all = Vec::new();
        for number in 0..LOGINS_BEGUN_MAX {
            all.extend(cookies.set_login(&state(number), &number.to_string(), &kept(&all), 60).expect("set"));
        }
        let had = kept(&all);
        assert_eq!(cookies.login(&had, &state(3)).as_deref(), Some("3"));
        let more = cookies.set_login(&state(99), "99", &had, 60).expect("set");
        assert_eq!(more.len(), 2, "one more ends one");
        assert_eq!(cookies.login(&had, "short"), None);
        assert_eq!(cookies.login(&had, "a;b=c; d"), None);
    }
}
