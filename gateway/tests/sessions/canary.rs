//! Planted values that no frame may hold, whatever a client asks for.

use serde_json::json;
use shared::frame::server::ServerFrame;

use crate::over_channels::Client;

/// What stands in place of one.
pub const MASK: &str = "••••••••";

/// Reads until `wanted`, and sees that no frame holds a canary.
pub async fn read(client: &mut Client, wanted: impl Fn(&ServerFrame) -> bool) -> ServerFrame {
    loop {
        let frame = client.next().await;
        let text = format!("{}\n{frame:?}", json!(frame));
        assert!(!text.contains("canary"), "{text}");
        if wanted(&frame) {
            return frame;
        }
    }
}
