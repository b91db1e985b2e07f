//! The same nonsense over the real socket of a running gateway: each connection ends with a documented
//! code or goes on answering, and a neighbour's doesn't notice.

use anyhow::{Context, Result, ensure};
use gateway::limits::WS_MESSAGE_BYTES_MAX;
use shared::frame::client::{ClientFrame, Ping};
use shared::frame::close;
use shared::frame::server::ServerFrame;
use tests::dogwatch::Home;
use tests::viewer::{Viewer, all_pods, socket_of};

use crate::chance::Chance;
use crate::{corpus, mutate};

const FRAMES: u64 = 300;

pub async fn run(chance: &mut Chance) -> Result<()> {
    let (home, dogwatch) = Home::demo()?;
    let socket = socket_of(home.path(), dogwatch.port())?;
    let mut neighbour = Viewer::connect(&socket).await?;
    neighbour.subscribe(1, all_pods()?).await?;
    let corpus = corpus::of_clients();
    let mut hostile = Viewer::connect(&socket).await?;
    for n in 1..=FRAMES {
        let frame = chance.pick(&corpus);
        let text = mutate::mutated(chance, frame, &corpus);
        // It may be closed before all is said; the answer tells.
        drop(hostile.say_text(&text).await);
        drop(hostile.say(&ClientFrame::Ping(Ping { n })).await);
        if let Err(error) = answer(&mut hostile, n).await {
            let shown: String = text.chars().take(200).collect();
            // Of what isn't read to its end nothing can be said.
            let is_cut_off = text.len() > WS_MESSAGE_BYTES_MAX;
            let is_documented = error.to_string().contains(&close::BAD_FRAME.to_string());
            ensure!(is_documented || is_cut_off, "{error:#} after {shown}");
            hostile = Viewer::connect(&socket).await?;
        }
        if n % 50 == 0 {
            neighbour.say(&ClientFrame::Ping(Ping { n })).await?;
            answer(&mut neighbour, n).await.context("the neighbour")?;
        }
    }
    neighbour.until(|frame| matches!(frame, ServerFrame::Sync(_))).await?;
    Ok(())
}

async fn answer(viewer: &mut Viewer, n: u64) -> Result<()> {
    viewer.until(|frame| matches!(frame, ServerFrame::Pong(pong) if pong.n == n)).await.map(drop)
}
