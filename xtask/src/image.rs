//! `cargo xtask image`: the image of the gateway as an OCI layout. The binary is static, built with musl, for both
//! architectures; Zig compiles and links what is C for either.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::build::{self, Page, gateway_path};
use crate::commands::{cargo, cargo_home, root, say, succeed, target};
use crate::copy::COMPILED_AT_S;
use crate::machine;
use crate::seconds::Seconds;

/// The name of an image's architecture, and of its target.
const TARGETS: [(&str, &str); 2] =
    [("amd64", "x86_64-unknown-linux-musl"), ("arm64", "aarch64-unknown-linux-musl")];

/// `is_quick`: of the binary of the tests, for this machine's architecture. It has all that an image has but a binary
/// that runs in it.
pub(crate) fn image(folder: Option<PathBuf>, is_quick: bool) -> Result<()> {
    let folder = folder.map_or_else(|| Ok(target().join("image")), std::path::absolute)?;
    let mut seconds = Seconds::default();
    let mut write = cargo("run");
    write.args(["--quiet", "--package=xtask-image", "--"]).arg(&folder).arg(env!("CARGO_PKG_VERSION"));
    if is_quick {
        write.arg(format!("{}={}", machine::architecture(), gateway_path(false).display()));
    } else {
        seconds.of("page", || build::page(Page::Release))?;
        let zig = seconds.of("Zig", machine::zig)?;
        for (architecture, target) in TARGETS {
            let binary = seconds.of(target, || static_binary(&zig, target))?;
            write.arg(format!("{architecture}={}", binary.display()));
        }
    }
    seconds.of("layout", || succeed(&mut write))?;
    seconds.print();
    say(&format!(
        "wrote {}: skopeo copy --all oci:{0}:{} docker://…",
        folder.display(),
        env!("CARGO_PKG_VERSION")
    ));
    Ok(())
}

/// No path of this machine and no time gets into it, so that it is the same from every folder.
fn static_binary(zig: &Path, triple: &str) -> Result<PathBuf> {
    machine::rust_target(triple)?;
    say(&format!("the gateway: compiling it for {triple}"));
    let places = [(root(), "/dogwatch"), (cargo_home()?, "/cargo")];
    let remapped = |flag: &str| {
        let flags = places.iter().map(|(from, to)| format!("{flag}={}={to}", from.display()));
        flags.collect::<Vec<_>>().join(" ")
    };
    let name = triple.replace('-', "_");
    let mut build = cargo("zigbuild");
    build.args(["--release", "--package=dogwatch", "--target", triple]);
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([zig.to_owned()].into_iter().chain(env::split_paths(&path)))?;
    build
        .env("PATH", path)
        .env(format!("CARGO_TARGET_{}_RUSTFLAGS", name.to_uppercase()), remapped("--remap-path-prefix"))
        .env(format!("CFLAGS_{name}"), remapped("-ffile-prefix-map"))
        .env("SOURCE_DATE_EPOCH", COMPILED_AT_S.to_string())
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS");
    succeed(&mut build)?;
    Ok(target().join(triple).join("release/dogwatch"))
}
