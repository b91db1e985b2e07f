//! The browser's notifications. Those that are shown are kept, so that they can be closed.

mod sound;

use std::cell::RefCell;

use page::effect::MayNotify;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Notification, NotificationOptions, NotificationPermission};

use crate::prelude::window;
use crate::views::fetched::Notifications;

pub(crate) const ALL: Notifications = Notifications { may, ask, show, close_all, sound: sound::sound };

/// A notification, and what a click on it does.
type Shown = (Notification, Closure<dyn FnMut()>);

thread_local! {
    static SHOWN: RefCell<Vec<Shown>> = const { RefCell::new(Vec::new()) };
}

/// Browsers show fewer.
const SHOWN_MAX: usize = 20;

fn may() -> MayNotify {
    let is_there = js_sys::Reflect::has(&window(), &JsValue::from_str("Notification")).unwrap_or_default();
    if !is_there || !window().is_secure_context() {
        return MayNotify::NotHere;
    }
    of(Notification::permission())
}

fn of(permission: NotificationPermission) -> MayNotify {
    match permission {
        NotificationPermission::Granted => MayNotify::Yes,
        NotificationPermission::Denied => MayNotify::No,
        _ => MayNotify::Asks,
    }
}

/// Asks the reader, after a click.
fn ask(answer: Box<dyn FnOnce(MayNotify)>) {
    let asked = Some(may()).filter(|may| *may == MayNotify::Asks);
    let asked = asked.and_then(|_| Notification::request_permission().ok());
    wasm_bindgen_futures::spawn_local(async move {
        if let Some(asked) = asked {
            let _ = JsFuture::from(asked).await;
        }
        answer(may());
    });
}

fn show(text: &str, chosen: Box<dyn Fn()>) {
    let options = NotificationOptions::new();
    options.set_body(text);
    // Two tabs that tell the same show it once.
    let _ = js_sys::Reflect::set(&options, &"tag".into(), &text.into());
    let Ok(notification) = Notification::new_with_options("Dogwatch", &options) else { return };
    let of_click = notification.clone();
    let choose = Closure::<dyn FnMut()>::new(move || {
        let _ = window().focus();
        of_click.close();
        chosen();
    });
    notification.set_onclick(Some(choose.as_ref().unchecked_ref()));
    SHOWN.with_borrow_mut(|shown| {
        shown.push((notification, choose));
        let surplus = shown.len().saturating_sub(SHOWN_MAX);
        shown.drain(..surplus);
    });
}

fn close_all() {
    for (notification, _) in SHOWN.take() {
        notification.set_onclick(None);
        notification.close();
    }
}
