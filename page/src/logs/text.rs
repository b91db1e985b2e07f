//! A line as it is shown: its colours as numbers of a terminal's palette, every other control character visible. Nothing
//! of it is obeyed.

use shared::unseen::{is_joiner, is_unseen};

use crate::cells;

/// A line without control characters, and which parts of it look otherwise than the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: Box<str>,
    pub(super) styled: Box<[Styled]>,
}

/// From one byte to before another, in order and apart from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Styled {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) style: Style,
}

/// How a part of a line looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// One of the eight colours of a terminal.
    pub ink: Option<u8>,
    pub ground: Option<u8>,
    pub is_bold: bool,
    pub is_faint: bool,
    pub is_italic: bool,
    pub is_underlined: bool,
    /// It stands in place of a character that isn't seen.
    pub is_unseen: bool,
}

/// What a terminal keeps between two escapes.
#[derive(Clone, Copy, Default)]
struct Pen {
    style: Style,
    is_reversed: bool,
}

const TAB_COLUMNS: usize = 4;
const GREY: u8 = 7;

impl Text {
    pub(super) fn read(line: &str) -> Self {
        if line.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !line.chars().any(is_unruly) {
            return Self { text: line.into(), styled: Box::default() };
        }
        let mut reading = Reading::default();
        let mut rest = line;
        while let Some(character) = rest.chars().next() {
            if let Some((codes, behind)) = escape(rest) {
                reading.pen.obey(codes);
                rest = behind;
                continue;
            }
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
            reading.push(character);
        }
        reading.end();
        Self { text: reading.text.into(), styled: reading.styled.into() }
    }
}

#[derive(Default)]
struct Reading {
    text: String,
    columns: usize,
    styled: Vec<Styled>,
    pen: Pen,
    /// The style of what was written last, and where that began.
    run: (Style, usize),
}

impl Reading {
    fn push(&mut self, character: char) {
        if character == '\t' {
            let columns = TAB_COLUMNS - self.columns % TAB_COLUMNS;
            self.style(self.pen.style());
            self.text.extend(std::iter::repeat_n(' ', columns));
            self.columns += columns;
        } else if is_unruly(character) {
            self.style(Style { is_unseen: true, ..self.pen.style() });
            let shown = cells::shown(character.encode_utf8(&mut [0; 4])).into_owned();
            self.columns += shown.chars().count();
            self.text.push_str(&shown);
        } else {
            self.style(self.pen.style());
            self.text.push(character);
            self.columns += 1;
        }
    }

    /// What is written next looks so.
    fn style(&mut self, style: Style) {
        if self.run.0 != style {
            self.end();
            self.run = (style, self.text.len());
        }
    }

    fn end(&mut self) {
        let (style, start) = self.run;
        let end = self.text.len();
        if style != Style::default() && start < end {
            self.styled.push(Styled { start, end, style });
        }
        self.run = (style, end);
    }
}

/// The numbers of an escape that sets colours, and what stands behind it. Every other escape is text.
fn escape(text: &str) -> Option<(&str, &str)> {
    let codes = text.strip_prefix("\x1b[")?;
    let end = codes.find(|c: char| !c.is_ascii_digit() && !matches!(c, ';' | ':'))?;
    let (codes, behind) = codes.split_at_checked(end)?;
    Some((codes, behind.strip_prefix('m')?))
}

fn is_unruly(character: char) -> bool {
    character.is_control() || is_unseen(character) && !is_joiner(character)
}

impl Pen {
    fn style(self) -> Style {
        if !self.is_reversed {
            return self.style;
        }
        let ground = self.style.ink.or(Some(GREY));
        Style { ink: None, ground, ..self.style }
    }

    /// The colours and weights of ECMA-48. What would hide the text (8, conceal) is left out, and so is blinking.
    fn obey(&mut self, codes: &str) {
        let mut codes = codes.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or_default());
        while let Some(code) = codes.next() {
            let style = &mut self.style;
            match code {
                0 => *self = Self::default(),
                1 => style.is_bold = true,
                2 => style.is_faint = true,
                3 => style.is_italic = true,
                4 => style.is_underlined = true,
                7 => self.is_reversed = true,
                22 => (style.is_bold, style.is_faint) = (false, false),
                23 => style.is_italic = false,
                24 => style.is_underlined = false,
                27 => self.is_reversed = false,
                30..=37 => style.ink = of_eight(code - 30),
                40..=47 => style.ground = of_eight(code - 40),
                90..=97 => style.ink = of_eight(code - 90),
                100..=107 => style.ground = of_eight(code - 100),
                38 => style.ink = wide_colour(&mut codes),
                48 => style.ground = wide_colour(&mut codes),
                39 => style.ink = None,
                49 => style.ground = None,
                _ => {}
            }
        }
    }
}

