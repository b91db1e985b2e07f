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
            let make = get(&window(), "AudioContext")?;
            let reflect = get(&window(), "Reflect")?;
            // A function that takes no arguments has the length 0, as a list of none has.
            let made = method(&reflect, "construct")?.call2(&reflect, &make, &make)?;
            CONTEXT.set(Some(made.clone()));
            made
        }
    };
    method(&context, "resume")?.call0(&context)?;
    let tone = method(&context, "createOscillator")?.call0(&context)?;
    let level = method(&context, "createGain")?.call0(&context)?;
    let now = get(&context, "currentTime")?;
    let end = JsValue::from_f64(now.as_f64().unwrap_or_default() + SECONDS);
    let (pitch, gain) = (get(&tone, "frequency")?, get(&level, "gain")?);
    method(&pitch, "setValueAtTime")?.call2(&pitch, &HERTZ.into(), &now)?;
    method(&gain, "setValueAtTime")?.call2(&gain, &LOUDNESS.into(), &now)?;
    method(&gain, "exponentialRampToValueAtTime")?.call2(&gain, &SILENCE.into(), &end)?;
    method(&tone, "connect")?.call1(&tone, &level)?;
    method(&level, "connect")?.call1(&level, &get(&context, "destination")?)?;
    method(&tone, "start")?.call1(&tone, &now)?;
    method(&tone, "stop")?.call1(&tone, &end)?;
    Ok(())
}

/// Whether its reader clicked in this page, or pressed a key.
fn is_used() -> Result<bool, JsValue> {
    let activation = get(&get(&window(), "navigator")?, "userActivation")?;
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
