//! Views in the words of a builder: `div().class("x").child(text)`. A view is plain data until [`render`] makes it a part of
//! the document and keeps it in step with what it is rebuilt from. So there is one code for each kind of text, attribute and
//! child, whatever the closures that say them: with a type of its own for each view the program was a quarter larger.

mod list;
mod render;
mod tags;
mod values;

use std::borrow::Cow;

use crate::prelude::NodeRef;
use tachys::html::element::ElementType;
use tachys::html::event::EventDescriptor;
use tachys::html::node_ref::NodeRefContainer;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event};

pub(crate) use list::keyed;
pub(crate) use render::{Mounted, mount};
pub(crate) use tags::*;
pub(crate) use values::IntoView;
use values::{Attribute, ClassValue, PropValue};

/// A part of a page that isn't rendered yet.
pub(crate) enum AnyView {
    /// Keeps a place.
    Nothing,
    Text(Cow<'static, str>),
    Element(El),
    Several(Vec<AnyView>),
    /// Made anew when a signal that it reads has another value.
    Follows(Box<dyn FnMut() -> AnyView>),
    /// Children that keep their elements while others come and go.
    Keyed(Box<dyn FnMut() -> Vec<list::Item>>),
}

/// An element. It is one pointer, because each word of the builder hands it on.
pub(crate) struct El(Box<Described>);

/// The tag of an element, what is said of it, and its children.
struct Described {
    tag: &'static str,
    is_svg: bool,
    parts: Vec<Part>,
    children: Vec<AnyView>,
}

/// Which events of an element are listened to.
#[derive(PartialEq)]
pub(crate) struct Listener {
    name: Cow<'static, str>,
    is_capture: bool,
}

/// Something that is said of an element, or done with it.
pub(crate) enum Part {
    Set(Place, Option<Cow<'static, str>>),
    Follow(Place, Box<dyn FnMut() -> Option<Cow<'static, str>>>),
    Toggle(&'static str, bool),
    FollowToggle(&'static str, Box<dyn FnMut() -> bool>),
    Prop(&'static str, JsValue),
    FollowProp(&'static str, Box<dyn FnMut() -> JsValue>),
    On(Listener, Box<dyn FnMut(Event)>),
    Ref(Box<dyn Fn(&Element)>),
}

/// Where a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Attribute(&'static str),
    /// A property of the element's own style.
    Style(&'static str),
}

impl El {
    #[inline(never)]
    fn new(tag: &'static str, is_svg: bool) -> Self {
        Self(Box::new(Described { tag, is_svg, parts: Vec::new(), children: Vec::new() }))
    }

    #[inline(never)]
    fn with(mut self, part: Part) -> Self {
        self.0.parts.push(part);
        self
    }

    pub(crate) fn attr(self, name: &'static str, value: impl Attribute) -> Self {
        self.with(value.part(Place::Attribute(name)))
    }

    /// All classes of the element, or a class with whether it has it.
    pub(crate) fn class(self, class: impl ClassValue) -> Self {
        self.with(class.part())
    }

    pub(crate) fn style(self, (name, value): (&'static str, impl Attribute)) -> Self {
        self.with(value.part(Place::Style(name)))
    }

    pub(crate) fn prop(self, name: &'static str, value: impl PropValue) -> Self {
        self.with(value.part(name))
    }

    pub(crate) fn on<E>(self, event: E, handler: impl FnMut(E::EventType) + 'static) -> Self
    where
        E: EventDescriptor,
        E::EventType: JsCast,
    {
        self.listen(Listener { name: event.name(), is_capture: false }, handler)
    }

    /// Before what is inside hears it.
    pub(crate) fn on_capture<E>(self, event: E, handler: impl FnMut(E::EventType) + 'static) -> Self
    where
        E: EventDescriptor,
        E::EventType: JsCast,
    {
        self.listen(Listener { name: event.name(), is_capture: true }, handler)
    }

    fn listen<T: JsCast>(self, listener: Listener, mut handler: impl FnMut(T) + 'static) -> Self {
        self.with(Part::On(listener, Box::new(move |event| handler(event.unchecked_into()))))
    }

    pub(crate) fn node_ref<E>(self, node_ref: NodeRef<E>) -> Self
    where
        E: ElementType + 'static,
        E::Output: JsCast + 'static,
    {
        self.with(Part::Ref(Box::new(move |element| node_ref.load(element))))
    }

    pub(crate) fn child(mut self, child: impl IntoView) -> Self {
        child.into_views(&mut self.0.children);
        self
    }
}
