//! The states that the page can be in, how each comes about, and where a mock has the same.

use anyhow::Result;
use playground::{Options, Playground, User};
use serde_json::json;
use tests::browser::Look;

use super::mock::Place;
use super::step::Step::{self, Click, Cluster, Fault, Go, Keys, Kill, Script, Until, Visit};

pub struct State {
    pub name: &'static str,
    pub look: Look,
    pub cluster: fn() -> Options,
    pub prepare: fn(&Playground) -> Result<()>,
    /// What several states have before their own steps.
    pub begin: &'static [Step],
    pub steps: &'static [Step],
    /// Of which elements; of the window, when there are none.
    pub around: &'static str,
    pub mock: Option<Place>,
}

impl State {
    pub const fn after(mut self, begin: &'static [Step]) -> Self {
        self.begin = begin;
        self
    }
}

pub const WIDE: Look = Look { width: 1440, height: 760, dark: false };
/// As wide as a state is in the mock's gallery.
pub const FRAME: Look = Look { width: 804, height: 520, dark: false };
pub const PHONE: Look = Look { width: 390, height: 780, dark: false };

pub const PODS: Step = Go("/v/pods@/*");
/// Few of the first rows by name ever change.
pub const NEWEST: Step = Go("/v/pods@/*?sort=age");
pub const CHANGED: Step = Until("shown('.gutter').includes('modified')");
pub const ROWS: Step = Until("rows().length > 5");
pub const AT_ROWS: &[Step] = &[PODS, ROWS];

pub const fn state(name: &'static str, look: Look, steps: &'static [Step], mock: &'static str) -> State {
    State {
        name,
        look,
        cluster: Options::default,
        prepare: |_| Ok(()),
        begin: &[],
        steps,
        around: "",
        mock: Some(Place { page: mock, part: "" }),
    }
}

/// A state of the mock's gallery.
pub const fn frame(name: &'static str, steps: &'static [Step], part: &'static str) -> State {
    State { mock: Some(Place { page: "states.html", part }), ..state(name, FRAME, steps, "") }
}

pub const fn alone(name: &'static str, look: Look, steps: &'static [Step]) -> State {
    State { mock: None, ..state(name, look, steps, "") }
}

/// What a view can be; what is opened in it and beside it stands in its own file.
pub const ALL: [&[State]; 2] = [VIEWS, super::openings::OPENINGS];

