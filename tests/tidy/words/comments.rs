//! The text of comments and of Markdown, paragraph by paragraph, each word with its line. It judges nothing, and
//! leaves out fenced code.

/// How the files with this ending hold comments.
struct Syntax {
    ending: &'static str,
    /// What begins the comment of a line.
    line: Option<&'static str>,
    /// What begins and what ends the comment of several lines.
    block: Option<Block>,
}
type Block = (&'static str, &'static str);

const SYNTAX: [Syntax; 17] = [
    of("rs", Some("//"), None),
    of("go", Some("//"), Some(C)),
    of("js", Some("//"), Some(C)),
    of("jsx", Some("//"), Some(C)),
    of("mjs", Some("//"), Some(C)),
    of("ts", Some("//"), Some(C)),
    of("tsx", Some("//"), Some(C)),
    of("proto", Some("//"), Some(C)),
    of("vue", Some("//"), Some(MARKUP)),
    of("svelte", Some("//"), Some(MARKUP)),
    of("html", Some("//"), Some(MARKUP)),
    of("css", None, Some(C)),
    of("py", Some("#"), None),
    of("sh", Some("#"), None),
    of("yaml", Some("#"), None),
    of("toml", Some("#"), None),
    // `.ci/run`, a shell script.
    of("run", Some("#"), None),
];
const C: Block = ("/*", "*/");
const MARKUP: Block = ("<!--", "-->");

const fn of(ending: &'static str, line: Option<&'static str>, block: Option<Block>) -> Syntax {
    Syntax { ending, line, block }
}

/// Text that is read as a whole: the comments of lines that follow each other, an item of a list, a cell of a table.
#[derive(Debug, Default, PartialEq)]
pub struct Paragraph {
    pub text: String,
    /// Where in `text` each line begins, and its number.
    lines: Vec<(usize, usize)>,
}

impl Paragraph {
    /// The text with every byte between backticks replaced, so that places stay what they are.
    pub fn without_code(&self) -> String {
        let parts = self.text.split('`').enumerate();
        let parts: Vec<String> = parts
            .map(|(at, part)| if at % 2 == 0 { part.to_owned() } else { "_".repeat(part.len()) })
            .collect();
        parts.join("`")
    }

    /// The number of the line that holds this byte of the text.
    pub fn line_of(&self, at: usize) -> usize {
        self.lines.iter().rev().find(|(begin, _)| *begin <= at).map_or(0, |(_, number)| *number)
    }
}

/// The comments of a source file, or all of a document; nothing of a file of any other kind.
pub fn paragraphs(name: &str, text: &str) -> Vec<Paragraph> {
    let ending = name.rsplit(['.', '/']).next().unwrap_or_default();
    if ending == "md" {
        return Reader::default().document(text);
    }
    let syntax = SYNTAX.iter().find(|syntax| syntax.ending == ending);
    syntax.map(|syntax| Reader::default().comments(text, syntax)).unwrap_or_default()
}

#[derive(Default)]
struct Reader {
    read: Vec<Paragraph>,
    open: Paragraph,
    in_fence: bool,
}

impl Reader {
    fn document(mut self, text: &str) -> Vec<Paragraph> {
        for (index, line) in text.lines().enumerate() {
            // A title isn't a sentence.
            let line = if line.starts_with('#') { "" } else { line };
            self.line(index + 1, line);
        }
        self.end();
        self.read
    }

    fn comments(mut self, text: &str, syntax: &Syntax) -> Vec<Paragraph> {
        let mut block: Option<&str> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(end) = block {
                let comment = line.split(end).next().unwrap_or_default();
                block = block.filter(|end| !line.contains(end));
                self.line(number, comment.trim_start().trim_start_matches("* ").trim_start_matches('*'));
            } else if let Some((is_alone, comment)) =
                syntax.line.and_then(|marker| after_marker(line, marker))
            {
                if !is_alone {
                    self.end();
                }
                self.line(number, comment);
            } else if let Some((begin, end)) = syntax.block.filter(|(begin, _)| line.contains(begin)) {
                let comment = line.split(begin).nth(1).unwrap_or_default();
                block = (!comment.contains(end)).then_some(end);
                self.end();
                self.line(
                    number,
                    comment.split(end).next().unwrap_or_default().trim_start_matches(['*', '!']),
                );
            } else {
                // The comment of a flag is what `--help` prints, so it is text for users.
                if line.trim_start().starts_with("#[arg(") {
                    self.open = Paragraph::default();
                }
                self.end();
                self.in_fence = false;
            }
        }
        self.end();
        self.read
    }

    fn line(&mut self, number: usize, line: &str) {
        let line = line.trim();
        if line.starts_with("```") {
            self.end();
            self.in_fence = !self.in_fence;
        } else if line.is_empty() || self.in_fence {
            self.end();
        } else if line.starts_with('|') {
            self.end();
            for cell in line.split('|') {
                self.push(number, cell.trim());
                self.end();
            }
        } else {
            let item = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(". ");
            let item =
                item.or(line.strip_prefix("- ")).or(line.strip_prefix("* ")).or(line.strip_prefix("> "));
            if item.is_some() {
                self.end();
            }
            self.push(number, item.unwrap_or(line));
        }
    }

    fn push(&mut self, number: usize, text: &str) {
        if !self.open.text.is_empty() {
            self.open.text.push(' ');
        }
        self.open.lines.push((self.open.text.len(), number));
        self.open.text.push_str(text);
    }

    fn end(&mut self) {
        if !self.open.text.is_empty() {
            self.read.push(std::mem::take(&mut self.open));
        }
    }
}

/// The comment of a line, and whether it stands there alone. A marker in a string begins none.
fn after_marker<'a>(line: &'a str, marker: &str) -> Option<(bool, &'a str)> {
    let is_whole = line.trim_start().starts_with(marker);
    let at = if is_whole {
        line.find(marker)?
    } else {
        let spaced = format!(" {marker} ");
        let at = line.rfind(&spaced)? + 1;
        let quotes = line.get(..at)?.matches('"').count();
        (quotes % 2 == 0).then_some(at)?
    };
    let comment = line.get(at + marker.len()..)?;
    Some((is_whole, comment.trim_start_matches(['/', '!'])))
}

#[test]
fn comments_are_told_from_the_code_around_them() {
    for (name, text, found) in [
        (
            "a.rs",
            "//! Two\n//! lines.\n//!\n//! - An item.\nuse a;\n",
            vec![(1, "Two lines."), (4, "An item.")],
        ),
        ("a.rs", "let a = 1; // Behind it.\nlet b = \"http://x // y\";\n", vec![(1, "Behind it.")]),
        ("a.rs", "/// `Of` code.\n/// ```\n/// Of code\n/// ```\n", vec![(1, "`Of` code.")]),
        ("a.rs", "/// Printed\n#[arg(long)]\nflag: bool,\n", vec![]),
        ("a.css", "/* One\n   two */\na { b: c; } /* three */\n", vec![(1, "One two"), (3, "three")]),
        ("a.sh", "# Why\nrun # how\n", vec![(1, "Why"), (2, "how")]),
        ("a.md", "# Title\nText\ngoes on.\n| a | b |\n", vec![(2, "Text goes on."), (4, "a"), (4, "b")]),
        ("a.png", "# Why\n", vec![]),
    ] {
        let read = paragraphs(name, text);
        let read: Vec<_> = read.iter().map(|one| (one.line_of(0), one.text.as_str())).collect();
        assert_eq!(read, found, "{text}");
    }
}
