//! What a release consists of, by the names of its files.

/// A file of a release, apart from the list of hashes and its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Artifact {
    /// The program for Linux, with its manual pages and completions.
    Program(Architecture),
    /// The image of all architectures, as an OCI layout.
    Image,
    Chart,
    /// The npm package.
    Element,
    /// What the program and the page are made of.
    Components(&'static str),
    Provenance,
    Notes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Architecture {
    Amd64,
    Arm64,
}

pub(crate) const ALL: [Artifact; 9] = [
    Artifact::Program(Architecture::Amd64),
    Artifact::Program(Architecture::Arm64),
    Artifact::Image,
    Artifact::Chart,
    Artifact::Element,
    Artifact::Components("dogwatch"),
    Artifact::Components("page"),
    Artifact::Provenance,
    Artifact::Notes,
];

pub(crate) const SUMS: &str = "SHA256SUMS";
pub(crate) const SIGNATURE: &str = "SHA256SUMS.minisig";

impl Artifact {
    pub(crate) fn file_name(self, version: &str) -> String {
        match self {
            Self::Program(architecture) => {
                format!("{}.tar.gz", architecture.folder(version))
            }
            Self::Image => format!("dogwatch-{version}-image.tar"),
            Self::Chart => format!("dogwatch-chart-{version}.tgz"),
            Self::Element => format!("dogwatch-element-{version}.tgz"),
            Self::Components(of) => format!("dogwatch-{version}-{of}.cdx.json"),
            Self::Provenance => format!("dogwatch-{version}.intoto.json"),
            Self::Notes => "NOTES.md".to_owned(),
        }
    }
}

impl Architecture {
    pub(crate) const ALL: [Self; 2] = [Self::Amd64, Self::Arm64];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// The folder that its archive unpacks to.
    pub(crate) fn folder(self, version: &str) -> String {
        format!("dogwatch-{version}-linux-{}", self.name())
    }

    /// `e_machine` of ELF.
    pub(crate) fn machine(self) -> u16 {
        match self {
            Self::Amd64 => 62,
            Self::Arm64 => 183,
        }
    }
}
