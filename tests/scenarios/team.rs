//! What a team writes into its gateway's configuration reaches every page.

use anyhow::Result;
use shared::frame::server::{Board, ServerFrame};
use testkit::dogwatch::Home;

const CONFIGURATION: &str = "pinned: [nodes, unicorns.example.com]
boards: [{name: On call, link: '/b?v=pods@playground/shop&v=nodes@playground/-'}]
";

#[tokio::test]
async fn a_teams_pins_and_boards_are_in_every_welcome() -> Result<()> {
    let home = Home::new()?;
    let file = home.path().join("team.yaml");
    std::fs::write(&file, CONFIGURATION)?;
    let dogwatch = home.serve(&["--demo", "--listen", "127.0.0.1:0", "--config", &file.to_string_lossy()])?;
    let mut client = dogwatch.connect().await?;
    let frame = client.until(|frame| matches!(frame, ServerFrame::Welcome(_))).await?;
    let ServerFrame::Welcome(welcome) = frame else { panic!("{frame:?}") };
    assert_eq!(welcome.pinned, ["nodes", "unicorns.example.com"].map(Box::from));
    let link = "/b?v=pods@playground/shop&v=nodes@playground/-".into();
    assert_eq!(welcome.boards, [Board { name: "On call".into(), link }]);
    Ok(())
}
