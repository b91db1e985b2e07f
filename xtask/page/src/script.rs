//! The module of the elements as browsers get it: without its comments, which are a quarter of it. Everything else is as it
//! was written, so that a stack is readable.

use anyhow::{Result, ensure};

/// The lines without those that are comments, and without what indents them. What ends a line is never taken for a
/// comment.
///
/// # Errors
/// A text that goes over several lines, whose own lines would be taken for the module's.
pub(crate) fn bare(module: &str) -> Result<String> {
    let mut bare = String::new();
    let mut is_comment = false;
    for line in module.lines().map(str::trim) {
        is_comment |= line.starts_with("/*");
        let is_code = !is_comment && !line.is_empty() && !line.starts_with("//");
        if is_comment && line.contains("*/") {
            ensure!(line.ends_with("*/"), "code behind a comment: {line}");
            is_comment = false;
        }
        if is_code {
            ensure!(line.matches('`').count() % 2 == 0, "a text of several lines begins or ends in {line}");
            bare.push_str(line);
            bare.push('\n');
        }
    }
    ensure!(!is_comment, "a comment has no end");
    Ok(bare)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// What a page loads before an element is there. `sizes.rs` has the limits of the program.
    const ELEMENT_BYTES_MAX: usize = 7_000;

    #[test]
    fn r_emb_8_the_module_of_the_elements_is_small() {
        let module = bare(include_str!("../../../element/dogwatch.js")).unwrap();
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(module.as_bytes()).unwrap();
        let bytes = gzip.finish().unwrap().len();
        assert!(bytes <= ELEMENT_BYTES_MAX, "{bytes} bytes compressed");
    }

    #[test]
    fn comments_go_and_nothing_else_does() {
        let module = "// a\nconst a = 1; // b\n\n  /** c\n   * d */\n  f(/* e */ \"//\");\n/* g */\n";
        assert_eq!(bare(module).unwrap(), "const a = 1; // b\nf(/* e */ \"//\");\n");
        for wrong in ["const a = `\n// b\n`;", "/* a", "/* a\nb */ c();"] {
            assert!(bare(wrong).is_err(), "{wrong}");
        }
    }
}
