//! Makes elements of a view, and changes them into those of another one: what has the same shape keeps its elements, and with
//! them the focus and how far it is scrolled.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::prelude::{Owner, RenderEffect, document};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlElement, Node};

use super::list::{Item, Key};
use super::{AnyView, Described, El, IntoView, Listener, Part, Place};

/// A view in the document.
enum State {
    /// A comment that keeps the place.
    Nothing(Node),
    Text(Node, Cow<'static, str>),
    Element(Box<Rendered>),
    /// Up to a comment behind the last one.
    Several(Vec<State>, Node),
    Follows(Followed<State>),
    Keyed(Followed<Items>),
}

struct Rendered {
    node: Element,
    tag: &'static str,
    parts: Vec<Done>,
    children: Vec<State>,
}

/// What an effect writes, and the effect.
struct Followed<T> {
    held: Rc<RefCell<Option<T>>>,
    _effect: RenderEffect<()>,
}

/// A part of an element that is done.
enum Done {
    Set(Place, Option<Cow<'static, str>>),
    Follow(Place, #[expect(dead_code, reason = "it runs until its element goes")] RenderEffect<()>),
    Toggle(&'static str, bool),
    FollowToggle(
        &'static str,
        #[expect(dead_code, reason = "it runs until its element goes")] RenderEffect<()>,
    ),
    Prop(&'static str, JsValue),
    FollowProp(
        &'static str,
        #[expect(dead_code, reason = "it runs until its element goes")] RenderEffect<()>,
    ),
    On(Listener, Closure<dyn FnMut(Event)>),
    Ref,
}

/// A mounted view. Dropping it removes what it has in the document.
pub(crate) struct Mounted {
    state: Option<State>,
    _owner: Owner,
}

/// Mounts a view as the last child of a node.
pub(crate) fn mount<V: IntoView>(parent: &Node, view: impl FnOnce() -> V) -> Mounted {
    let owner = Owner::new();
    let state = owner.with(|| {
        let state = State::of(view().into_any());
        state.mount(parent, None);
        state
    });
    Mounted { state: Some(state), _owner: owner }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            state.remove();
        }
    }
}

const SVG: &str = "http://www.w3.org/2000/svg";

impl State {
    fn of(view: AnyView) -> Self {
        match view {
            AnyView::Nothing => Self::Nothing(comment()),
            AnyView::Text(text) => Self::Text(document().create_text_node(&text).into(), text),
            AnyView::Element(view) => Self::element(view),
            AnyView::Several(views) => Self::Several(views.into_iter().map(Self::of).collect(), comment()),
            AnyView::Follows(mut view) => {
                Self::Follows(Followed::new(move |held: &mut Option<Self>| match held {
                    Some(state) => state.become_view(view()),
                    None => *held = Some(Self::of(view())),
                }))
            }
            AnyView::Keyed(mut items) => {
                let mut first = Some(Items::new(comment()));
                Self::Keyed(Followed::new(move |held: &mut Option<Items>| {
                    let wanted = items();
                    if held.is_none() {
                        *held = first.take();
                    }
                    if let Some(held) = held {
                        held.update(wanted);
                    }
                }))
            }
        }
    }

    fn element(view: El) -> Self {
        let Described { tag, is_svg, parts, children } = *view.0;
        let node = match is_svg {
            true => document().create_element_ns(Some(SVG), tag),
            false => document().create_element(tag),
        };
        // Only a name that isn't one is refused.
        let Ok(node) = node else { return Self::Nothing(comment()) };
        let parts = parts.into_iter().map(|part| Done::of(part, &node, true)).collect();
        let children: Vec<Self> = children.into_iter().map(Self::of).collect();
        children.iter().for_each(|child| child.mount(&node, None));
        Self::Element(Box::new(Rendered { node, tag, parts, children }))
    }

    /// Puts it there, or moves it.
    fn mount(&self, parent: &Node, before: Option<&Node>) {
        let put = |node: &Node| {
            let _ = parent.insert_before(node, before);
        };
        match self {
            Self::Nothing(node) | Self::Text(node, _) => put(node),
            Self::Element(held) => put(&held.node),
            Self::Several(states, end) => {
                states.iter().for_each(|state| state.mount(parent, before));
                put(end);
            }
            Self::Follows(held) => held.with(|state| state.mount(parent, before)),
            Self::Keyed(held) => held.with(|items| {
                items.states().for_each(|state| state.mount(parent, before));
                put(&items.end);
            }),
        }
    }

    fn remove(&self) {
        let take = |node: &Node| {
            if let Some(parent) = node.parent_node() {
                let _ = parent.remove_child(node);
            }
        };
        match self {
            Self::Nothing(node) | Self::Text(node, _) => take(node),
            Self::Element(held) => take(&held.node),
            Self::Several(states, end) => {
                states.iter().for_each(Self::remove);
                take(end);
            }
            Self::Follows(held) => held.with(Self::remove),
            Self::Keyed(held) => held.with(|items| {
                items.states().for_each(Self::remove);
                take(&items.end);
            }),
        }
    }

    fn first(&self) -> Node {
        match self {
            Self::Nothing(node) | Self::Text(node, _) => node.clone(),
            Self::Element(held) => held.node.clone().into(),
            Self::Several(states, end) => states.first().map_or_else(|| end.clone(), Self::first),
            Self::Follows(held) => held.read(Self::first),
            Self::Keyed(held) => {
                held.read(|items| items.states().next().map_or_else(|| items.end.clone(), Self::first))
            }
        }
    }

    fn last(&self) -> Node {
        match self {
            Self::Nothing(node) | Self::Text(node, _) | Self::Several(_, node) => node.clone(),
            Self::Element(held) => held.node.clone().into(),
            Self::Follows(held) => held.read(Self::last),
            Self::Keyed(held) => held.read(|items| items.end.clone()),
        }
    }

    /// Becomes what this view is.
    fn become_view(&mut self, view: AnyView) {
        let other = match (&mut *self, view) {
            (Self::Nothing(_), AnyView::Nothing) => return,
            (Self::Text(node, held), AnyView::Text(text)) => {
                if *held != text {
                    node.set_node_value(Some(&text));
                    *held = text;
                }
                return;
            }
            (Self::Element(held), AnyView::Element(view)) if held.is_alike(&view.0) => {
                return held.become_element(*view.0);
            }
            (Self::Several(states, end), AnyView::Several(views)) => return become_views(states, end, views),
            (_, view) => view,
        };
        let new = Self::of(other);
        let first = self.first();
        if let Some(parent) = first.parent_node() {
            new.mount(&parent, Some(&first));
        }
        self.remove();
        *self = new;
    }
}

fn become_views(states: &mut Vec<State>, end: &Node, views: Vec<AnyView>) {
    states.drain(views.len().min(states.len())..).for_each(|state| state.remove());
    for (at, view) in views.into_iter().enumerate() {
        match states.get_mut(at) {
            Some(state) => state.become_view(view),
            None => {
                let state = State::of(view);
                if let Some(parent) = end.parent_node() {
                    state.mount(&parent, Some(end));
                }
                states.push(state);
            }
        }
    }
}

/// The rendered items, up to the node behind the last one.
struct Items {
    items: Vec<Kept>,
    end: Node,
    /// Outlives a new rendering of the list.
    owner: Option<Owner>,
}

struct Kept {
    key: Box<dyn Key>,
    state: State,
    /// Dropped with it.
    _owner: Owner,
}

impl Items {
    fn new(end: Node) -> Self {
        Self { items: Vec::new(), end, owner: Owner::current() }
    }

    fn states(&self) -> impl DoubleEndedIterator<Item = &State> {
        self.items.iter().map(|item| &item.state)
    }

    fn update(&mut self, wanted: Vec<Item>) {
        let mut former: Vec<Option<Kept>> = std::mem::take(&mut self.items).into_iter().map(Some).collect();
        let mut after = 0;
        for Item { key, make } in wanted {
            let is_it = |kept: &Option<Kept>| kept.as_ref().is_some_and(|kept| kept.key.is(&*key));
            // Most stand behind the one before.
            let behind = former.iter().skip(after).position(is_it).map(|at| after + at);
            let at = behind.or_else(|| former.iter().position(is_it));
            let kept = at.and_then(|at| {
                after = at + 1;
                former.get_mut(at)?.take()
            });
            self.items.push(kept.unwrap_or_else(|| self.make(key, make)));
        }
        former.into_iter().flatten().for_each(|kept| kept.state.remove());
        self.put_in_order();
    }

    fn make(&self, key: Box<dyn Key>, make: Box<dyn FnOnce() -> AnyView>) -> Kept {
        let owner = self.owner.as_ref().map_or_else(Owner::new, |outer| outer.with(Owner::new));
        let state = owner.with(|| State::of(make()));
        Kept { key, state, _owner: owner }
    }

    fn put_in_order(&self) {
        let Some(parent) = self.end.parent_node() else { return };
        let mut next = self.end.clone();
        for state in self.states().rev() {
            let stands = state.last().next_sibling().is_some_and(|after| after == next);
            if !stands {
                state.mount(&parent, Some(&next));
            }
            next = state.first();
        }
    }
}

fn comment() -> Node {
    document().create_comment("").into()
}

impl Rendered {
    /// Whether it differs in values alone.
    fn is_alike(&self, view: &Described) -> bool {
        self.tag == view.tag
            && self.children.len() == view.children.len()
            && self.parts.len() == view.parts.len()
            && self.parts.iter().zip(&view.parts).all(|(done, part)| done.is_of(part))
    }

    fn become_element(&mut self, view: Described) {
        for (done, part) in self.parts.iter_mut().zip(view.parts) {
            done.become_part(part, &self.node);
        }
        for (child, view) in self.children.iter_mut().zip(view.children) {
            child.become_view(view);
        }
    }
}

impl<T: 'static> Followed<T> {
    fn new(mut run: impl FnMut(&mut Option<T>) + 'static) -> Self {
        let held = Rc::new(RefCell::new(None));
        let inside = Rc::clone(&held);
        let effect = follow(Box::new(move || {
            // What runs may look for the node before it, so that nothing is held meanwhile.
            let mut now = inside.borrow_mut().take();
            run(&mut now);
            *inside.borrow_mut() = now;
        }));
        Self { held, _effect: effect }
    }

    fn with(&self, act: impl FnOnce(&T)) {
        if let Some(held) = &*self.held.borrow() {
            act(held);
        }
    }

    /// Nothing is held only while an effect runs: then there is no such node.
    fn read(&self, read: impl FnOnce(&T) -> Node) -> Node {
        self.held.borrow().as_ref().map_or_else(comment, read)
    }
}

/// The effect's task ends later, and would keep what it wrote until then: with it effects that read what is gone.
impl<T> Drop for Followed<T> {
    fn drop(&mut self) {
        let held = self.held.borrow_mut().take();
        drop(held);
    }
}

fn follow(mut run: Box<dyn FnMut()>) -> RenderEffect<()> {
    RenderEffect::new(move |_| run())
}

impl Done {
    /// `is_new`: the element has none of its attributes yet.
    fn of(part: Part, element: &Element, is_new: bool) -> Self {
        let element = element.clone();
        match part {
            Part::Set(place, text) => {
                if text.is_some() {
                    place.write(&element, text.as_deref());
                }
                Self::Set(place, text)
            }
            Part::Follow(place, mut text) => {
                let mut before = None;
                let run = move || {
                    let now = text();
                    if before.as_ref() != Some(&now) {
                        if !is_new || before.is_some() || now.is_some() {
                            place.write(&element, now.as_deref());
                        }
                        before = Some(now);
                    }
                };
                Self::Follow(place, follow(Box::new(run)))
            }
            Part::Toggle(class, has) => {
                toggle(&element, class, has);
                Self::Toggle(class, has)
            }
            Part::FollowToggle(class, mut has) => {
                Self::FollowToggle(class, follow(Box::new(move || toggle(&element, class, has()))))
            }
            Part::Prop(name, value) => {
                set_prop(&element, name, &value);
                Self::Prop(name, value)
            }
            Part::FollowProp(name, mut value) => {
                Self::FollowProp(name, follow(Box::new(move || set_prop(&element, name, &value()))))
            }
            Part::On(listener, mut handler) => {
                let owner = Owner::current().unwrap_or_default();
                let handle = move |event| owner.with(|| handler(event));
                let handler = Closure::<dyn FnMut(Event)>::new(handle);
                let _ = element.add_event_listener_with_callback_and_bool(
                    &listener.name,
                    handler.as_ref().unchecked_ref(),
                    listener.is_capture,
                );
                Self::On(listener, handler)
            }
            Part::Ref(load) => {
                load(&element);
                Self::Ref
            }
        }
    }

