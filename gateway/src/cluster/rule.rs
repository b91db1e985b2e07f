//! A rule of RBAC, as the gateway's own account needs it. Never one that an API server answered with.

use std::fmt::{self, Display, Formatter};

/// What may be done with which resources. It is printed as one line of YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub group: Box<str>,
    pub resources: Vec<Box<str>>,
    /// The only objects that it is for; all where there are none.
    pub names: Vec<Box<str>>,
    pub verbs: Vec<Box<str>>,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// What doesn't work without it, in a few words.
    pub without: &'static str,
}

impl Rule {
    #[must_use]
    pub fn new(group: &str, resources: &[&str], verbs: &[&str]) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| Box::from(*text)).collect();
        Self {
            group: group.into(),
            resources: texts(resources),
            names: Vec::new(),
            verbs: texts(verbs),
            purpose: "",
            without: "",
        }
    }

    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { names: vec![name.into()], ..self }
    }

    #[must_use]
    pub fn because(self, purpose: &'static str, without: &'static str) -> Self {
        Self { purpose, without, ..self }
    }
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{apiGroups: [{}], resources: {}", scalar(&self.group), sequence(&self.resources))?;
        if !self.names.is_empty() {
            write!(f, ", resourceNames: {}", sequence(&self.names))?;
        }
        write!(f, ", verbs: {}}}", sequence(&self.verbs))
    }
}

fn sequence(texts: &[Box<str>]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| scalar(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// Quoted where YAML would read a plain one as something else.
fn scalar(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-./".contains(&byte);
    match text.bytes().next().is_some_and(|first| first.is_ascii_lowercase()) && text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("\"{text}\""),
    }
}
