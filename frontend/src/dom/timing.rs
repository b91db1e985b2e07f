//! Animation frames and alarms. Never a loop: each call requests one frame, and does nothing while one is pending.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use shared::state::UnixMillis;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::stopped::is_stopped;

/// At most one pending animation frame. A hidden page gets its frame when it is visible again.
#[derive(Clone)]
pub(crate) struct Frame(Rc<FrameCore>);

struct FrameCore {
    pending: Cell<Option<i32>>,
    closure: RefCell<Option<Closure<dyn FnMut()>>>,
}

/// Cancels the frame, because its closure is dropped.
impl Drop for FrameCore {
    fn drop(&mut self) {
        if let (Some(window), Some(pending)) = (web_sys::window(), self.pending.get()) {
            let _ = window.cancel_animation_frame(pending);
        }
    }
}

impl Frame {
    pub(crate) fn new(mut on_event: impl FnMut() + 'static) -> Self {
        let core = Rc::new(FrameCore { pending: Cell::new(None), closure: RefCell::new(None) });
        let weak = Rc::downgrade(&core);
        let closure = Closure::new(move || {
            if let Some(core) = weak.upgrade() {
                core.pending.set(None);
            }
            if !is_stopped() {
                on_event();
            }
        });
        core.closure.replace(Some(closure));
        Self(core)
    }

    pub(crate) fn request(&self) {
        if self.0.pending.get().is_some() {
            return;
        }
        let asked = web_sys::window().and_then(|window| {
            let closure = self.0.closure.borrow();
            window.request_animation_frame(closure.as_ref()?.as_ref().unchecked_ref()).ok()
        });
        self.0.pending.set(asked);
    }
}

/// One timeout at a time. It may ring too early; its closure then sets it again.
pub(crate) struct Alarm {
    closure: Closure<dyn FnMut()>,
    pending: Rc<Cell<Option<Pending>>>,
}

#[derive(Clone, Copy)]
struct Pending {
    handle: i32,
    due_ms: UnixMillis,
}

impl Alarm {
    pub(crate) fn new(mut on_event: impl FnMut() + 'static) -> Self {
        let pending = Rc::new(Cell::new(None));
        let rings = pending.clone();
        let closure = Closure::new(move || {
            rings.set(None);
            if !is_stopped() {
                on_event();
            }
        });
        Self { closure, pending }
    }

    /// Each frame of the gateway moves the due time to later, so only an earlier time is set in the browser.
    pub(crate) fn set(&self, due_ms: UnixMillis, now_ms: UnixMillis) {
        let Some(window) = web_sys::window() else { return };
        match self.pending.get() {
            Some(pending) if pending.due_ms <= due_ms => return,
            Some(pending) => window.clear_timeout_with_handle(pending.handle),
            None => {}
        }
        let in_ms = i32::try_from(due_ms.saturating_sub(now_ms).max(0)).unwrap_or(i32::MAX);
        let function = self.closure.as_ref().unchecked_ref();
        let handle = window.set_timeout_with_callback_and_timeout_and_arguments_0(function, in_ms);
        self.pending.set(handle.ok().map(|handle| Pending { handle, due_ms }));
    }
}
