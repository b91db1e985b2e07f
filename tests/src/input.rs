//! A person's hand in the page: keys to whatever has the focus, the pointer on whatever is seen. Never
//! the page's own code.

use anyhow::{Context, Result};
use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::key::Key;

use crate::browser::Browser;
use crate::page::DEEP;

/// Presses keys one after another.
///
/// # Errors
/// When the session is gone.
pub async fn press(browser: &Browser, keys: &[Key]) -> Result<()> {
    type_text(browser, &keys.iter().map(|key| *key + "").collect::<String>()).await
}

/// Types a text, or a key by its character.
///
/// # Errors
/// When the session is gone.
pub async fn type_text(browser: &Browser, text: &str) -> Result<()> {
    let strokes = text.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
    let actions = strokes.fold(KeyActions::new("keys".into()), KeyActions::then);
    Ok(browser.client().perform_actions(actions).await?)
}

/// A key while another is held.
///
/// # Errors
/// When the session is gone.
pub async fn press_with(browser: &Browser, held: Key, key: Key) -> Result<()> {
    let value = |key: Key| (key + "").chars().next().context("a key");
    let (held, key) = (value(held)?, value(key)?);
    let actions = KeyActions::new("keys".into())
        .then(KeyAction::Down { value: held })
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key })
        .then(KeyAction::Up { value: held });
    Ok(browser.client().perform_actions(actions).await?)
}

/// Clicks in the middle of the element that the expression gives.
///
/// # Errors
/// When there is no such element.
pub async fn click(browser: &Browser, element: &str) -> Result<()> {
    let (x, y) = middle(browser, element).await?;
    let actions = MouseActions::new("mouse".into())
        .then(PointerAction::MoveTo { duration: None, x, y })
        .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
        .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
    Ok(browser.client().perform_actions(actions).await?)
}

/// Drags one element to where another is, or so many pixels from itself.
///
/// # Errors
/// When there is no such element.
pub async fn drag(browser: &Browser, element: &str, to: To<'_>) -> Result<()> {
    let (x, y) = middle(browser, element).await?;
    let (to_x, to_y) = match to {
        To::Element(element) => middle(browser, element).await?,
        To::Right(px) => (x + px, y),
    };
    let actions = MouseActions::new("mouse".into())
        .then(PointerAction::MoveTo { duration: None, x, y })
        .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
        .then(PointerAction::MoveTo { duration: None, x: f64::midpoint(x, to_x), y: f64::midpoint(y, to_y) })
        .then(PointerAction::MoveTo { duration: None, x: to_x, y: to_y })
        .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
    Ok(browser.client().perform_actions(actions).await?)
}

#[derive(Clone, Copy, Debug)]
pub enum To<'a> {
    Element(&'a str),
    Right(f64),
}

async fn middle(browser: &Browser, element: &str) -> Result<(f64, f64)> {
    let script = format!(
        "{DEEP} const box = ({element})?.getBoundingClientRect();
         return box ? [box.x + box.width / 2, box.y + Math.min(box.height / 2, 12)] : null;"
    );
    let place = browser.run(&script, Vec::new()).await?;
    serde_json::from_value::<Option<(f64, f64)>>(place)?
        .with_context(|| format!("there is no element {element}"))
}

pub const ENTER: char = '\u{e007}';
pub const ESCAPE: char = '\u{e00c}';
pub const BACKSPACE: char = '\u{e003}';
pub const SPACE: char = ' ';
pub const TAB: char = '\u{e004}';
pub const DOWN: char = '\u{e015}';
pub const RIGHT: char = '\u{e014}';
pub const LEFT: char = '\u{e012}';

/// The keyboard is in a row of the table.
pub const IN_A_ROW: &str = "!!document.activeElement?.shadowRoot?.activeElement?.closest('[data-row]')";

impl Browser {
    /// Presses one key after another, wherever the focus is.
    ///
    /// # Errors
    /// When the session is gone.
    pub async fn press(&self, keys: &str) -> Result<()> {
        type_text(self, keys).await
    }

    /// Clicks on what the selector finds first, in the page or a shadow root.
    ///
    /// # Errors
    /// When nothing of that kind is there.
    pub async fn click(&self, selector: &str) -> Result<()> {
        click(self, &format!("deep({})[0]", serde_json::to_string(selector)?)).await
    }

    /// The keyboard comes to the row that Tab would reach; a click would open its panel as well.
    ///
    /// # Errors
    /// When there is no row.
    pub async fn enter_table(&self) -> Result<()> {
        self.until("a row that Tab reaches", "deep('[data-row][tabindex=\"0\"]').length > 0").await?;
        self.read("deep('[data-row][tabindex=\"0\"]')[0].focus()").await?;
        self.until("the row has the focus", IN_A_ROW).await
    }

    /// The value of an expression in the page.
    ///
    /// # Errors
    /// What it threw.
    pub async fn read(&self, expression: &str) -> Result<serde_json::Value> {
        self.run(&format!("{DEEP} return {expression};"), Vec::new()).await
    }

    /// The same, as a text.
    ///
    /// # Errors
    /// What it threw.
    pub async fn text(&self, expression: &str) -> Result<String> {
        Ok(self.read(expression).await?.as_str().unwrap_or_default().to_owned())
    }
}
