//! What a view may be made of: texts, closures that say one, and several of them. Each becomes the same few types here.

use std::borrow::Cow;

use crate::prelude::{Get, Memo};
use wasm_bindgen::JsValue;

use super::{AnyView, El, Part, Place};

/// A text that an attribute has, or that it has none.
pub(crate) trait Text {
    fn text(self) -> Option<Cow<'static, str>>;
}

impl Text for &'static str {
    fn text(self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(self))
    }
}

impl Text for String {
    fn text(self) -> Option<Cow<'static, str>> {
        Some(Cow::Owned(self))
    }
}

impl Text for Cow<'static, str> {
    fn text(self) -> Option<Cow<'static, str>> {
        Some(self)
    }
}

/// An attribute that is there, or isn't.
impl Text for bool {
    fn text(self) -> Option<Cow<'static, str>> {
        self.then_some(Cow::Borrowed(""))
    }
}

impl<T: Text> Text for Option<T> {
    fn text(self) -> Option<Cow<'static, str>> {
        self.and_then(Text::text)
    }
}

/// A text, or a closure that says it.
pub(crate) trait Attribute {
    fn part(self, place: Place) -> Part;
}

impl<F, T> Attribute for F
where
    F: FnMut() -> T + 'static,
    T: Text,
{
    fn part(mut self, place: Place) -> Part {
        Part::Follow(place, Box::new(move || self().text()))
    }
}

/// The texts that aren't closures.
macro_rules! texts {
    ($($text:ty),*) => {$(
        impl Attribute for $text {
            fn part(self, place: Place) -> Part {
                Part::Set(place, self.text())
            }
        }
    )*};
}

texts!(&'static str, String, Cow<'static, str>, bool, Option<&'static str>, Option<String>);

impl<T: Text + Clone + Send + Sync + 'static> Attribute for Memo<T> {
    fn part(self, place: Place) -> Part {
        Attribute::part(move || self.get(), place)
    }
}

pub(crate) trait ClassValue {
    fn part(self) -> Part;
}

const CLASS: Place = Place::Attribute("class");

impl<F, T> ClassValue for F
where
    F: FnMut() -> T + 'static,
    T: Text,
{
    fn part(self) -> Part {
        Attribute::part(self, CLASS)
    }
}

impl ClassValue for &'static str {
    fn part(self) -> Part {
        Attribute::part(self, CLASS)
    }
}

impl ClassValue for String {
    fn part(self) -> Part {
        Attribute::part(self, CLASS)
    }
}

impl ClassValue for (&'static str, bool) {
    fn part(self) -> Part {
        Part::Toggle(self.0, self.1)
    }
}

impl<F: FnMut() -> bool + 'static> ClassValue for (&'static str, F) {
    fn part(self) -> Part {
        Part::FollowToggle(self.0, Box::new(self.1))
    }
}

impl ClassValue for (&'static str, Memo<bool>) {
    fn part(self) -> Part {
        let (name, has) = self;
        Part::FollowToggle(name, Box::new(move || has.get()))
    }
}

pub(crate) trait PropValue {
    fn part(self, name: &'static str) -> Part;
}

impl PropValue for bool {
    fn part(self, name: &'static str) -> Part {
        Part::Prop(name, self.into())
    }
}

impl PropValue for String {
    fn part(self, name: &'static str) -> Part {
        Part::Prop(name, self.into())
    }
}

impl<F, T> PropValue for F
where
    F: FnMut() -> T + 'static,
    T: Into<JsValue>,
{
    fn part(mut self, name: &'static str) -> Part {
        Part::FollowProp(name, Box::new(move || self().into()))
    }
}

impl<T: Into<JsValue> + Clone + Send + Sync + 'static> PropValue for Memo<T> {
    fn part(self, name: &'static str) -> Part {
        PropValue::part(move || self.get(), name)
    }
}

/// What can stand in a page.
pub(crate) trait IntoView: Sized {
    fn into_any(self) -> AnyView;

    /// As children: several stand there one by one.
    fn into_views(self, among: &mut Vec<AnyView>) {
        among.push(self.into_any());
    }
}

impl IntoView for AnyView {
    fn into_any(self) -> AnyView {
        self
    }
}

impl IntoView for El {
    fn into_any(self) -> AnyView {
        AnyView::Element(self)
    }
}

impl IntoView for &'static str {
    fn into_any(self) -> AnyView {
        AnyView::Text(Cow::Borrowed(self))
    }
}

impl IntoView for String {
    fn into_any(self) -> AnyView {
        AnyView::Text(Cow::Owned(self))
    }
}

impl IntoView for Cow<'static, str> {
    fn into_any(self) -> AnyView {
        AnyView::Text(self)
    }
}

impl IntoView for () {
    fn into_any(self) -> AnyView {
        AnyView::Nothing
    }
}

impl<T: IntoView> IntoView for Option<T> {
    fn into_any(self) -> AnyView {
        self.map_or(AnyView::Nothing, IntoView::into_any)
    }
}

impl<T: IntoView> IntoView for Vec<T> {
    fn into_any(self) -> AnyView {
        AnyView::Several(self.into_iter().map(IntoView::into_any).collect())
    }
}

impl<T: IntoView, const N: usize> IntoView for [T; N] {
    fn into_any(self) -> AnyView {
        AnyView::Several(self.map(IntoView::into_any).into())
    }
}

impl<F, V> IntoView for F
where
    F: FnMut() -> V + 'static,
    V: IntoView,
{
    fn into_any(mut self) -> AnyView {
        AnyView::Follows(Box::new(move || self().into_any()))
    }
}

impl<T: IntoView + Clone + Send + Sync + 'static> IntoView for Memo<T> {
    fn into_any(self) -> AnyView {
        (move || self.get()).into_any()
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: IntoView),+> IntoView for ($($name,)+) {
            fn into_any(self) -> AnyView {
                let mut views = Vec::new();
                self.into_views(&mut views);
                AnyView::Several(views)
            }

            fn into_views(self, among: &mut Vec<AnyView>) {
                #[expect(non_snake_case, reason = "a value is named as its type")]
                let ($($name,)+) = self;
                $($name.into_views(among);)+
            }
        }
    };
}

tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
