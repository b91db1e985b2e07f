//! Module walls: what may not be named where. The table stands in ARCHITECTURE.md in words.

use crate::tree::{product_lines, root, shown, sources};

/// Below `place`, none of the words may stand outside comments and tests.
struct Wall {
    place: &'static str,
    /// Files and folders below it that are its rim.
    except: &'static [&'static str],
    never: &'static [&'static [&'static str]],
    why: &'static str,
}

const BROWSER: &[&str] = &["web_sys", "leptos_dom", "reactive_graph", "tachys", "wasm_bindgen"];
const SERVER: &[&str] = &["kube::", "axum", "k8s_openapi"];
const IMPURE: &[&str] = &[
    "tokio::",
    "std::net",
    "std::fs",
    "SystemTime",
    "Instant::now",
    "getrandom",
    " rand::",
    // With a seed it is pure.
    "Rng::new(",
    "async fn",
    ".await",
];

const WALLS: &[Wall] = &[
    Wall { place: "shared/src", except: &[], never: &[IMPURE, SERVER, BROWSER], why: "the contract is pure" },
    Wall {
        place: "replica/src",
        except: &["replica/src/driver"],
        never: &[IMPURE, SERVER, BROWSER],
        why: "the replica is pure: time and chance are arguments",
    },
    Wall {
        place: "page/src",
        except: &[],
        never: &[IMPURE, SERVER, BROWSER, &["WebSocket"]],
        why: "the page is pure: it is tested without a browser",
    },
    Wall {
        place: "page/src",
        except: &[],
        never: &[&["\"pill-", "\"notice-", "\"status-", "\"#g-", "\"#i-", "\"ev-", "\"td ", "\"mark-"]],
        why: "the model holds enums: only frontend/src/views knows the style sheet's names",
    },
    Wall {
        place: "gateway/src/hub",
        except: &["gateway/src/hub/task.rs", "gateway/src/hub/registry"],
        never: &[IMPURE, SERVER, &["crate::cluster"]],
        why: "the hub is pure apart from its task and its registry",
    },
    Wall {
        place: "gateway/src/hub",
        except: &[],
        never: &[&["crate::session", "crate::http", "kube::", "axum"]],
        why: "the hub knows the feed's types and nothing after it",
    },
    Wall {
        place: "gateway/src/session/protocol",
        except: &[],
        never: &[IMPURE, SERVER],
        why: "what a session says is decided without a socket",
    },
    Wall {
        place: "gateway/src/cluster",
        except: &[],
        never: &[&["crate::hub", "crate::session", "crate::http", "crate::feed"]],
        why: "data flows to the right",
    },
    Wall {
        place: "gateway/src/feed",
        except: &[],
        never: &[&["crate::hub", "crate::session", "crate::http"]],
        why: "data flows to the right",
    },
    Wall {
        place: "gateway/src/feed",
        except: &["gateway/src/feed/driver"],
        never: &[IMPURE, SERVER],
        why: "the feed's machine is pure: its driver is the rim",
    },
    Wall {
        place: "gateway/src/session",
        except: &[],
        never: &[&["kube::", "crate::http"]],
        why: "a session knows its socket alone",
    },
    Wall {
        place: "gateway/src/stream",
        except: &["gateway/src/stream/reader", "gateway/src/stream/duplex"],
        never: &[IMPURE, SERVER],
        why: "frames become events without a socket or a clock",
    },
    Wall {
        place: "gateway/src/stream",
        except: &[],
        never: &[&["crate::hub", "crate::http", "crate::cluster"]],
        why: "a stream is a session's client, and knows its frames alone",
    },
    Wall {
        place: "gateway/src/logs",
        except: &[
            "gateway/src/logs/places",
            "gateway/src/logs/streams",
            "gateway/src/logs/view/backlog",
            "gateway/src/logs/view/mod",
            "gateway/src/logs/view/source",
            "gateway/src/logs/view/tests",
            "gateway/src/logs/view/watch",
        ],
        never: &[IMPURE, SERVER],
        why: "what becomes of a log is decided without a socket or a clock",
    },
    Wall {
        place: "gateway/src/kubernetes",
        except: &[
            "gateway/src/kubernetes/control",
            "gateway/src/kubernetes/mirrors",
            "gateway/src/kubernetes/server",
        ],
        never: &[IMPURE, SERVER],
        why: "what a client of Kubernetes is told is decided without a socket or a clock",
    },
    Wall {
        place: "gateway/src/kubernetes",
        except: &[],
        never: &[&["kube::", "crate::http"]],
        why: "requests are read by http, and the cluster is asked by the feed's rim",
    },
    Wall {
        place: "gateway/src/access",
        except: &[],
        never: &[&["kube::", "crate::hub", "crate::session", "crate::http"]],
        why: "access decides before a hub or a session exists",
    },
    Wall {
        place: "gateway/src/access/rights",
        except: &["gateway/src/access/rights/reviews"],
        never: &[IMPURE],
        why: "what is granted is decided without asking",
    },
    Wall {
        place: "gateway/src/rules",
        except: &[
            "gateway/src/rules/attend",
            "gateway/src/rules/delivery/ledger",
            "gateway/src/rules/delivery/mod",
            "gateway/src/rules/delivery/receiver",
            "gateway/src/rules/expressions/threads",
            "gateway/src/rules/outbox",
        ],
        never: &[IMPURE, SERVER, &["crate::session", "crate::http"]],
        why: "what a rule tells is decided by what a hub heard, and by the clock of its proofs",
    },
    Wall {
        place: "gateway/src/audit",
        except: &["gateway/src/audit/trail", "gateway/src/audit/writer"],
        never: &[IMPURE, SERVER],
        why: "what is recorded is decided without a file",
    },
    Wall {
        place: "gateway/src/audit",
        except: &[],
        never: &[&["crate::session", "crate::http"]],
        why: "sessions and http write records, which know neither",
    },
    Wall {
        place: "gateway/src/address",
        except: &[],
        never: &[&["tokio::", "std::fs", "crate::access", "crate::config", "crate::http"]],
        why: "configuration, access and http stand above what an address is",
    },
    Wall {
        place: "gateway/src/config",
        except: &[],
        never: &[&["crate::http"]],
        why: "a configuration is read before anything is served",
    },
    Wall {
        place: "gateway/src/http",
        except: &[],
        never: &[&["kube::", "crate::hub"]],
        why: "http knows sessions, not objects",
    },
    Wall {
        place: "gateway/src",
        except: &["gateway/src/logs_command", "gateway/src/tail", "gateway/src/wait", "gateway/src/question"],
        never: &[&["replica::", "page::"]],
        why: "only tail, wait and logs are viewers",
    },
    Wall {
        place: "frontend/src/views",
        except: &[],
        never: &[&["WebSocket", "unchecked_into", "dyn_into", "JsCast", "crate::link"]],
        why: "views show signals; the socket and the casts stand elsewhere",
    },
    Wall {
        place: "frontend/src",
        except: &[],
        // The macro turns literal markup into innerHTML, which Trusted Types forbid.
        never: &[&["view!", "inner_html", "set_inner_html", "innerHTML"]],
        why: "the page is written in builder syntax and as text",
    },
];

