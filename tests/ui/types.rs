//! The types of the package in TypeScript at its strictest, as each framework uses them: what `tests/types` says of each
//! must compile, and what it says is wrong must not.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use testkit::examples::types;

/// The folders, and what compiles them.
const FRAMEWORKS: [(&str, &str); 6] = [
    ("plain", "tsc"),
    ("preact", "tsc"),
    ("react-18", "tsc"),
    ("react-19", "tsc"),
    ("solid", "tsc"),
    ("vue", "vue-tsc"),
];
/// How a bundler finds the package's modules, and how Node does.
const RESOLUTIONS: [[&str; 4]; 2] = [
    ["--module", "esnext", "--moduleResolution", "bundler"],
    ["--module", "node16", "--moduleResolution", "node16"],
];

#[test]
fn the_types_of_each_framework_take_what_is_right_and_refuse_what_is_wrong() -> Result<()> {
    let folder = types()?;
    for (framework, compiler) in FRAMEWORKS {
        for resolution in RESOLUTIONS {
            let mut compile = Command::new(folder.join("node_modules/.bin").join(compiler));
            compile.args(["--project", framework]).args(resolution).current_dir(&folder);
            let output = compile.output().with_context(|| format!("run {compiler}"))?;
            let said = String::from_utf8_lossy(&output.stdout);
            ensure!(output.status.success(), "{framework} by {}:\n{said}", resolution.join(" "));
        }
        let usages = fs::read_dir(folder.join(framework))?.filter_map(Result::ok);
        let usages = usages.filter(|entry| entry.file_name().to_string_lossy().starts_with("usage."));
        let usages: String =
            usages.map(|entry| fs::read_to_string(entry.path())).collect::<Result<_, _>>()?;
        let wrong = usages.matches("-expect-error").count();
        ensure!(wrong > 5, "{framework} has only {wrong} wrong usages");
    }
    Ok(())
}
