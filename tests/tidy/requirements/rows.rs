//! The rows of the threat model: a few words for each, and the kinds of test that it wants. Never a test.

/// What a test runs against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Unit,
    /// A gateway that runs.
    Running,
    ApiServer,
    Browser,
    Fuzz,
    Source,
}

impl Kind {
    pub fn letter(self) -> char {
        match self {
            Self::Unit => 'U',
            Self::Running => 'I',
            Self::ApiServer => 'K',
            Self::Browser => 'B',
            Self::Fuzz => 'F',
            Self::Source => 'S',
        }
    }

    /// Whether a test of this kind shows what one of the other would.
    pub fn stands_for(self, wanted: Self) -> bool {
        match wanted {
            Self::Unit => self != Self::Source,
            Self::Running => matches!(self, Self::Running | Self::ApiServer),
            wanted => self == wanted,
        }
    }
}

pub struct Row {
    pub id: &'static str,
    pub what: &'static str,
    pub wants: &'static [Kind],
}

const fn row(id: &'static str, what: &'static str, wants: &'static [Kind]) -> Row {
    Row { id, what, wants }
}

use Kind::{ApiServer, Browser, Fuzz, Running, Source, Unit};

pub const ROWS: &[Row] = &[
    row("R-BROW-1", "another site opens a socket with a signed-in reader's browser", &[Running, Browser]),
    row("R-BROW-2", "a socket with a cookie and without an Origin", &[Running]),
    row("R-BROW-3", "a token, no Origin and no cookie", &[Running]),
    row("R-BROW-4", "origins that only look like an allowed one", &[Unit, Fuzz]),
    row("R-BROW-5", "a rebound DNS name, on every route", &[Running]),
    row("R-BROW-6", "a Host that is missing, doubled or wild", &[Running]),
    row("R-BROW-7", "fetch from another site", &[Running, Browser]),
    row("R-BROW-8", "the page within another page", &[Browser]),
    row("R-BROW-9", "objects whose every text is an attack on a page", &[Browser]),
    row("R-BROW-10", "the page under its content policy, in two browsers", &[Browser]),
    row("R-ORIG-1", "a service worker that another program left at the port", &[Browser]),
    row("R-ORIG-2", "the name of a page, and who else may hold it", &[Running]),
    row("R-AUTHN-1", "mode local without its credential, or with a used one", &[Running]),
    row("R-AUTHN-2", "a start that would have no authentication", &[Running]),
    row("R-AUTHN-3", "a gateway whose account may do more than it needs", &[ApiServer]),
    row("R-AUTHN-4", "OIDC: wrong state, nonce, audience, issuer, algorithm, claims", &[Running]),
    row("R-AUTHN-5", "names of the system from a provider or a proxy", &[Running]),
    row("R-AUTHN-6", "mode proxy: headers of a peer that isn't trusted, doubled or empty ones", &[Running]),
    row("R-AUTHN-7", "tokens in a subprotocol that are wrong in form", &[Running, Fuzz]),
    row("R-AUTHN-8", "sockets that say nothing, or nonsense, before hello", &[Running]),
    row("R-AUTHN-9", "a login that ends while its page looks on", &[Running]),
    row("R-AUTHN-10", "another credential on an open socket", &[Running]),
    row("R-AUTHN-11", "logout with several tabs, on several replicas", &[Running]),
    row("R-AUTHN-12", "the API server can't review tokens", &[Running]),
    row("R-AUTHN-13", "a token of one cluster used for another", &[Running]),
    row("R-AUTHN-14", "a provider that doesn't say that a person has left", &[Running]),
    row("R-AUTHN-15", "strangers who begin logins by the thousand", &[Running]),
    row("R-AUTHN-16", "the listener for clients of the Kubernetes API without its own token", &[Running]),
    row(
        "R-AUTHN-17",
        "a program that is let in by a browser, by anything but its person's click",
        &[Running, Browser],
    ),
    row("R-AUTHZ-1", "a viewer without any right", &[ApiServer]),
    row("R-AUTHZ-2", "a right to list without watch, and the reverse", &[ApiServer]),
    row("R-AUTHZ-3", "rights in a few of many namespaces", &[ApiServer]),
    row("R-AUTHZ-4", "a right that ends under an open view", &[ApiServer]),
    row("R-AUTHZ-5", "a right that comes under an open view", &[ApiServer]),
    row("R-AUTHZ-6", "a right to one object by its name", &[ApiServer, Fuzz]),
    row("R-AUTHZ-7", "two viewers of the same view, one loses the right", &[ApiServer]),
    row("R-AUTHZ-8", "reviews that fail, time out or say more than yes or no", &[Running]),
    row("R-AUTHZ-9", "a webhook that denies what roles allow", &[ApiServer]),
    row("R-AUTHZ-10", "a right of everybody who is logged in", &[Running]),
    row("R-AUTHZ-11", "names that would leave their place in a URL", &[Unit, Fuzz]),
    row("R-AUTHZ-12", "every route without a credential", &[Running]),
    row("R-AUTHZ-13", "impersonation with an empty or odd identity", &[Unit, Running]),
    row("R-AUTHZ-14", "debug variables of the Kubernetes client", &[Running]),
    row("R-AUTHZ-15", "a kind that the gateway may not read, and the viewer may", &[ApiServer]),
    row("R-AUD-1", "a record for each login, subscription, refusal and end", &[ApiServer]),
    row("R-RO-1", "every request of the gateway to a real API server", &[ApiServer]),
    row("R-RO-2", "a request that isn't allowed, within the gateway", &[Unit]),
    row("R-DATA-1", "credentials in every place that a cluster has for them", &[Unit, ApiServer]),
    row("R-DATA-2", "Secrets by name, with values in data and in copies", &[ApiServer]),
    row("R-DATA-3", "values hidden by a reload while viewers look on", &[Running]),
    row("R-DATA-4", "the log at its loudest during logins", &[Running]),
    row("R-DATA-5", "Back after a logout", &[Browser]),
    row("R-NET-1", "thousands of connections that dribble", &[Running]),
    row("R-NET-2", "WebSocket messages that are too large, endless, too many or malformed", &[Running]),
    row("R-NET-3", "one more than each limit", &[Running]),
    row("R-NET-4", "a viewer that doesn't read", &[Running]),
    row("R-NET-5", "answers of the API server without an end", &[Running]),
    row("R-NET-6", "everybody comes back at once", &[Running]),
    row("R-NET-7", "metrics asked of the page's listener", &[Running]),
    row("R-NET-8", "every product of bounds: columns, objects, sets", &[Unit]),
    row("R-LOG-1", "a log without its right, or where none are shown", &[ApiServer]),
    row("R-LOG-2", "escapes, bidi marks, endless lines and binary in a log", &[Browser, Fuzz]),
    row("R-REL-1", "any history under any fault", &[Running]),
    row("R-REL-2", "410 Gone at any point", &[Running]),
    row("R-REL-3", "an API server that falls silent or stops", &[Running, ApiServer]),
    row("R-REL-4", "a gateway that is stopped for a while", &[Running]),
    row("R-REL-5", "resourceVersions that go back", &[Running]),
    row("R-REL-6", "a definition that is deleted and made anew", &[ApiServer]),
    row("R-REL-7", "SIGTERM under load", &[Running]),
    row("R-REL-8", "a client's rows that aren't the gateway's", &[Browser]),
    row("R-REL-9", "the page's program aborts", &[Browser]),
    row("R-REL-10", "viewers that come and go for an hour", &[ApiServer]),
    row("R-REL-11", "a file that hangs, a log that can't be written", &[Running]),
    row("R-EMB-1", "the package imported without a browser", &[Source]),
    row("R-EMB-2", "an element set up, moved and removed many times", &[Browser]),
    row("R-EMB-3", "many elements of one gateway on a page", &[Browser]),
    row("R-EMB-4", "two versions of the package on a page", &[Browser]),
    row("R-EMB-5", "the element in each framework", &[Browser]),
    row("R-EMB-6", "the styles of the page around an element", &[Browser]),
    row("R-EMB-7", "a gateway of another protocol version", &[Browser]),
    row("R-EMB-8", "what the element weighs", &[Source]),
    row("R-A11Y-1", "the accessibility rules, by keyboard alone", &[Browser]),
    row("R-A11Y-2", "busy tables under a focused row", &[Browser]),
    row("R-A11Y-3", "reduced motion, forced colours, no colours", &[Browser]),
    row("R-SUP-1", "dependencies: advisories, licences, sources, duplicates", &[Source]),
    row("R-SUP-2", "what may not stand in the source", &[Source]),
    row("R-SUP-3", "the same binary from two builds", &[Source]),
];
