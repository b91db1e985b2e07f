//! `index.html` as it is served: the assets' hashed names in it, the program's start, no comments.

use anyhow::{Context, Result};

use shared::frame::VERSION;

use crate::assets::url;

/// The names of the files that the program consists of.
pub(crate) struct Start {
    pub(crate) script: String,
    pub(crate) program: Program,
}

/// What both starts load.
pub(crate) struct Program {
    /// Shows that the page stopped, when the program can't any more.
    pub(crate) stopped: String,
    pub(crate) key: String,
    /// Opens the first socket.
    pub(crate) greeting: String,
    pub(crate) glue: String,
    /// Loads the pieces of the program.
    pub(crate) link: String,
    pub(crate) module: String,
}

/// `add` takes a file of the clone in and answers its URL. `start`: what goes before the end of the head.
pub(crate) fn page(text: &str, start: &str, mut add: impl FnMut(&str) -> Result<String>) -> Result<String> {
    let mut page = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        page += before;
        if let Some(comment) = after.strip_prefix("!--") {
            let (_, after) = comment.split_once("-->").context("a comment has no end")?;
            rest = after;
            continue;
        }
        let (tag, after) = after.split_once('>').context("a tag has no end")?;
        rest = after;
        if tag == "/head" {
            page += start;
        }
        page += &format!("<{}>", element(tag, &mut add)?);
    }
    page += rest;
    let lines: Vec<&str> = page.lines().filter(|line| !line.trim().is_empty()).collect();
    Ok(lines.join("\n") + "\n")
}

/// Without inline script: an external module that greets the gateway and hands the wasm's URL to the glue. The URLs are
/// relative to it, so a path prefix doesn't concern it.
pub(crate) fn start_module(program: &Program) -> String {
    let Program { stopped, greeting, glue, module, .. } = program;
    let client = concat!("page ", env!("CARGO_PKG_VERSION"));
    format!(
        "import {{ greet }} from \"./{greeting}\";\n\
         import {{ guarded }} from \"./{stopped}\";\n\
         import {{ create }} from \"./{glue}\";\n\
         greet(\"{VERSION}\", \"{client}\");\n\
         const module_or_path = new URL(\"./{module}\", import.meta.url);\n\
         await guarded(async () => (await create()).default({{ module_or_path }}));\n"
    )
}

/// The element that runs a module.
pub(crate) fn module_element(script: &str) -> String {
    format!("<script type=\"module\" src=\"{}\"></script>\n", url(script))
}

impl Start {
    /// All are asked for at once, not one after the other.
    pub(crate) fn elements(&self) -> String {
        let Start { script, program: Program { stopped, key, greeting, glue, link, module } } = self;
        format!(
            "<link rel=\"modulepreload\" href=\"{}\">\n\
             <link rel=\"modulepreload\" href=\"{}\">\n\
             <link rel=\"modulepreload\" href=\"{}\">\n\
             <link rel=\"modulepreload\" href=\"{}\">\n\
             <link rel=\"modulepreload\" href=\"{}\">\n\
             <link rel=\"preload\" as=\"fetch\" type=\"application/wasm\" crossorigin href=\"{}\">\n\
             {}",
            url(stopped),
            url(key),
            url(greeting),
            url(glue),
            url(link),
            url(module),
            module_element(script),
        )
    }
}

fn element(tag: &str, add: &mut impl FnMut(&str) -> Result<String>) -> Result<String> {
    let Some((before, after)) = tag.split_once(MARK) else {
        return Ok(tag.to_owned());
    };
    let tag = format!("{before}{after}");
    let (before, value) =
        tag.split_once(" href=\"").with_context(|| format!("<{tag}> has{MARK} but no href"))?;
    let (path, after) = value.split_once('"').with_context(|| format!("the href of <{tag}> has no end"))?;
    let url = add(path)?;
    Ok(format!("{before} href=\"{url}\"{after}"))
}

const MARK: &str = " data-dogwatch";

#[cfg(test)]
mod tests {
    use super::*;

    fn built(text: &str) -> Result<String> {
        let program = Program {
            stopped: "x.js".to_owned(),
            key: "k.js".to_owned(),
            greeting: "h.js".to_owned(),
            glue: "g.js".to_owned(),
            link: "l.js".to_owned(),
            module: "m.wasm".to_owned(),
        };
        let start = Start { script: "s.js".to_owned(), program };
        page(text, &start.elements(), |path| Ok(format!("/assets/hashed-{path}")))
    }

    #[test]
    fn marked_elements_get_their_hashed_names_and_others_stay() {
        let page = built(
            "<head>\n<!-- <link data-dogwatch> -->\n\
             <link data-dogwatch rel=\"stylesheet\" href=\"a.css\">\n\
             <link rel=\"x\" href=\"b.css\">\n</head><body>1 &gt; 0</body>",
        )
        .unwrap();
        assert_eq!(
            page,
            "<head>\n<link rel=\"stylesheet\" href=\"/assets/hashed-a.css\">\n\
             <link rel=\"x\" href=\"b.css\">\n\
             <link rel=\"modulepreload\" href=\"/assets/x.js\">\n\
             <link rel=\"modulepreload\" href=\"/assets/k.js\">\n\
             <link rel=\"modulepreload\" href=\"/assets/h.js\">\n\
             <link rel=\"modulepreload\" href=\"/assets/g.js\">\n\
             <link rel=\"modulepreload\" href=\"/assets/l.js\">\n\
             <link rel=\"preload\" as=\"fetch\" type=\"application/wasm\" crossorigin href=\"/assets/m.wasm\">\n\
             <script type=\"module\" src=\"/assets/s.js\"></script>\n\
             </head><body>1 &gt; 0</body>\n"
        );
    }

    #[test]
    fn a_page_that_says_too_little_is_refused() {
        for wrong in ["<link data-dogwatch>", "<!-- open", "<link data-dogwatch href=\"a", "<p"] {
            assert!(built(wrong).is_err(), "{wrong:?} was accepted");
        }
    }
}
