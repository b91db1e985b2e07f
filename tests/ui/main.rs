//! What only a browser can show of the page, with keys and pointer, in Chromium: on the playground, on its faults,
//! and on a real kube-apiserver. What the page decides is tested without a browser, in `page/tests/reader`.

mod accessibility;
mod base_path;
mod busy;
mod clusters;
mod controls;
mod digest;
mod element;
mod element_memory;
mod element_styles;
mod embed;
mod every_kind;
mod exact;
mod examples;
mod faults;
mod frame;
mod inline;
mod login;
mod many;
mod missing;
mod odd;
mod panel;
mod pieces;
mod place;
mod pointer;
mod recovery;
mod rig;
mod room;
mod session;
mod sizes;
mod stopped;
mod storage;
mod table;
mod tabs;
mod third_party_page;
mod version;
