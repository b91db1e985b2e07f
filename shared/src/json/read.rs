//! How scalars, lists and JSON itself are read.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Malformed, Number, Read, Reader, Result};

impl Read for bool {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        json.boolean()
    }
}

impl Read for u64 {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        match json.number()? {
            Number::Positive(number) => Ok(number),
            _ => Err(Malformed),
        }
    }
}

impl Read for i64 {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        match json.number()? {
            Number::Positive(number) => number.try_into().map_err(|_| Malformed),
            Number::Negative(number) => Ok(number),
            Number::Float(_) => Err(Malformed),
        }
    }
}

impl Read for f64 {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        #[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
        Ok(match json.number()? {
            Number::Positive(number) => number as Self,
            Number::Negative(number) => number as Self,
            Number::Float(number) => number,
        })
    }
}

macro_rules! narrower {
    ($($type:ty)*) => {$(
        impl Read for $type {
            fn read(json: &mut Reader<'_>) -> Result<Self> {
                i64::read(json)?.try_into().map_err(|_| Malformed)
            }
        }
    )*};
}

narrower! { i32 u32 u16 usize }

impl Read for String {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        json.text().map(std::borrow::Cow::into_owned)
    }
}

impl Read for Box<str> {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        json.text().map(Into::into)
    }
}

impl<T: Read> Read for Box<T> {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        T::read(json).map(Self::new)
    }
}

impl<T: Read> Read for Option<T> {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        if json.null()? { Ok(None) } else { T::read(json).map(Some) }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        let mut items = Self::new();
        json.list(&mut |json| {
            items.push(T::read(json)?);
            Ok(())
        })?;
        Ok(items)
    }
}

impl<A: Read, B: Read> Read for (A, B) {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        let pair = (json.item(true)?, json.item(false)?);
        json.end()?;
        Ok(pair)
    }
}

macro_rules! by_name {
    ($($type:ty)*) => {$(
        impl<T: Read> Read for BTreeMap<$type, T> {
            fn read(json: &mut Reader<'_>) -> Result<Self> {
                let mut map = Self::new();
                json.object(&mut |json, name| {
                    map.insert(name.into(), T::read(json)?);
                    Ok(())
                })?;
                Ok(map)
            }
        }
    )*};
}

by_name! { Box<str> String }

/// A map by numbers, whose names are those numbers in decimal.
macro_rules! by_number {
    ($($type:ty)*) => {$(
        impl<T: Read> Read for BTreeMap<$type, T> {
            fn read(json: &mut Reader<'_>) -> Result<Self> {
                let mut map = Self::new();
                json.object(&mut |json, name| {
                    let is_padded = name.len() > 1 && name.starts_with('0');
                    let number = name.parse().ok().filter(|_| !is_padded && !name.starts_with('+'));
                    map.insert(number.ok_or(Malformed)?, T::read(json)?);
                    Ok(())
                })?;
                Ok(map)
            }
        }
    )*};
}

by_number! { u16 usize }

impl Read for Value {
    #[inline(never)]
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        Ok(match json.peek() {
            Some(b'"') => Self::String(Read::read(json)?),
            Some(b'{') => {
                let mut fields = serde_json::Map::new();
                json.object(&mut |json, name| {
                    fields.insert(name.to_owned(), Self::read(json)?);
                    Ok(())
                })?;
                Self::Object(fields)
            }
            Some(b'[') => Self::Array(Read::read(json)?),
            Some(b't' | b'f') => Self::Bool(json.boolean()?),
            Some(b'n') => json.null().map(|_| Self::Null)?,
            _ => match json.number()? {
                Number::Positive(number) => number.into(),
                Number::Negative(number) => number.into(),
                Number::Float(number) => number.into(),
            },
        })
    }
}

impl Read for Box<RawValue> {
    fn read(json: &mut Reader<'_>) -> Result<Self> {
        RawValue::from_string(json.raw()?.to_owned()).map_err(|_| Malformed)
    }
}