const VIEWS: &[State] = &[
    state("live", WIDE, &[NEWEST, CHANGED], "table.html?state=live"),
    state(
        "live-wide",
        WIDE,
        &[Go("/v/pods@/*?wide=1&sort=age&q=age<60d+!coredns"), CHANGED],
        "table.html?state=live",
    ),
    frame(
        "first-load",
        &[
            Fault(r#"{"resource":"deployments.apps","fault":"stall"}"#),
            Visit("/v/deployments.apps@/*"),
            Until("deep('.bone').length > 5"),
        ],
        "#first .frame-body",
    ),
    State {
        cluster: || Options { objects: 9_000, ..Options::quiet() },
        ..frame(
            "loading-many",
            &[
                Fault(r#"{"resource":"pods","fault":{"slow-bytes":{"chunk_bytes":20000,"pause_ms":60}}}"#),
                Visit("/v/pods@/*"),
                Until("rows().length > 10"),
            ],
            "#many .frame-body",
        )
    },
    frame(
        "resuming",
        &[PODS, ROWS, Fault(r#"{"fault":"drop"}"#), Until("shown('.pill').includes('Resuming')")],
        "#resuming .frame-body",
    ),
    state(
        "stale",
        WIDE,
        &[NEWEST, CHANGED, Fault(r#"{"fault":"drop"}"#), Until("shown('.notice').includes('Stale since')")],
        "table.html?state=stale",
    ),
    frame(
        "gateway-gone",
        &[PODS, ROWS, Kill, Until("shown('#bar').includes('No word from the gateway')")],
        "#gateway .frame-body",
    ),
    frame(
        "gap",
        &[
            PODS,
            ROWS,
            Fault(r#"{"verb":"watch","resource":"pods","fault":"gone-event","times":1}"#),
            Until("shown('.notice').includes('Gap,')"),
        ],
        "#gap .frame-body",
    ),
    frame(
        "polled",
        &[Visit("/v/pods.metrics.k8s.io@/*"), Until("shown('.pill').includes('Polled')")],
        "#polling .frame-body",
    ),
    state(
        "paused",
        WIDE,
        &[Keys(" "), Until("/[1-9] changes waiting/.test(shown('.pill'))")],
        "table.html?state=paused",
    )
    .after(AT_ROWS),
    frame(
        "forbidden",
        &[
            Fault(r#"{"resource":"pods","fault":"forbidden"}"#),
            Visit("/v/pods@/payments"),
            Until("shown('.pill').includes('Forbidden')"),
        ],
        "#forbidden .frame-body",
    ),
    State {
        cluster: with_bob,
        prepare: |playground| allow(playground, &["shop", "payments"]),
        ..frame("scope", &[Visit("/v/pods@/shop,payments,platform"), ROWS], "#scope .frame-body")
    },
    State {
        cluster: with_bob,
        prepare: |playground| allow(playground, &["shop", "payments"]),
        ..frame(
            "right-ended",
            &[
                Visit("/v/pods@/shop,payments"),
                ROWS,
                Cluster(|playground| refused(playground.delete(BINDINGS, "payments", BINDING))),
                Cluster(|playground| {
                    playground.cut_watches(None);
                    Ok(())
                }),
                Until("shown('.notice').includes('may not')"),
            ],
            "#revoked .frame-body",
        )
    },
    frame(
        "empty",
        &[Go("/v/cronjobs.batch@/kube-system"), Until("deep('.blank').length === 1")],
        "#empty .frame-body",
    ),
    frame(
        "no-match",
        &[Go("/v/pods@/*?q=restarts>50+age<10m"), Until("deep('.blank').length === 1")],
        "#filtered .frame-body",
    ),
    state(
        "filter",
        WIDE,
        &[Keys("/status!=Running res"), Until("deep('[role=option]').length > 0")],
        "table.html?state=filter",
    )
    .after(AT_ROWS),
    alone("filter-error", WIDE, &[Go("/v/pods@/*?q=restart>5+status!%3DRunning"), ROWS]),
    alone(
        "selectors",
        WIDE,
        &[
            Go("/v/pods@/*?f=status.phase%3DRunning"),
            ROWS,
            Click("deep('#add-selector')[0]"),
            Until("deep('[role=option]').length > 0"),
        ],
    ),
    frame(
        "kind-gone",
        &[
            PODS,
            ROWS,
            Fault(r#"{"resource":"pods","fault":"not-found"}"#),
            Cluster(|playground| {
                playground.cut_watches(None);
                Ok(())
            }),
            Until("shown('.pill').includes('Gone')"),
        ],
        "#gone .frame-body",
    ),
    alone("unknown-kind", FRAME, &[Visit("/v/unicorns@/*"), Until("deep('.blank').length === 1")]),
    frame(
        "digest",
        &[
            PODS,
            ROWS,
            Script(
                "window.heard = (data) => typeof data === 'string' && data.includes('\"digest\"') ? data.replace(/\"digest\":\"[^\"]{4}/, '\"digest\":\"AAAA') : data",
            ),
            Until("shown('.notice').includes('differed')"),
        ],
        "#digest .frame-body",
    ),
    frame(
        "version",
        &[
            PODS,
            ROWS,
            Script(
                "window.heard = (data) => typeof data !== 'string' ? data : data.replace('dogwatch.v1', 'dogwatch.v3'); window.socket.close()",
            ),
            Until("shown('#bar') !== ''"),
        ],
        "#version .frame-body",
    ),
    frame(
        "login",
        &[
            Script("localStorage.clear(); sessionStorage.clear()"),
            Visit("/#code=used"),
            Until("deep('.login').length === 1"),
        ],
        "#token .frame-body",
    ),
    alone("unread-link", FRAME, &[Go("/v/pods@/*?x=1&sort=nonsense"), Until("deep('#bar').length === 1")]),
    alone(
        "stopped",
        FRAME,
        &[
            PODS,
            ROWS,
            Script(
                "dispatchEvent(new ErrorEvent('error', { error: new WebAssembly.RuntimeError('unreachable') }))",
            ),
        ],
    ),
];

const GROUP: &str = "rbac.authorization.k8s.io";
const BINDINGS: &str = "rolebindings.rbac.authorization.k8s.io";
const BINDING: &str = "bob-views";

fn with_bob() -> Options {
    Options { users: vec![User::new("bob", "bob-token", &[])], ..Options::default() }
}

fn allow(playground: &Playground, namespaces: &[&str]) -> Result<()> {
    for namespace in namespaces {
        refused(playground.create(json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": "RoleBinding",
            "metadata": { "name": BINDING, "namespace": namespace },
            "subjects": [{ "kind": "User", "name": "bob", "apiGroup": GROUP }],
            "roleRef": { "kind": "ClusterRole", "name": "view", "apiGroup": GROUP },
        })))?;
    }
    Ok(())
}

pub fn refused<T>(answer: Result<T, playground::Failure>) -> Result<()> {
    answer.map(drop).map_err(|failure| anyhow::anyhow!("{failure:?}"))
}
