//! The same frames over a socket of a running gateway: each connection ends with a documented
//! close code or goes on answering, and another connection isn't disturbed.

use anyhow::{Context, Result, ensure};
use gateway::limits::WS_MESSAGE_BYTES_MAX;
use shared::frame::client::{ClientFrame, Ping};
use shared::frame::close;
use shared::frame::server::ServerFrame;
use testkit::client::{Client, all_pods};
use testkit::dogwatch::Dogwatch;

use crate::{corpus, mutate};
use simulation::chance::Chance;

const FRAMES: u64 = 300;

pub async fn run(chance: &mut Chance) -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let mut neighbour = dogwatch.connect().await?;
    neighbour.subscribe(1, all_pods()?, None).await?;
    let corpus = corpus::of_clients();
    let mut hostile = dogwatch.connect().await?;
    for n in 1..=FRAMES {
        let frame = chance.pick(&corpus);
        let text = mutate::mutated(chance, frame, &corpus);
        // The gateway may close it before all frames are sent; the close code is checked below.
        drop(hostile.send_text(&text).await);
        drop(hostile.send(&ClientFrame::Ping(Ping { n })).await);
        if let Err(error) = answer(&mut hostile, n).await {
            let shown: String = text.chars().take(200).collect();
            // A message that isn't read to its end has no expected answer.
            let is_cut_off = text.len() > WS_MESSAGE_BYTES_MAX;
            let is_documented = error.to_string().contains(&close::BAD_FRAME.to_string());
            ensure!(is_documented || is_cut_off, "{error:#} after {shown}");
            hostile = dogwatch.connect().await?;
        }
        if n % 50 == 0 {
            neighbour.send(&ClientFrame::Ping(Ping { n })).await?;
            answer(&mut neighbour, n).await.context("the neighbour")?;
        }
    }
    neighbour.until_sync().await
}

async fn answer(client: &mut Client, n: u64) -> Result<()> {
    client.until(|frame| matches!(frame, ServerFrame::Pong(pong) if pong.n == n)).await.map(drop)
}
