//! The options of a log: the fields of Kubernetes' PodLogOptions, read and checked as the API server does.

use jiff::Timestamp;

use crate::failure::Failure;
use crate::query::Query;

/// What is asked for of a container's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Empty: the pod's only one.
    pub container: String,
    pub follow: bool,
    pub previous: bool,
    pub timestamps: bool,
    pub tail: Option<u64>,
    pub limit_bytes: Option<u64>,
    pub since: Option<Since>,
}

/// From when on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// So long before the server's now.
    Seconds(i64),
    /// Since 1970, in whole seconds, because the API server tells the kubelet no more.
    Time(i64),
}

const NOT_NEGATIVE: &str = "must be greater than or equal to 0";
const POSITIVE: &str = "must be greater than 0";

impl LogOptions {
    /// # Errors
    /// What the real server says of them.
    pub fn read(query: &Query, pod: &str) -> Result<Self, Failure> {
        let tail = integer(query, "tailLines")?;
        let limit = integer(query, "limitBytes")?;
        let seconds = integer(query, "sinceSeconds")?;
        let time = time(query)?;
        let mut causes = Vec::new();
        let mut refuse = |field: &str, reason: &'static str, why: String| {
            causes.push((reason, why, field.to_owned()));
        };
        let mut at_least = |field: &str, found: Option<i64>, least: i64, why: &str| {
            if let Some(found) = found.filter(|found| *found < least) {
                refuse(field, "FieldValueInvalid", format!("Invalid value: {found}: {why}"));
            }
        };
        at_least("tailLines", tail, 0, NOT_NEGATIVE);
        at_least("limitBytes", limit, 1, POSITIVE);
        if seconds.is_none() || time.is_none() {
            at_least("sinceSeconds", seconds, 1, POSITIVE);
        } else {
            let why = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
            refuse("[]", "FieldValueForbidden", why.to_owned());
        }
        if query.has("stream") {
            refuse("stream", "FieldValueForbidden", "Forbidden: may not be specified".to_owned());
        }
        if !causes.is_empty() {
            return Err(Failure::invalid("", "PodLogOptions", pod, &causes));
        }
        Ok(Self {
            container: query.text("container").to_owned(),
            follow: query.is_on("follow"),
            previous: query.is_on("previous"),
            timestamps: query.is_on("timestamps"),
            tail: tail.and_then(|lines| u64::try_from(lines).ok()),
            limit_bytes: limit.and_then(|bytes| u64::try_from(bytes).ok()),
            since: time.map(Since::Time).or(seconds.map(Since::Seconds)),
        })
    }

    /// As parameters of a request, of which none needs to be written in another way but the container's name.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let flag = |is_on: bool| is_on.then(|| "true".to_owned());
        let (seconds, time) = match self.since {
            Some(Since::Seconds(seconds)) => (Some(seconds.to_string()), None),
            Some(Since::Time(at_s)) => (None, Timestamp::from_second(at_s).ok().map(|time| time.to_string())),
            None => (None, None),
        };
        let all = [
            ("container", Some(self.container.clone()).filter(|name| !name.is_empty())),
            ("follow", flag(self.follow)),
            ("limitBytes", self.limit_bytes.map(|bytes| bytes.to_string())),
            ("previous", flag(self.previous)),
            ("sinceSeconds", seconds),
            ("sinceTime", time),
            ("tailLines", self.tail.map(|lines| lines.to_string())),
            ("timestamps", flag(self.timestamps)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}
fn integer(query: &Query, key: &str) -> Result<Option<i64>, Failure> {
    if !query.has(key) {
        return Ok(None);
    }
    let text = query.text(key);
    let wrong = |_| Failure::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax"));
    text.parse().map(Some).map_err(wrong)
}

fn time(query: &Query) -> Result<Option<i64>, Failure> {
    if !query.has("sinceTime") {
        return Ok(None);
    }
    let text = query.text("sinceTime");
    let wrong = |_| {
        Failure::bad_request(format!(
            "parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\""
        ))
    };
    text.parse::<Timestamp>().map(|time| Some(time.as_second())).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<LogOptions, String> {
        LogOptions::read(&Query::read(query), "web-1").map_err(|failure| failure.message)
    }

    #[test]
    fn options_are_read_as_the_api_server_reads_them() {
        let default = LogOptions::default;
        for (query, expected) in [
            ("", default()),
            ("follow=true&previous=false", LogOptions { follow: true, ..default() }),
            ("tailLines=0", LogOptions { tail: Some(0), ..default() }),
            ("sinceSeconds=10", LogOptions { since: Some(Since::Seconds(10)), ..default() }),
            ("sinceTime=1970-01-01T00:00:05.9Z", LogOptions { since: Some(Since::Time(5)), ..default() }),
            (
                "limitBytes=7&container=web",
                LogOptions { limit_bytes: Some(7), container: "web".to_owned(), ..default() },
            ),
        ] {
            assert_eq!(read(query), Ok(expected.clone()), "{query}");
            let pairs = expected.parameters();
            let again: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(read(&again.join("&")), Ok(expected), "{again:?}");
        }
    }

    #[test]
    fn options_that_mean_nothing_are_refused_in_the_api_servers_words() {
        for (query, said) in [
            (
                "tailLines=-1",
                "PodLogOptions \"web-1\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0",
            ),
            (
                "limitBytes=0",
                "PodLogOptions \"web-1\" is invalid: limitBytes: Invalid value: 0: must be greater than 0",
            ),
            (
                "sinceSeconds=0",
                "PodLogOptions \"web-1\" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0",
            ),
            ("tailLines=many", "strconv.ParseInt: parsing \"many\": invalid syntax"),
            ("stream=Stdout", "PodLogOptions \"web-1\" is invalid: stream: Forbidden: may not be specified"),
            (
                "sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
                "PodLogOptions \"web-1\" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
            ),
        ] {
            assert_eq!(read(query), Err(said.to_owned()), "{query}");
        }
        assert!(read("sinceTime=yesterday").expect_err("no time").starts_with("parsing time \"yesterday\""));
    }
}
