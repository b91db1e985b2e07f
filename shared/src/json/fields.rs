//! What a struct or an enum says of itself to be read.

/// Reads a struct: the fields that must be there, and those that may be missing. A field has its own name in JSON unless
/// another one stands behind it.
#[macro_export]
macro_rules! fields {
    ($type:ty: $($must:ident $($must_name:literal)?),*; $($may:ident $($may_name:literal)?),*) => {
        impl $crate::json::Read for $type {
            fn read(json: &mut $crate::json::Reader<'_>) -> $crate::json::Result<Self> {
                $(let mut $must = None;)*
                $(let mut $may = None;)*
                json.object(&mut |json, name| {
                    $(if name == $crate::json::fields!(@ $must $($must_name)?) { return json.field(&mut $must); })*
                    $(if name == $crate::json::fields!(@ $may $($may_name)?) { return json.field(&mut $may); })*
                    json.skip()
                })?;
                Ok(Self {
                    $($must: $must.ok_or($crate::json::Malformed)?,)*
                    $($may: $may.unwrap_or_default(),)*
                })
            }
        }
    };
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $name:literal) => { $name };
}

/// Reads an enum without data from its words. An unknown word is an error, or what stands behind `else`.
#[macro_export]
macro_rules! words {
    ($type:ty: $($word:literal => $variant:ident),* $(; else $other:ident)?) => {
        impl $crate::json::Read for $type {
            #[inline(never)]
            fn read(json: &mut $crate::json::Reader<'_>) -> $crate::json::Result<Self> {
                let word = json.text()?;
                $(if word == $word { return Ok(Self::$variant); })*
                $crate::json::words!(@ $($other)?)
            }
        }
    };
    (@) => { Err($crate::json::Malformed) };
    (@ $other:ident) => { Ok(Self::$other) };
}

pub use {fields, words};