    fn is_of(&self, part: &Part) -> bool {
        match (self, part) {
            (Self::Set(a, _), Part::Set(b, _)) | (Self::Follow(a, _), Part::Follow(b, _)) => a == b,
            (Self::Toggle(a, _), Part::Toggle(b, _))
            | (Self::FollowToggle(a, _), Part::FollowToggle(b, _))
            | (Self::Prop(a, _), Part::Prop(b, _))
            | (Self::FollowProp(a, _), Part::FollowProp(b, _)) => a == b,
            (Self::On(a, _), Part::On(b, _)) => a == b,
            (Self::Ref, Part::Ref(_)) => true,
            _ => false,
        }
    }

    fn become_part(&mut self, part: Part, element: &Element) {
        match (&mut *self, part) {
            (Self::Set(place, held), Part::Set(_, text)) => {
                if *held != text {
                    place.write(element, text.as_deref());
                    *held = text;
                }
            }
            (Self::Toggle(class, held), Part::Toggle(_, has)) => {
                if *held != has {
                    toggle(element, class, has);
                    *held = has;
                }
            }
            (Self::Prop(name, held), Part::Prop(_, value)) => {
                if *held != value {
                    set_prop(element, name, &value);
                    *held = value;
                }
            }
            (_, part) => {
                if let Self::On(Listener { name, is_capture }, handler) = self {
                    let handler = handler.as_ref().unchecked_ref();
                    let _ = element.remove_event_listener_with_callback_and_bool(name, handler, *is_capture);
                }
                *self = Self::of(part, element, false);
            }
        }
    }
}

impl Place {
    fn write(self, element: &Element, text: Option<&str>) {
        match (self, text) {
            (Self::Attribute(name), Some(text)) => {
                let _ = element.set_attribute(name, text);
            }
            (Self::Attribute(name), None) => {
                let _ = element.remove_attribute(name);
            }
            (Self::Style(name), text) => {
                // Elements of both kinds have a style of their own.
                let style = element.unchecked_ref::<HtmlElement>().style();
                let _ = match text {
                    Some(text) => style.set_property(name, text),
                    None => style.remove_property(name).map(drop),
                };
            }
        }
    }
}

fn toggle(element: &Element, class: &str, has: bool) {
    let classes = element.class_list();
    let _ = if has { classes.add_1(class) } else { classes.remove_1(class) };
}

fn set_prop(element: &Element, name: &str, value: &JsValue) {
    let _ = js_sys::Reflect::set(element, &JsValue::from_str(name), value);
}
