//! The page as a person uses it, with keys and pointer, in Chromium: on the playground, on its faults, and on
//! a real kube-apiserver.

mod accessibility;
mod board;
mod columns;
mod embed;
mod every_kind;
mod exact;
mod faults;
mod finding;
mod go_to;
mod link;
mod log;
mod many;
mod odd;
mod panel;
mod place;
mod recovery;
mod rig;
mod sizes;
mod stopped;
mod storage;
mod table;
mod tabs;
mod team;
mod third_party_page;
mod version;

use anyhow::Result;
use cluster::{ControlPlane, Fleet, Options};
use rig::Rig;
use testkit::browser::Look;

#[tokio::test]
async fn a_reader_of_the_playground_keeps_what_is_seen() -> Result<()> {
    read(Rig::of_demo().await?, None).await
}

#[tokio::test]
async fn a_reader_of_a_real_cluster_with_a_fleet_keeps_what_is_seen() -> Result<()> {
    let fleet = Some(Fleet { speed: 4, ..Fleet::default() });
    let plane = ControlPlane::start(Options { fleet, ..Options::default() })?;
    let rig = Rig::of_plane(&plane, Look::default()).await?;
    read(rig, Some(&plane)).await
}

/// The playground takes the same commands as kubectl, which is asked where there is a real cluster.
async fn read(rig: Rig, plane: Option<&ControlPlane>) -> Result<()> {
    table::what_is_paused_stands_still(&rig).await?;
    table::rows_that_were_selected_stay_selected(&rig).await?;
    table::what_is_exported_is_what_is_shown(&rig, plane).await?;
    table::the_focus_is_a_row_and_never_a_place(&rig).await?;
    table::rows_of_the_window_are_used_again_and_stand_in_order(&rig).await?;
    log::every_event_is_a_line(&rig).await?;
    log::a_log_is_filtered_paused_and_cleared(&rig).await?;
    board::two_panes_over_the_same_rows_keep_their_filters_apart(&rig).await?;
    board::a_board_is_one_link_over_one_socket(&rig).await?;
    go_to::a_few_letters_lead_to_a_kind_and_a_namespace(&rig).await?;
    go_to::a_pinned_kind_stays_at_the_top(&rig).await?;
    link::what_of_a_link_cannot_be_read_is_named_and_the_rest_is_used(&rig).await?;
    link::back_and_forward_go_through_what_was_seen(&rig).await?;
    rig.browser.close().await
}
