//! The glue as a function: a browser runs a module once, and a program that broke gives way to another one of the same
//! files. Each call has memory, caches and pieces of its own.

use anyhow::{Context, Result, bail, ensure};

/// `create` answers what the glue exported, when the style sheet is there that the program waits for; `stack` tells
/// where its code is.
const BEGIN: &str = "export async function create() {\n\
    if (!(await bring(\"view\"))) throw new Error(\"a style sheet can't be had\");\n";

/// The glue, which imports the module `link`.
pub(crate) fn create_function(glue: &str, link: &str) -> Result<String> {
    let (mut imports, mut linked, mut body) = (String::new(), Vec::new(), String::new());
    let mut exports = Vec::new();
    for line in glue.lines() {
        let is_link = line.contains(&format!("from \"./{link}\""));
        if let Some(rest) = line.strip_prefix("import * as ").filter(|_| is_link) {
            linked.push(rest.split(' ').next().unwrap_or_default().to_owned());
        } else if line.starts_with("import ") {
            ensure!(!is_link, "the glue imports {link} otherwise: {line}");
            imports += line;
            imports.push('\n');
        } else {
            body += unexported(line, &mut exports)?;
            body.push('\n');
        }
    }
    ensure!(imports.contains("bring"), "the glue doesn't import what fetches the style sheets");
    ensure!(!linked.is_empty() && !exports.is_empty(), "the glue imports no {link}, or exports nothing");
    let linked: String = linked.iter().map(|name| format!("const {name} = pieces;\n")).collect();
    let exports = exports.join(", ");
    Ok(format!(
        "{imports}import {{ link }} from \"./{link}\";\n\
         {BEGIN}const pieces = link(initSync);\n{linked}{body}\
         return {{ stack: new Error().stack, {exports} }};\n}}\n"
    ))
}

/// The module that loads the pieces, which imports the glue.
pub(crate) fn link_function(link: &str, glue: &str) -> Result<String> {
    let import = format!("import {{ initSync }} from \"./{glue}\";");
    ensure!(link.contains(&import), "the pieces' module doesn't import {glue} as it did");
    let mut exports = Vec::new();
    let mut body = String::new();
    for line in link.replace(&import, "").lines() {
        body += unexported(line, &mut exports)?;
        body.push('\n');
    }
    Ok(format!("export function link(initSync) {{\n{body}return {{ {} }};\n}}\n", exports.join(", ")))
}

/// A line of a module without its `export`. What it exported is added to `exports`.
fn unexported<'a>(line: &'a str, exports: &mut Vec<String>) -> Result<&'a str> {
    let Some(declared) = line.strip_prefix("export ") else { return Ok(line) };
    if let Some(list) = declared.strip_prefix("{ ").and_then(|rest| rest.strip_suffix(" };")) {
        exports.extend(list.split(", ").map(|item| match item.split_once(" as ") {
            Some((name, exported)) => format!("{exported}: {name}"),
            None => item.to_owned(),
        }));
        return Ok("");
    }
    let name = ["function ", "class ", "const "].iter().find_map(|word| declared.strip_prefix(word));
    let Some(name) = name else { bail!("an export that isn't known: {line}") };
    let end = name
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .context("an export without a name")?;
    exports.push(name[..end].to_owned());
    Ok(declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glue_becomes_a_function_that_answers_what_it_exported() {
        let glue = "import { adopt, bring } from './files.js';\nimport * as import6 from \"./link.js\"\n\
            export class A {\n}\nexport function begin(a) {\n}\nfunction initSync() {\n}\n\
            export { initSync, load as default };\n";
        assert_eq!(
            create_function(glue, "link.js").unwrap(),
            format!(
                "import {{ adopt, bring }} from './files.js';\nimport {{ link }} from \"./link.js\";\n{BEGIN}\
                 const pieces = link(initSync);\nconst import6 = pieces;\nclass A {{\n}}\nfunction begin(a) {{\n}}\n\
                 function initSync() {{\n}}\n\nreturn {{ stack: new Error().stack, A, begin, initSync, default: load }};\n}}\n"
            )
        );
        assert!(create_function("export default 1;\n", "link.js").is_err());
        assert!(create_function("export const a = 1;\n", "link.js").is_err());
    }

    #[test]
    fn the_pieces_get_the_glue_as_an_argument() {
        let link = "import { initSync } from \"./frontend.js\";\nexport const load = wrap();\n";
        assert_eq!(
            link_function(link, "frontend.js").unwrap(),
            "export function link(initSync) {\n\nconst load = wrap();\nreturn { load };\n}\n"
        );
        assert!(link_function("export const load = 1;\n", "frontend.js").is_err());
    }
}