fn of_eight(code: u16) -> Option<u8> {
    u8::try_from(code).ok().filter(|code| *code < 8)
}

/// The nearest of the eight colours to one of 256 (`5;n`) or to any (`2;r;g;b`).
fn wide_colour(codes: &mut impl Iterator<Item = u16>) -> Option<u8> {
    match codes.next()? {
        5 => match codes.next()? {
            code @ 0..=15 => of_eight(code % 8),
            code @ 16..=231 => {
                let code = code - 16;
                nearest([code / 36 * 51, code / 6 % 6 * 51, code % 6 * 51])
            }
            code => nearest([(code.min(255) - 231) * 10; 3]),
        },
        2 => {
            let [red, green, blue] = [codes.next()?, codes.next()?, codes.next()?];
            nearest([red, green, blue])
        }
        _ => None,
    }
}

/// Each bit of a colour's number is one of its lights.
fn nearest(lights: [u16; 3]) -> Option<u8> {
    let brightest = lights.into_iter().max().unwrap_or_default();
    let is_on = |light: u16| u8::from(brightest >= 48 && light * 3 > brightest * 2);
    let [red, green, blue] = lights.map(is_on);
    Some(red | green << 1 | blue << 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Vec<(String, Style)> {
        let Text { text, styled } = Text::read(line);
        styled.iter().map(|part| (text[part.start..part.end].to_owned(), part.style)).collect()
    }

    #[test]
    fn colours_become_parts_and_leave_the_text() {
        let red = Style { ink: Some(1), ..Style::default() };
        assert_eq!(parts("a \x1b[31mb\x1b[0m c"), [("b".to_owned(), red)]);
        assert_eq!(&*Text::read("a \x1b[31mb\x1b[0m c").text, "a b c");
        let bold = Style { is_bold: true, ..red };
        assert_eq!(parts("\x1b[1;91mb\x1b[m"), [("b".to_owned(), bold)]);
        for wide in ["\x1b[38;5;196mb", "\x1b[38;2;250;20;10mb", "\x1b[38:5:1mb"] {
            assert_eq!(parts(wide), [("b".to_owned(), red)], "{wide:?}");
        }
        let on_red = Style { ground: Some(1), ..Style::default() };
        assert_eq!(parts("\x1b[31;7mb"), [("b".to_owned(), on_red)]);
        assert_eq!(parts("\x1b[8mhidden"), []);
    }

    #[test]
    fn r_log_2_what_would_move_the_cursor_or_the_text_is_shown_and_not_obeyed() {
        for (line, shown) in [
            ("a\x1b[2Jb", "a\u{241b}[2Jb"),
            ("a\x1b]8;;https://x\x07b", "a\u{241b}]8;;https://x\u{2407}b"),
            ("10%\r20%", "10%\u{240d}20%"),
            ("a\x08b\x00c\x7f", "a\u{2408}b\u{2400}c\u{2421}"),
            ("user\u{202e}nimda", "user\u{27e8}202E\u{27e9}nimda"),
            ("a\u{200b}b", "a\u{27e8}200B\u{27e9}b"),
            ("a\u{9b}31mb", "a\u{27e8}009B\u{27e9}31mb"),
            ("\x1b[31", "\u{241b}[31"),
        ] {
            assert_eq!(&*Text::read(line).text, shown, "{line:?}");
        }
        assert_eq!(&*Text::read("a\tb\t\tc").text, "a   b       c");
        let text = Text::read("a\x07b");
        assert!(text.styled.iter().all(|part| part.style.is_unseen) && text.styled.len() == 1);
        let plain = "κόσμος 👩\u{200d}🔧";
        assert_eq!(&*Text::read(plain).text, plain);
    }

    #[test]
    fn parts_lie_in_their_text_whatever_the_line_is() {
        let pieces = ["\x1b[", "1", ";", "38", "5", "m", "ä", "\t", "\r", "\x1b", "x", "[0m", "\u{202e}"];
        let mut seed = 7_usize;
        for _ in 0..20_000 {
            let mut line = String::new();
            for _ in 0..seed % 9 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                line.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            seed = seed.wrapping_add(1);
            let Text { text, styled } = Text::read(&line);
            assert!(!text.chars().any(is_unruly), "{line:?}");
            let mut last = 0;
            for part in styled {
                assert!(part.start >= last && part.end > part.start, "{line:?}");
                assert!(text.get(part.start..part.end).is_some(), "{line:?}");
                last = part.end;
            }
        }
    }
}
