//! Where a collector takes traces. Never a connection.

use http::Uri;

/// Where a collector takes traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(Uri);

impl Endpoint {
    /// From the collector's base URL, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it.
    ///
    /// # Errors
    /// A few words about what is wrong.
    pub fn parse(base: &str) -> Result<Self, &'static str> {
        let url = format!("{}/v1/traces", base.trim_end_matches('/'));
        let uri: Uri = url.parse().map_err(|_| "it isn't a URL")?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        let authority =
            uri.authority().filter(|_| is_http).ok_or("it must begin with http:// or https://")?;
        if authority.as_str().contains('@') || uri.query().is_some() {
            return Err("it must hold no credential and no query");
        }
        Ok(Self(uri))
    }
}

impl Endpoint {
    #[must_use]
    pub fn uri(&self) -> &Uri {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_base_url_of_a_collector() {
        for (base, expected) in [
            ("http://collector:4318", "http://collector:4318/v1/traces"),
            ("https://collector.example/otlp/", "https://collector.example/otlp/v1/traces"),
        ] {
            assert_eq!(Endpoint::parse(base).map(|it| it.0.to_string()).as_deref(), Ok(expected));
        }
        for wrong in ["collector:4318", "grpc://collector", "http://a:b@collector", "", "http://c?x=y"] {
            assert!(Endpoint::parse(wrong).is_err(), "{wrong}");
        }
    }
}