#[test]
fn every_module_keeps_to_its_side_of_the_wall() {
    let mut broken = Vec::new();
    for wall in WALLS {
        for file in sources(&root().join(wall.place)) {
            if wall.except.iter().any(|rim| shown(&file).starts_with(rim)) {
                continue;
            }
            for (number, line) in product_lines(&file) {
                for word in wall.never.iter().copied().flatten().filter(|word| line.contains(**word)) {
                    broken.push(format!("{}:{number}: {word:?} ({})", shown(&file), wall.why));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// Parts of the page that most readers don't open. They are fetched apart, in a piece of the program, and stay apart only
/// as long as nothing but the piece names their entry.
const LOADED_LATER: &[&str] = &["panel", "log", "palette", "columns", "export", "help", "login", "rights"];

#[test]
fn what_is_loaded_later_is_reached_through_one_function() {
    for part in LOADED_LATER {
        let lines = sources(&root().join("frontend/src/views").join(part)).into_iter().flat_map(|file| {
            product_lines(&file).into_iter().map(|(_, line)| line.trim().to_owned()).collect::<Vec<_>>()
        });
        let entries: Vec<String> = lines.filter(|line| line.starts_with("pub(crate) fn ")).collect();
        let is_one =
            matches!(entries.as_slice(), [one] if one.starts_with(&format!("pub(crate) fn {part}(")));
        assert!(is_one, "views/{part} has one entry, and it has its name: {entries:?}");
        let named = format!("{part}::{part}");
        let others = sources(&root().join("frontend/src")).into_iter().filter(|file| {
            !shown(file).ends_with("/pieces.rs")
                && product_lines(file).iter().any(|(_, line)| line.contains(&named))
        });
        let others: Vec<String> = others.map(|file| shown(&file)).collect();
        assert!(others.is_empty(), "{named} would be in the first file of the page, for {others:?} names it");
    }
}
