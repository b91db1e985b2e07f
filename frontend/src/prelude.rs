//! What every view uses: Leptos' signals, and the views of [`crate::dom::html`].

pub(crate) use leptos_dom::helpers::{
    document, event_target_value, location, location_hash, request_animation_frame, set_timeout, window,
    window_event_listener,
};
pub(crate) use reactive_graph::computed::Memo;
pub(crate) use reactive_graph::effect::{Effect, RenderEffect};
pub(crate) use reactive_graph::owner::{LocalStorage, Owner, StoredValue, on_cleanup};
pub(crate) use reactive_graph::signal::RwSignal;
pub(crate) use reactive_graph::traits::{
    Get, GetUntracked, GetValue, Notify, Read, Set, SetValue, Track, Update, UpdateValue, With,
    WithUntracked, WithValue, WriteValue,
};
pub(crate) use tachys::reactive_graph::node_ref::NodeRef;

pub(crate) use crate::dom::html::{AnyView, IntoView};
