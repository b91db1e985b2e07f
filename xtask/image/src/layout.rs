//! The folder of the image: blobs by their digest, a manifest for each architecture, one index of all.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use oci_spec::image::{
    ANNOTATION_REF_NAME, Arch, ConfigBuilder, Descriptor, DescriptorBuilder, ImageConfigurationBuilder,
    ImageIndexBuilder, ImageManifestBuilder, MediaType, OciLayoutBuilder, Os, PlatformBuilder, RootFsBuilder,
    SCHEMA_VERSION, Sha256Digest,
};
use sha2::{Digest, Sha256};

pub(crate) struct Layout {
    folder: PathBuf,
    version: String,
    manifests: Vec<Descriptor>,
}

/// Neither root's nor a person's; the same as in many images without a shell.
const USER: &str = "65532:65532";

impl Layout {
    /// Makes the folder anew.
    pub(crate) fn create(folder: &Path, version: &str) -> Result<Self> {
        if folder.exists() {
            ensure!(folder.join("oci-layout").is_file(), "{} isn't an image", folder.display());
            fs::remove_dir_all(folder).with_context(|| format!("remove {}", folder.display()))?;
        }
        fs::create_dir_all(folder.join(BLOBS)).with_context(|| format!("create {}", folder.display()))?;
        Ok(Self { folder: folder.to_owned(), version: version.to_owned(), manifests: Vec::new() })
    }

    /// Adds an image of one layer; returns the layer's bytes as they are fetched.
    pub(crate) fn add(&mut self, architecture: &str, layer: &[u8]) -> Result<u64> {
        let architecture = match architecture {
            "amd64" => Arch::Amd64,
            "arm64" => Arch::ARM64,
            other => anyhow::bail!("no image of {other} is made"),
        };
        let packed = pack(layer)?;
        let fetched = self.blob(&packed, MediaType::ImageLayerGzip)?;
        let config = ConfigBuilder::default()
            .user(USER)
            .entrypoint(["/dogwatch".to_owned()])
            .cmd(["serve".to_owned()])
            .working_dir("/")
            .labels(self.labels())
            .build()?;
        let root = RootFsBuilder::default().typ("layers").diff_ids([digest(layer)]).build()?;
        let configuration = ImageConfigurationBuilder::default()
            .architecture(architecture.clone())
            .os(Os::Linux)
            .config(config)
            .rootfs(root)
            .build()?;
        let configuration = self.json(&configuration, MediaType::ImageConfig)?;
        let manifest = ImageManifestBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageManifest)
            .config(configuration)
            .layers([fetched.clone()])
            .annotations(self.labels())
            .build()?;
        let mut manifest = self.json(&manifest, MediaType::ImageManifest)?;
        let platform = PlatformBuilder::default().architecture(architecture).os(Os::Linux).build()?;
        manifest.set_platform(Some(platform));
        self.manifests.push(manifest);
        Ok(fetched.size())
    }

    /// Returns the digest of the index, which is that of the image.
    pub(crate) fn finish(self) -> Result<String> {
        let all = ImageIndexBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageIndex)
            .manifests(self.manifests.clone())
            .annotations(self.labels())
            .build()?;
        let all = self.json(&all, MediaType::ImageIndex)?;
        let digest = all.digest().to_string();
        let mut named = vec![self.named(all, &self.version)];
        for manifest in &self.manifests {
            let architecture = manifest.platform().as_ref().map(|platform| platform.architecture());
            let architecture = architecture.context("a manifest has a platform")?;
            named.push(self.named(manifest.clone(), &format!("{}-{architecture}", self.version)));
        }
        let index = ImageIndexBuilder::default()
            .schema_version(SCHEMA_VERSION)
            .media_type(MediaType::ImageIndex)
            .manifests(named)
            .build()?;
        fs::write(self.folder.join("index.json"), sorted(&index)?)?;
        let layout = OciLayoutBuilder::default().image_layout_version("1.0.0").build()?;
        fs::write(self.folder.join("oci-layout"), sorted(&layout)?)?;
        Ok(digest)
    }

    fn named(&self, mut descriptor: Descriptor, name: &str) -> Descriptor {
        descriptor.set_annotations(Some(HashMap::from([(ANNOTATION_REF_NAME.to_owned(), name.to_owned())])));
        descriptor
    }

    fn labels(&self) -> HashMap<String, String> {
        let labels = [
            ("title", "Dogwatch"),
            ("description", "Live Kubernetes resources in the browser"),
            ("source", "https://github.com/dogwatch/dogwatch"),
            ("licenses", "Apache-2.0"),
            ("version", &self.version),
        ];
        let commit = std::env::var(COMMIT).ok().filter(|commit| !commit.is_empty());
        let revision = commit.as_deref().map(|commit| ("revision", commit));
        let label = |(key, text): (&str, &str)| (format!("org.opencontainers.image.{key}"), text.to_owned());
        labels.into_iter().chain(revision).map(label).collect()
    }

    fn json(&self, value: &impl serde::Serialize, kind: MediaType) -> Result<Descriptor> {
        self.blob(&sorted(value)?, kind)
    }

    fn blob(&self, bytes: &[u8], kind: MediaType) -> Result<Descriptor> {
        let digest = digest(bytes);
        let hex = digest.trim_start_matches("sha256:");
        let path = self.folder.join(BLOBS).join(hex);
        fs::write(&path, bytes).with_context(|| format!("write {}", path.display()))?;
        let digest = Sha256Digest::from_str(hex)?;
        Ok(DescriptorBuilder::default().media_type(kind).digest(digest).size(bytes.len() as u64).build()?)
    }
}

/// Through a value, whose keys are sorted: the types have maps in an order of chance.
fn sorted(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&serde_json::to_value(value)?)?)
}

/// Without a time or a name in its head.
fn pack(layer: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    packed.write_all(layer)?;
    packed.finish().context("compress the layer")
}

fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    format!("sha256:{}", hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

const BLOBS: &str = "blobs/sha256";
/// What the release of a commit is built with.
const COMMIT: &str = "DOGWATCH_COMMIT";
