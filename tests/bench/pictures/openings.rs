//! What a person opens in a view and beside it: popovers, the panel, the log, boards; and the same on a
//! telephone.

use tests::browser::Look;

use super::states::{CHANGED, NEWEST, PHONE, PODS, ROWS, State, WIDE, alone, frame, state};
use super::step::Step::{self, Click, Fault, Go, Keys, Script, Type, Until};

pub const OPENINGS: &[State] = &[
    state(
        "proof",
        WIDE,
        &[PODS, Click("deep('.pill')[0]"), Until("shown('.pop-proof').includes('equal')")],
        "table.html?state=proof",
    ),
    frame(
        "proof-stale",
        &[
            PODS,
            ROWS,
            Fault(r#"{"fault":"drop"}"#),
            Until("shown('.notice').includes('Stale since')"),
            Click("deep('.pill')[0]"),
            Until("deep('.pop-proof').length === 1"),
        ],
        "#proof .frame-body",
    ),
    state(
        "namespaces",
        WIDE,
        &[PODS, ROWS, Click("deep('#namespaces')[0]"), Until("deep('.pop-namespaces').length === 1")],
        "table.html?state=namespaces",
    ),
    state(
        "columns",
        WIDE,
        &[PODS, ROWS, Keys("c"), Until("deep('.pop-columns').length === 1")],
        "table.html?state=columns",
    ),
    state(
        "kubectl",
        WIDE,
        &[
            Go("/v/pods@/*?f=status.phase%3DRunning&q=age<60d"),
            Keys("K"),
            Until("deep('#command').length === 1"),
        ],
        "table.html?state=kubectl",
    ),
    state(
        "palette",
        WIDE,
        &[PODS, ROWS, Keys(":dep"), Until("deep('[role=option]').length > 1")],
        "table.html?state=palette",
    ),
    state(
        "help",
        WIDE,
        &[PODS, ROWS, Keys("?"), Until("deep('#help').length === 1")],
        "table.html?state=help",
    ),
    state(
        "selected",
        WIDE,
        &[PODS, ROWS, Keys("xjjX"), Until("shown('.strip').includes('selected')")],
        "table.html?state=live",
    ),
    frame(
        "above",
        &[NEWEST, ROWS, Script("deep('.tbody')[0].scrollTop = 200"), Until("deep('.above').length > 0")],
        "#above .frame-body",
    ),
    state(
        "panel",
        WIDE,
        &[NEWEST, CHANGED, OPEN_CHANGED, Until("shown('#panel').includes('Conditions')")],
        "detail.html?tab=overview",
    ),
    state(
        "panel-deployment",
        WIDE,
        &[
            Go("/v/deployments.apps@/*"),
            ROWS,
            Keys("\u{e007}"),
            Until("shown('#panel').includes('Conditions')"),
        ],
        "detail.html?tab=overview",
    ),
    state(
        "timeline",
        WIDE,
        &[
            NEWEST,
            CHANGED,
            OPEN_CHANGED,
            Click("deep('#tab-timeline')[0]"),
            Until("deep('.tl-item').length > 1"),
        ],
        "detail.html?tab=timeline",
    ),
    state(
        "yaml",
        WIDE,
        &[
            NEWEST,
            CHANGED,
            OPEN_CHANGED,
            Click("deep('#tab-yaml')[0]"),
            Until("shown('#panel').includes('apiVersion')"),
        ],
        "detail.html?tab=yaml",
    ),
    state(
        "log",
        WIDE,
        &[Go("/log/pods@/*"), Until("deep('.log-lines > [role=row]').length > 11")],
        "log.html",
    ),
    state(
        "board",
        WIDE,
        &[
            Go("/b?v=pods@/*;q=status!%3DRunning,Completed&v=deployments.apps@/*&v=nodes@/-&log=events@/*"),
            Until("shown('#health').includes('4 views live') && deep('#log').length === 1"),
        ],
        "board.html",
    ),
    state(
        "board-of-two",
        WIDE,
        &[Go("/b?v=pods@/*&v=nodes@/-"), Until("shown('#health').includes('2 views live')"), CHANGED],
        "board.html",
    ),
    state("embed", WIDE, &[Go("/embed"), Until("deep('.pill-live').length === 2")], "embed.html"),
    state("phone", PHONE, &[NEWEST, CHANGED], "table.html?state=live"),
    state(
        "phone-stale",
        PHONE,
        &[PODS, ROWS, Fault(r#"{"fault":"drop"}"#), Until("shown('.notice').includes('Stale since')")],
        "table.html?state=stale",
    ),
    state(
        "phone-panel",
        PHONE,
        &[NEWEST, CHANGED, OPEN_CHANGED, Until("shown('#panel').includes('Conditions')")],
        "detail.html?tab=overview",
    ),
    state(
        "phone-timeline",
        PHONE,
        &[
            NEWEST,
            CHANGED,
            OPEN_CHANGED,
            Click("deep('#tab-timeline')[0]"),
            Until("deep('.tl-item').length > 1"),
        ],
        "detail.html?tab=timeline",
    ),
    alone("phone-kinds", PHONE, &[PODS, ROWS, Click("deep('.brand-menu')[0]")]),
    alone("drawer", Look { width: 1100, height: 700, dark: false }, &[PODS, ROWS, Type("gk")]),
];

const OPEN_CHANGED: Step = Click("rows().find((row) => cells(row, 0)[0].includes('modified'))");
