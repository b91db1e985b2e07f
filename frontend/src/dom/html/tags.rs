//! The elements that the views have.

use super::El;

macro_rules! elements {
    (is_svg: $is_svg:literal, $($name:ident)*) => {$(
        pub(crate) fn $name() -> El {
            El::new(stringify!($name), $is_svg)
        }
    )*};
}

elements! {
    is_svg: false,
    a aside b button code dd details div dl dt footer form h1 h2 h3 header input kbd label li main nav ol option p s section select slot span summary table tbody td th thead tr ul
}

pub(crate) mod svg {
    use super::El;

    elements! {
        is_svg: true,
        circle defs line path pattern rect svg symbol text title
    }

    /// A copy of a symbol.
    pub(crate) fn r#use() -> El {
        El::new("use", true)
    }
}
