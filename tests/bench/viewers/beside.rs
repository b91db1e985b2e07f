//! What `bench viewers` measures beside the gateway, each as a process of its own: a proxy that copies the bytes of each
//! viewer's own watch, as portals that embed an API server's proxy do, and one watch that is read and thrown away, which
//! is the least that any gateway does.

use std::io::{BufRead, BufReader, Write};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::AsyncBufReadExt;
use kube::Client;
use serde::Deserialize;
use serde_json::value::RawValue;
use testkit::api::{self, TABLE};
use tokio::net::TcpListener;

/// What the process does.
#[derive(Clone, Copy)]
pub enum Beside {
    CopyingProxy,
    ReadingAlone,
}

/// A running process; it ends with its owner.
pub struct Running {
    child: Child,
    /// The line by which it says that it stands: of a proxy its address.
    pub line: String,
}

impl Beside {
    fn name(self) -> &'static str {
        match self {
            Self::CopyingProxy => "copying-proxy",
            Self::ReadingAlone => "reading-alone",
        }
    }

    /// What the arguments ask of this process: `viewers copying-proxy KUBECONFIG`.
    pub fn asked() -> Option<(Self, String)> {
        let mut arguments = std::env::args().skip(2);
        let (name, kubeconfig) = (arguments.next()?, arguments.next()?);
        let beside = [Self::CopyingProxy, Self::ReadingAlone].into_iter().find(|it| it.name() == name)?;
        Some((beside, kubeconfig))
    }

    pub async fn run(self, kubeconfig: &str) -> Result<()> {
        let client = api::client(Path::new(kubeconfig)).await?;
        match self {
            Self::CopyingProxy => copy(client).await,
            Self::ReadingAlone => read(client).await,
        }
    }

    pub fn start(self, kubeconfig: &Path) -> Result<Running> {
        let own = std::env::current_exe()?;
        let mut command = Command::new(own);
        command.args(["viewers", self.name()]).arg(kubeconfig).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("stdout is piped")?).read_line(&mut line)?;
        if line.is_empty() {
            bail!("{} ended before it stood", self.name());
        }
        Ok(Running { child, line: line.trim().to_owned() })
    }
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stands(line: &str) -> Result<()> {
    println!("{line}");
    Ok(std::io::stdout().flush()?)
}

async fn copy(client: Client) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    stands(&format!("http://{}", listener.local_addr()?))?;
    let proxy = axum::Router::new().fallback(forward).with_state(client);
    Ok(axum::serve(listener, proxy).await?)
}

async fn forward(State(client): State<Client>, request: Request) -> Result<Response, StatusCode> {
    let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let upstream = http::Request::get(path).body(kube::client::Body::empty());
    let upstream = upstream.map_err(|_| StatusCode::BAD_REQUEST)?;
    let answer = client.send(upstream).await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    Ok(answer.map(Body::new))
}

/// The members that a row is made of, and the rest unread.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    object: Table<'a>,
}

#[derive(Deserialize)]
struct Table<'a> {
    #[serde(borrow)]
    rows: Vec<Row<'a>>,
}

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    cells: Vec<&'a RawValue>,
    #[serde(borrow)]
    object: Object<'a>,
}

#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
    #[serde(borrow)]
    spec: &'a RawValue,
    #[serde(borrow)]
    status: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    name: &'a str,
    uid: &'a str,
    resource_version: &'a str,
}

/// Follows all pods, in the form in which the gateway asks for them.
async fn read(client: Client) -> Result<()> {
    let request = http::Request::get("/api/v1/pods?limit=1").body(Vec::new())?;
    let list: serde_json::Value = client.request(request).await?;
    let version = list["metadata"]["resourceVersion"].as_str().context("a list has one")?;
    let path = format!("/api/v1/pods?watch=1&includeObject=Object&resourceVersion={version}");
    let request = http::Request::get(path).header(http::header::ACCEPT, TABLE).body(Vec::new())?;
    let mut lines = std::pin::pin!(client.request_stream(request).await?);
    stands("reading")?;
    let (mut line, mut read) = (Vec::new(), 0);
    while lines.read_until(b'\n', &mut line).await? > 0 {
        let event: Event<'_> = serde_json::from_slice(&line)?;
        for Row { cells, object } in event.object.rows {
            let Metadata { name, uid, resource_version } = object.metadata;
            read += cells.len() + name.len() + uid.len() + resource_version.len();
            read += object.spec.get().len() + object.status.get().len();
        }
        line.clear();
    }
    bail!("the watch ended after {read} bytes")
}
