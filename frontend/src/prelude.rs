//! What every view uses: Leptos' signals, and the views of [`crate::dom::html`].

pub(crate) use leptos::prelude::{
    Effect, Get, GetUntracked, GetValue, Memo, NodeRef, Owner, Read, RwSignal, Set, SetValue, StoredValue,
    Track, Update, UpdateValue, With, WithUntracked, WithValue, WriteValue, event_target_value, location,
    on_cleanup, request_animation_frame, set_timeout, window, window_event_listener,
};

pub(crate) use crate::dom::html::{AnyView, IntoView};
