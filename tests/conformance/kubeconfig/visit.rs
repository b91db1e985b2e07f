//! A request, as the server saw it.

/// The identity of a request, and its way to the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Visit {
    /// `direct`, or the proxy with the credential that it was given.
    pub(crate) way: String,
    /// The host and port that a proxy was asked for.
    pub(crate) wanted: Option<String>,
    pub(crate) is_tls: bool,
    /// The name that TLS asked for.
    pub(crate) name: Option<String>,
    /// The name of the client's certificate.
    pub(crate) certificate: Option<String>,
    pub(crate) path: String,
    /// `authorization` and the headers that impersonate, sorted.
    pub(crate) headers: Vec<(String, String)>,
}

impl Visit {
    /// `None`: what was sent is no request, or not the one that is compared.
    pub(crate) fn read(head: &str) -> Option<Self> {
        let mut lines = head.lines();
        let target = lines.next()?.strip_prefix("GET ")?.split(' ').next()?;
        let (wanted, target) = match target.strip_prefix("http://") {
            // A proxy is asked for the whole address.
            Some(rest) => {
                let (host, path) = rest.split_at(rest.find('/')?);
                let port = if host.contains(':') { "" } else { ":80" };
                (Some(format!("{host}{port}")), path)
            }
            None => (None, target),
        };
        let path = target.split('?').next()?.to_owned();
        if !path.ends_with("/version") {
            return None;
        }
        let mut headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .filter(|(name, _)| name == "authorization" || name.starts_with("impersonate-"))
            .collect();
        headers.sort();
        let way = "direct".to_owned();
        Some(Self { way, wanted, is_tls: false, name: None, certificate: None, path, headers })
    }
}

/// The value of a header, if it is there.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}
