//! Keys and pointer, as a person uses them: keys go to whatever has the focus, the pointer to what is seen. Never
//! the page's own code.

use anyhow::{Context, Result};
use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::elements::{Element, ElementRef};

use crate::browser::Browser;
use crate::page::DEEP;

/// Where the pointer drags an element to.
#[derive(Clone, Copy, Debug)]
pub enum To<'a> {
    /// The middle of the element that this expression gives.
    Element(&'a str),
    /// So many pixels to the right.
    Right(f64),
}

// Keys without a character, as WebDriver numbers them.
pub const ENTER: &str = "\u{e007}";
pub const HOME: &str = "\u{e011}";
pub const ESCAPE: &str = "\u{e00c}";
pub const BACKSPACE: &str = "\u{e003}";
pub const SPACE: &str = " ";
pub const TAB: &str = "\u{e004}";
pub const UP: &str = "\u{e013}";
pub const DOWN: &str = "\u{e015}";
pub const RIGHT: &str = "\u{e014}";
pub const LEFT: &str = "\u{e012}";
pub const ALT: char = '\u{e00a}';
pub const CONTROL: char = '\u{e009}';

/// The name of WebDriver for an element in an answer.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A row of the table has the focus.
pub const IN_A_ROW: &str = "!!document.activeElement?.shadowRoot?.activeElement?.closest('[data-row]')";

impl Browser {
    /// Presses one key after another, wherever the focus is.
    pub async fn press(&self, keys: &str) -> Result<()> {
        let strokes = keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        self.perform_keys(strokes).await
    }

    /// Presses keys while another one is held.
    pub async fn press_with(&self, held: char, keys: &str) -> Result<()> {
        let strokes = keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        let held_down = std::iter::once(KeyAction::Down { value: held });
        self.perform_keys(held_down.chain(strokes).chain([KeyAction::Up { value: held }])).await
    }

    async fn perform_keys(&self, strokes: impl Iterator<Item = KeyAction>) -> Result<()> {
        let actions = strokes.fold(KeyActions::new("keys".into()), KeyActions::then);
        Ok(self.client().perform_actions(actions).await?)
    }

    /// Clicks the first element that the selector finds, in the page or a shadow root.
    pub async fn click(&self, selector: &str) -> Result<()> {
        self.click_on(&format!("deep({})[0]", serde_json::to_string(selector)?)).await
    }

    /// Clicks in the middle of the element that the expression gives.
    pub async fn click_on(&self, element: &str) -> Result<()> {
        let (x, y) = self.middle(element).await?;
        let actions = MouseActions::new("mouse".into())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        Ok(self.client().perform_actions(actions).await?)
    }

    /// The same within a frame: chromedriver counts the pointer's place from the corner of the page around it.
    pub async fn click_within(&self, element: &str) -> Result<()> {
        let found = self.awaited(&format!("an element {element}"), element).await?;
        let id = found[ELEMENT].as_str().context("an element")?.to_owned();
        Ok(Element::from_element_id(self.client().clone(), ElementRef::from(id)).click().await?)
    }

    /// Moves the pointer to the middle of the element that the expression gives.
    pub async fn point(&self, element: &str) -> Result<()> {
        let (x, y) = self.middle(element).await?;
        let actions = MouseActions::new("mouse".into()).then(PointerAction::MoveTo { duration: None, x, y });
        Ok(self.client().perform_actions(actions).await?)
    }

    /// Drags one element to where another is, or so many pixels from itself.
    pub async fn drag(&self, element: &str, to: To<'_>) -> Result<()> {
        let (x, y) = self.middle(element).await?;
        let (to_x, to_y) = match to {
            To::Element(element) => self.middle(element).await?,
            To::Right(px) => (x + px, y),
        };
        let half_way = (f64::midpoint(x, to_x), f64::midpoint(y, to_y));
        let actions = MouseActions::new("mouse".into())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::MoveTo { duration: None, x: half_way.0, y: half_way.1 })
            .then(PointerAction::MoveTo { duration: None, x: to_x, y: to_y })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        Ok(self.client().perform_actions(actions).await?)
    }

    /// The middle of an element. It waits for the element, because a click may open it only now.
    async fn middle(&self, element: &str) -> Result<(f64, f64)> {
        let place = format!(
            "(() => {{
                const box = ({element})?.getBoundingClientRect();
                return box && [box.x + box.width / 2, box.y + Math.min(box.height / 2, 12)];
            }})()"
        );
        let place = self.awaited(&format!("an element {element}"), &place).await?;
        Ok(serde_json::from_value(place)?)
    }

    /// The keyboard comes to the row that Tab would reach; a click would open its panel as well.
    pub async fn enter_table(&self) -> Result<()> {
        let focused = format!("(deep('[data-row][tabindex=\"0\"]')[0]?.focus(), {IN_A_ROW})");
        self.until("the row that Tab reaches has the focus", &focused).await
    }

    /// The value of an expression in the page.
    pub async fn read(&self, expression: &str) -> Result<serde_json::Value> {
        self.run(&format!("{DEEP} return {expression};"), Vec::new()).await
    }

    /// The value of an expression in the page, which is a text.
    pub async fn text(&self, expression: &str) -> Result<String> {
        Ok(self.read(expression).await?.as_str().unwrap_or_default().to_owned())
    }
}
