//! The browser's WebSocket to the gateway. Each message goes on as soon as it comes. While the program still loads, the
//! script `greeting.js` opens the first socket and keeps its messages; this module takes over both. Later sockets are
//! opened here, whenever the replica asks for one.

use std::cell::RefCell;
use std::rc::Rc;

use shared::codec::Message;
use shared::frame::VERSION;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CloseEvent, MessageEvent, WebSocket};

use crate::stopped::is_stopped;

#[wasm_bindgen(module = "/greeting.js")]
extern "C" {
    /// The first one may have been opened and greeted before the program was there.
    #[wasm_bindgen(catch, js_name = socket)]
    fn socket_js(url: &str, version: &str) -> Result<WebSocket, JsValue>;
}

pub(crate) enum Event {
    Opened,
    Message(Message),
    Closed { code: u16 },
}

/// Dropping it closes the socket; no event follows.
pub(crate) struct Socket {
    socket: WebSocket,
    _open: Closure<dyn FnMut()>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _close: Closure<dyn FnMut(CloseEvent)>,
}

impl Socket {
    /// `None` if the browser refuses the URL.
    pub(crate) fn open(url: &str, on_event: impl FnMut(Event) + 'static) -> Option<Self> {
        let socket = socket_js(url, VERSION).ok()?;
        let heard = {
            let (socket, on_event) = (socket.clone(), RefCell::new(on_event));
            // What broke may have left `on_event` borrowed.
            Rc::new(move |event: Event| match is_stopped() {
                true => drop(socket.close()),
                false => on_event.borrow_mut()(event),
            })
        };
        let on_open = heard.clone();
        let open = Closure::<dyn FnMut()>::new(move || on_open(Event::Opened));
        let on_message = heard.clone();
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(message) = read(&event) {
                on_message(Event::Message(message));
            }
        });
        let close = Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| {
            heard(Event::Closed { code: event.code() });
        });
        socket.set_onopen(Some(open.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(message.as_ref().unchecked_ref()));
        // An error is always followed by a close.
        socket.set_onclose(Some(close.as_ref().unchecked_ref()));
        Some(Self { socket, _open: open, _message: message, _close: close })
    }

    /// A socket that is closing drops the message; its close event follows.
    pub(crate) fn send(&self, text: &str) {
        let _ = self.socket.send_with_str(text);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.socket.set_onopen(None);
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        let _ = self.socket.close();
    }
}

fn read(event: &MessageEvent) -> Option<Message> {
    let data = event.data();
    if let Some(text) = data.as_string() {
        return Some(Message::Text(text));
    }
    let buffer = data.dyn_into::<js_sys::ArrayBuffer>().ok()?;
    Some(Message::Binary(js_sys::Uint8Array::new(&buffer).to_vec()))
}
