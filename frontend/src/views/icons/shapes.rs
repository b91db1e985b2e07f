//! The shapes of each symbol, on grids of 18, 16 and 10 units. Nothing else.

pub(super) struct Symbol {
    pub(super) id: &'static str,
    pub(super) view_box: &'static str,
    pub(super) shapes: &'static [Shape],
}

pub(super) enum Shape {
    Path(&'static str),
    Filled(&'static str),
    /// With a class of a style sheet.
    Styled(&'static str, &'static str),
    Circle(&'static str, &'static str, &'static str),
    Disc(&'static str, &'static str, &'static str),
    Broken(&'static str, &'static str, &'static str, &'static str),
    Box(&'static str, &'static str, &'static str, &'static str),
    FilledBox(&'static str, &'static str, &'static str, &'static str),
}

use Shape::{Box, Broken, Circle, Disc, Filled, FilledBox, Path, Styled};

const fn on_16(id: &'static str, shapes: &'static [Shape]) -> Symbol {
    Symbol { id, view_box: "0 0 16 16", shapes }
}

const fn on_10(id: &'static str, shapes: &'static [Shape]) -> Symbol {
    Symbol { id, view_box: "0 0 10 10", shapes }
}

pub(super) const SYMBOLS: &[Symbol] = &[
    Symbol {
        id: "i-watch",
        view_box: "0 0 18 18",
        shapes: &[
            Circle("9", "9", "7.25"),
            Styled("M9 9 14.2 12A6 6 0 0 1 9 15Z", "brand-sector"),
            Path("M9 9 14.2 12M9 9v6"),
        ],
    },
    on_16("i-down", &[Path("m4 6 4 4 4-4")]),
    on_16("i-right", &[Path("m6 4 4 4-4 4")]),
    on_16("i-up-sort", &[Path("M8 13V3M4 7l4-4 4 4")]),
    on_16("i-down-sort", &[Path("M8 3v10M4 9l4 4 4-4")]),
    on_16("i-find", &[Circle("7", "7", "4.25"), Path("m10.2 10.2 3.3 3.3")]),
    on_16("i-filter", &[Path("M2.5 4h11M4.5 8h7M6.5 12h3")]),
    on_16("i-lock", &[Box("3.5", "7", "9", "6.5"), Path("M5.5 7V5a2.5 2.5 0 0 1 5 0v2")]),
    on_16("i-pause", &[Path("M5.5 3.5v9M10.5 3.5v9")]),
    on_16("i-play", &[Path("M5 3.5v9l7-4.5Z")]),
    on_16("i-columns", &[Box("2.5", "3", "11", "10"), Path("M6.2 3v10M9.8 3v10")]),
    on_16("i-log", &[Path("M3 4h1M6.5 4H13M3 8h1M6.5 8H13M3 12h1M6.5 12H11")]),
    on_16("i-get", &[Path("M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10")]),
    on_16("i-prompt", &[Path("m3 4.5 3.5 3.5L3 11.5M8.5 12H13")]),
    on_16(
        "i-link",
        &[
            Path("M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.7.7"),
            Path("M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.7-.7"),
        ],
    ),
    on_16("i-split", &[Box("2.5", "3", "11", "10"), Path("M8 3v10M8 8h5.5")]),
    on_16(
        "i-help",
        &[Circle("8", "8", "5.75"), Path("M6.3 6.4a1.75 1.75 0 1 1 2.5 1.6c-.5.25-.8.6-.8 1.2M8 11.3v.05")],
    ),
    on_16("i-bell", &[Path("M4 11V7.5a4 4 0 0 1 8 0V11l1 1.2H3ZM6.8 14h2.4")]),
    on_16("i-pin", &[Path("M6 2.5h4M6.5 2.5v4L4 9h8L9.5 6.5v-4M8 9v4.5")]),
    on_16("i-close", &[Path("m4 4 8 8M12 4l-8 8")]),
    on_16("i-theme", &[Circle("8", "8", "5.25"), Styled("M8 2.75a5.25 5.25 0 0 1 0 10.5Z", "icon-filled")]),
    on_16("i-more", &[Path("M3.5 8h.05M8 8h.05M12.5 8h.05")]),
    on_16("i-menu", &[Path("M2.5 4.5h11M2.5 8h11M2.5 11.5h11")]),
    on_16("i-plus", &[Path("M8 3.5v9M3.5 8h9")]),
    on_16("i-clock", &[Circle("8", "8", "5.5"), Path("M8 5v3.2l2.2 1.3")]),
    on_16("i-past", &[Path("M3.3 5.2A5.5 5.5 0 1 1 2.5 8M3 2.5v3h3M8 5v3.2l2.2 1.3")]),
    on_16("i-prev", &[Path("m10 4-4 4 4 4")]),
    on_16("i-end", &[Path("m4 4 4 4-4 4M11.5 4v8")]),
    on_16("i-gap", &[Path("M2 8h3M11 8h3M6.5 4l-1 8M10.5 4l-1 8")]),
    on_16("i-copy", &[Box("5.5", "5.5", "7.5", "8"), Path("M3 10.5v-7a1 1 0 0 1 1-1h6")]),
    on_16("i-retry", &[Path("M12.7 6A5 5 0 1 0 13 9M13 3v3.2H9.8")]),
    on_16("i-alert", &[Path("M8 2.8 14 13H2ZM8 6.8v3M8 11.4v.05")]),
    on_16("i-gone", &[Circle("8", "8", "5.5"), Path("m4.2 11.8 7.6-7.6")]),
    on_16("i-tick", &[Path("m3.5 8.5 3 3 6-7")]),
    on_10("g-ok", &[Disc("5", "5", "3.25")]),
    on_10("g-busy", &[Circle("5", "5", "3.5"), Filled("M5 1.5a3.5 3.5 0 0 1 0 7Z")]),
    on_10("g-warn", &[Path("M5 1.2 9.2 8.8H.8Z")]),
    on_10(
        "g-bad",
        &[FilledBox(".5", ".5", "9", "9"), Styled("m3.2 3.2 3.6 3.6M6.8 3.2 3.2 6.8", "glyph-cut")],
    ),
    on_10("g-done", &[Path("m1.5 5.5 2.3 2.3L8.5 2.2")]),
    on_10("g-idle", &[Circle("5", "5", "3.5")]),
    on_10("g-unknown", &[Broken("5", "5", "3.5", "3 2.5")]),
];
