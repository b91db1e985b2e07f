//! How wide a text is, without laying anything out: asked once per widest cell of a column.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

pub(crate) struct TextWidth(Option<CanvasRenderingContext2d>);

impl TextWidth {
    pub(crate) fn new() -> Self {
        Self(context())
    }

    /// `font` is CSS's shorthand.
    pub(crate) fn measure_px(&self, font: &str, text: &str) -> f64 {
        let measured = self.0.as_ref().and_then(|context| {
            context.set_font(font);
            context.measure_text(text).ok()
        });
        // Without a canvas: 7 px is the usual character of a 12 px monospaced font.
        measured.map_or_else(|| 7.0 * f64::from(u32::try_from(text.len()).unwrap_or(0)), |metrics| metrics.width())
    }
}

fn context() -> Option<CanvasRenderingContext2d> {
    let canvas = super::page::document()?.create_element("canvas").ok()?;
    let canvas: HtmlCanvasElement = canvas.dyn_into().ok()?;
    canvas.get_context("2d").ok().flatten()?.dyn_into().ok()
}
