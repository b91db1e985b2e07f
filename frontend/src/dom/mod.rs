//! The browser's own things behind small names: every cast and every closure handed to JavaScript
//! stands here. Never a decision: `app` says what to do with an event, `views` what to show.

pub(crate) mod address;
pub(crate) mod build;
pub(crate) mod clock;
pub(crate) mod element;
pub(crate) mod page;
pub(crate) mod shadow;
pub(crate) mod storage;
pub(crate) mod timing;

/// An element that a view is mounted into.
pub(crate) type Host = web_sys::HtmlElement;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// A listener that lives as long as the page does; there is one of each, made at the start.
pub(crate) fn listen(target: &web_sys::EventTarget, event: &str, on_event: impl FnMut() + 'static) {
    let closure = Closure::<dyn FnMut()>::new(on_event);
    // A target that exists takes any listener; there is nothing to do if it didn't.
    let _ = target.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
    closure.forget();
}
