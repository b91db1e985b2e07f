//! An OTLP collector of the test's own: it takes spans over HTTP and reads them with OpenTelemetry's own definitions.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Clone, Default)]
struct Taken {
    bodies: Arc<Mutex<Vec<Bytes>>>,
    /// What was wrong with a request.
    wrong: Arc<Mutex<Vec<String>>>,
}

pub struct Collector {
    address: SocketAddr,
    taken: Taken,
    count: watch::Receiver<usize>,
    task: JoinHandle<()>,
}

impl Collector {
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, taken) = (listener.local_addr()?, Taken::default());
        let (say_count, count) = watch::channel(0);
        let task = tokio::spawn(accept(listener, taken.clone(), say_count));
        Ok(Self { address, taken, count, task })
    }

    /// The value of `--otlp-endpoint`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All bytes that came.
    pub fn bytes(&self) -> Vec<u8> {
        self.taken.bodies.lock().unwrap_or_else(PoisonError::into_inner).concat()
    }

    /// All spans so far. Fails if a request was wrong.
    pub fn spans(&self) -> Result<Vec<Span>> {
        let wrong = self.taken.wrong.lock().unwrap_or_else(PoisonError::into_inner).clone();
        anyhow::ensure!(wrong.is_empty(), "{wrong:?}");
        let bodies = self.taken.bodies.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut spans = Vec::new();
        for body in bodies {
            for resource in ExportTraceServiceRequest::decode(body)?.resource_spans {
                spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
        Ok(spans)
    }

    /// Waits until spans came that satisfy this.
    pub async fn until(&mut self, is_so: impl Fn(&[Span]) -> bool) -> Result<Vec<Span>> {
        loop {
            let spans = self.spans()?;
            if is_so(&spans) {
                return Ok(spans);
            }
            self.count.changed().await?;
        }
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, taken: Taken, count: watch::Sender<usize>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (taken, count) = (taken.clone(), count.clone());
        tokio::spawn(serve(stream, taken, count));
    }
}

async fn serve(stream: TcpStream, taken: Taken, count: watch::Sender<usize>) {
    let service = service_fn(|request: Request<Incoming>| {
        let (taken, count) = (taken.clone(), count.clone());
        async move {
            let is_right = request.uri().path() == "/v1/traces"
                && request.method() == "POST"
                && request.headers().get("content-type").is_some_and(|it| it == "application/x-protobuf");
            let head = format!("{} {} {:?}", request.method(), request.uri(), request.headers());
            let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            if is_right {
                taken.bodies.lock().unwrap_or_else(PoisonError::into_inner).push(body);
            } else {
                taken.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(head);
            }
            count.send_modify(|count| *count += 1);
            let mut response = Response::new(Empty::<Bytes>::new());
            *response.status_mut() = if is_right { StatusCode::OK } else { StatusCode::BAD_REQUEST };
            Ok::<_, Infallible>(response)
        }
    });
    // The gateway goes when it goes.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
