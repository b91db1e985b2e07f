//! `pods/log`: what a container has written, and what it writes from now on. The kubelet's part of the answer is computed
//! (`crate::logs`); here are the pod's lookup, the pieces of the body and their ends.

use std::sync::Arc;
use std::time::Duration;

use http::Response;
use serde_json::Value;

use super::Server;
use super::body::{Answer, Body, BodyWriter, End, stream_of, whole};
use super::request::{ApiRequest, RequestInfo};
use crate::cluster::OpenLog;
use crate::faults::{Fault, Target};
use crate::json::text;
use crate::limits::{CHUNK_BYTES, FAULT_POLL};
use crate::logs::{Line, Run, container_of};
use kubernetes_api::{Failure, LogOptions, Since};

const TEXT: &str = "text/plain";

/// Lines are told by whole seconds; a follower looks this often whether one has passed.
const LOOK: Duration = Duration::from_millis(100);

/// The name by which rights, faults and counts know these requests.
pub(super) const RESOURCE: &str = "pods/log";

/// What a request reads, and how far it is.
struct Reader {
    server: Arc<Server>,
    info: RequestInfo,
    options: LogOptions,
    run: Run,
    writer: BodyWriter,
    open: OpenLog,
    /// The number of the next line.
    next: u64,
    /// Older lines aren't asked for.
    since_s: Option<i64>,
    /// Bytes that may still be written.
    left: Option<u64>,
}

pub(super) fn log(request: &ApiRequest<'_>) -> Answer {
    let now_s = request.cluster().now_s();
    let options = LogOptions::read(&request.query, &request.info.name)?;
    let pod = pod_of(request.server, &request.info)
        .ok_or_else(|| Failure::not_found(&request.info.kind, &request.info.name))?;
    let container = container_of(&pod, &options.container)?;
    // A pod that no node has yet has no kubelet to be asked.
    if text(&pod, "/spec/nodeName").is_empty() {
        return Ok(whole(http::StatusCode::NO_CONTENT, TEXT, ""));
    }
    let run = Run::find(&pod, &container, options.previous)?;
    Ok(start(request, options, run, now_s))
}

fn start(request: &ApiRequest<'_>, options: LogOptions, run: Run, now_s: i64) -> Response<Body> {
    let (writer, response) = stream_of(TEXT);
    let there = run.there(now_s);
    let reader = Reader {
        server: Arc::clone(request.server),
        info: request.info.clone(),
        next: there.start,
        since_s: options.since.map(|since| match since {
            Since::Seconds(seconds) => now_s.saturating_sub(seconds),
            Since::Time(at_s) => at_s,
        }),
        left: options.limit_bytes,
        open: request.server.cluster.open_log(),
        options,
        run,
        writer,
    };
    request.server.tasks.spawn(reader.read(there.end));
    response
}

fn pod_of(server: &Server, info: &RequestInfo) -> Option<Value> {
    let state = server.cluster.state();
    Some(state.store.get(&info.kind.group_resource(), &info.key())?.value())
}

impl Reader {
    async fn read(mut self, end: u64) {
        if let Err(End::Cut) = self.live(end).await {
            self.writer.cut();
        }
    }

    async fn live(&mut self, end: u64) -> Result<(), End> {
        self.begin(end).await?;
        if !self.options.follow {
            return Ok(());
        }
        let mut moved = self.server.cluster.moved();
        loop {
            moved.borrow_and_update();
            self.apply_faults().await?;
            // The clock is read first, so the pod's status is at least as new.
            let now_s = self.server.cluster.now_s();
            let again = pod_of(&self.server, &self.info).and_then(|pod| self.run.again(&pod));
            let Some(run) = again else { return Ok(()) };
            self.run = run;
            let there = self.run.there(now_s);
            self.next = self.next.max(there.start);
            self.tell(there.end, 0).await?;
            if self.run.is_over() {
                return Ok(());
            }
            tokio::select! {
                _ = moved.changed() => {}
                () = self.writer.closed() => return Ok(()),
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Writes what is there: the last lines that are asked for, and of those what isn't too old.
    async fn begin(&mut self, end: u64) -> Result<(), End> {
        let mut skipped = 0;
        if let Some(tail) = self.options.tail {
            let (first, mut lines) = (self.next, 0);
            self.next = end;
            while lines < tail && self.next > first {
                self.next -= 1;
                lines += u64::try_from(self.run.lines(self.next).len()).unwrap_or_default();
            }
            skipped = lines.saturating_sub(tail);
        }
        self.tell(end, usize::try_from(skipped).unwrap_or_default()).await
    }

    /// Writes the lines up to a number, without the first few.
    async fn tell(&mut self, end: u64, mut skipped: usize) -> Result<(), End> {
        let mut chunk = Vec::new();
        while self.next < end {
            let lines = self.run.lines(self.next);
            self.next += 1;
            for line in lines.iter().skip(skipped) {
                if !self.write(&mut chunk, line) {
                    self.writer.send(chunk).await?;
                    return Err(End::Clean);
                }
            }
            skipped = 0;
            if chunk.len() >= CHUNK_BYTES {
                self.writer.send(std::mem::take(&mut chunk)).await?;
                tokio::task::yield_now().await;
            }
        }
        if !chunk.is_empty() {
            self.writer.send(chunk).await?;
        }
        Ok(())
    }

    /// Whether there may be more after this line.
    fn write(&mut self, chunk: &mut Vec<u8>, line: &Line) -> bool {
        if self.since_s.is_some_and(|since_s| line.at_ns < since_s.saturating_mul(1_000_000_000)) {
            return true;
        }
        let text = line.written(self.options.timestamps);
        let bytes = text.as_bytes();
        let room = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        chunk.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        let written = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.left = self.left.map(|left| left.saturating_sub(written));
        self.left != Some(0)
    }

    /// A follower falls silent, or is cut off.
    async fn apply_faults(&self) -> Result<(), End> {
        let target = Target { verb: "get", resource: RESOURCE, user: None, watch: Some(self.open.number) };
        while let Some((id, fault)) = self.server.cluster.strike(target, Fault::is_running) {
            if fault != Fault::Stall {
                return Err(End::Cut);
            }
            while self.server.cluster.fault_stands(id) {
                tokio::select! {
                    () = self.writer.closed() => return Err(End::Clean),
                    () = tokio::time::sleep(FAULT_POLL) => {}
                }
            }
        }
        Ok(())
    }
}
