//! The image as a runtime of containers starts it, without one: unpacked by skopeo and umoci, with the user and the
//! command of its own configuration, a root that can't be written, and no privilege to gain. Needs to be root.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Released, architecture, program, said};
use crate::dogwatch::Home;

/// An unpacked image.
pub struct Container {
    root: PathBuf,
    user: u64,
    group: u64,
    command: Vec<String>,
}

impl Container {
    pub fn unpack(released: &Released) -> Result<Self> {
        let folder = released.empty("image")?;
        let (version, architecture) = (&released.version, architecture());
        let archive = released.file(&format!("dogwatch-{version}-image.tar"));
        let from = format!("oci-archive:{}:{version}-{architecture}", archive.display());
        said("skopeo", &["--insecure-policy", "copy", "--quiet", &from, "oci:layout:image"], &folder)?;
        said("umoci", &["unpack", "--rootless", "--image", "layout:image", "bundle"], &folder)?;
        let bundle = folder.join("bundle");
        let configuration: Value = serde_json::from_slice(&fs::read(bundle.join("config.json"))?)?;
        let process = &configuration["process"];
        let number = |name: &str| process["user"][name].as_u64().with_context(|| format!("{process}"));
        let command = process["args"].as_array().context("a command")?.iter();
        let command = command.filter_map(|argument| argument.as_str().map(str::to_owned)).collect();
        Ok(Self { root: bundle.join("rootfs"), user: number("uid")?, group: number("gid")?, command })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A program that runs `/dogwatch` in the container with its own arguments. `state`, a folder of the user's, is
    /// `/state` there.
    fn entered(&self, folder: &Path, state: &Path) -> Result<PathBuf> {
        let (root, state) = (self.root.display(), state.display());
        let (user, group) = (self.user, self.group);
        let script = format!(
            "#!/bin/sh\nexec unshare --mount --propagation private /bin/sh -c '\nset -e\n\
             mount --bind \"{root}\" \"{root}\"\nmount -o remount,bind,ro \"{root}\"\n\
             mount --bind \"{state}\" \"{root}/state\"\nexport HOME=/ XDG_STATE_HOME=/state\n\
             unset XDG_RUNTIME_DIR\nexec setpriv --no-new-privs --bounding-set=-all,+setuid,+setgid,+sys_chroot \
             unshare --root=\"{root}\" --wd=/ --setuid {user} --setgid {group} /dogwatch \"$@\"' sh \"$@\"\n"
        );
        let path = folder.join("entered");
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}

/// Returns what was seen.
pub async fn works(released: &Released, container: &Container) -> Result<String> {
    let Container { root, user, group, command } = container;
    ensure!(command == &["/dogwatch", "serve"], "its command is {command:?}");
    ensure!(*user > 0 && *group > 0, "it runs as {user}:{group}");
    let folder = released.empty("container")?;
    let state = folder.join("state");
    fs::create_dir(&state)?;
    fs::create_dir(root.join("state"))?;
    let id = |id: u64| u32::try_from(id).map(Some);
    std::os::unix::fs::chown(&state, id(*user)?, id(*group)?)?;
    let home = Home::of_release(&container.entered(&folder, &state)?)?;
    Ok(format!("as {user}:{group} {}", program::shows_its_demo(&home).await?))
}
