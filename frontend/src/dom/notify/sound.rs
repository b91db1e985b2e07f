//! A short tone of the browser's own making: no file is fetched. Never before its reader clicked in this page, because a browser
//! would play it at the next click, when it says nothing any more. Its objects are called by their names, so that only this
//! piece of the program knows them.

use std::cell::RefCell;

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::prelude::window;

thread_local! {
    /// A browser allows a few.
    static CONTEXT: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

/// An A, as a tuning fork has it, an octave higher.
const HERTZ: f64 = 880.0;
const SECONDS: f64 = 0.25;
const LOUDNESS: f64 = 0.2;
/// A tone that is cut off clicks.
const SILENCE: f64 = 0.001;

pub(super) fn sound() {
    // A browser without sound says nothing more than the list does.
    let _ = play();
}

fn play() -> Result<(), JsValue> {
    if !is_used()? {
        return Ok(());
    }
    let held = CONTEXT.with_borrow(Clone::clone);
    let context = match held {
        Some(context) => context,
        None => {
            let make: Function = get(&window(), "AudioContext")?.dyn_into()?;
            let made = Reflect::construct(&make, &js_sys::Array::new())?;
            CONTEXT.set(Some(made.clone()));
            made
        }
    };
    call(&context, "resume", &[])?;
    let (tone, level) = (call(&context, "createOscillator", &[])?, call(&context, "createGain", &[])?);
    let now = get(&context, "currentTime")?.as_f64().unwrap_or_default();
    let (pitch, gain) = (get(&tone, "frequency")?, get(&level, "gain")?);
    call(&pitch, "setValueAtTime", &[HERTZ, now])?;
    call(&gain, "setValueAtTime", &[LOUDNESS, now])?;
    call(&gain, "exponentialRampToValueAtTime", &[SILENCE, now + SECONDS])?;
    method(&tone, "connect")?.call1(&tone, &level)?;
    method(&level, "connect")?.call1(&level, &get(&context, "destination")?)?;
    call(&tone, "start", &[now])?;
    call(&tone, "stop", &[now + SECONDS])?;
    Ok(())
}

/// Whether its reader clicked in this page, or pressed a key.
fn is_used() -> Result<bool, JsValue> {
    let activation = get(&window().navigator(), "userActivation")?;
    if activation.is_undefined() {
        return Ok(false);
    }
    Ok(get(&activation, "hasBeenActive")?.is_truthy())
}

fn get(of: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    Reflect::get(of, &name.into())
}

fn method(of: &JsValue, name: &str) -> Result<Function, JsValue> {
    get(of, name)?.dyn_into()
}

fn call(of: &JsValue, name: &str, with: &[f64]) -> Result<JsValue, JsValue> {
    let with: js_sys::Array = with.iter().map(|value| JsValue::from_f64(*value)).collect();
    method(of, name)?.apply(of, &with)
}
