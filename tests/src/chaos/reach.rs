//! Which views can't be live, and since when: by a probe that asks the API server through the gateway's own line, and
//! by the viewers' lines that are cut. It knows nothing of the gateway.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use http::Request;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::kind::Kind;
use crate::api;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A consistent list of this kind, asked through the gateway's own line.
    Upstream(Kind),
    /// The viewers' line of this number.
    Line(usize),
}

#[derive(Debug, Default)]
pub struct Reach {
    out: Mutex<BTreeMap<Part, Instant>>,
    /// Something came back.
    pub back: Notify,
}

impl Reach {
    /// Since when no viewer on this line can be up to date with this kind.
    pub fn out_since(&self, kind: Kind, line: usize) -> Option<Instant> {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        [Part::Upstream(kind), Part::Line(line)].iter().filter_map(|part| out.get(part)).min().copied()
    }

    pub fn is_whole(&self) -> bool {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// A part that is out already stays out since then.
    pub fn lose(&self, part: Part, since: Instant) {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).entry(part).or_insert(since);
    }

    pub fn regain(&self, part: Part) {
        if self.out.lock().unwrap_or_else(PoisonError::into_inner).remove(&part).is_some() {
            self.back.notify_waiters();
        }
    }
}

/// Asks for each kind, for as long as what is returned lives.
pub async fn probe(kubeconfig: &Path, reach: &Arc<Reach>) -> Result<JoinSet<()>> {
    let mut probes = JoinSet::new();
    for kind in Kind::ALL {
        let (client, reach) = (api::client(kubeconfig).await?, reach.clone());
        probes.spawn(async move {
            let mut ticks = tokio::time::interval(PROBE_INTERVAL);
            loop {
                ticks.tick().await;
                let asked = Instant::now();
                if is_answered(&client, kind).await {
                    reach.regain(Part::Upstream(kind));
                } else {
                    reach.lose(Part::Upstream(kind), asked);
                }
            }
        });
    }
    Ok(probes)
}

async fn is_answered(client: &kube::Client, kind: Kind) -> bool {
    let Ok(request) = Request::get(format!("{}?limit=1", kind.list_path())).body(Vec::new()) else {
        return false;
    };
    tokio::time::timeout(PROBE_TIMEOUT, client.request_text(request)).await.is_ok_and(|answer| answer.is_ok())
}

const PROBE_INTERVAL: Duration = Duration::from_millis(250);
/// Longer than a loaded machine of two cores takes for a list of one object.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
