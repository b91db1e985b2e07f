//! What the names within an object mean for its redaction, and what a value is by them. Never a value itself.

use shared::resource::Resource;

use super::names::{is_environment, is_kubeconfig, is_of_map, is_whole};
use crate::feed::redaction::Rules;

/// The kind that was asked for, because an object may not name its kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedKind {
    Secret,
    ConfigMap,
    Event,
    Other,
}

impl AskedKind {
    pub(super) fn of(resource: &Resource) -> Self {
        match resource.resource.as_str() {
            _ if resource.is_secrets() => Self::Secret,
            "configmaps" if resource.is_core() => Self::ConfigMap,
            "events" if resource.is_core() || resource.group.as_str() == "events.k8s.io" => Self::Event,
            _ => Self::Other,
        }
    }

    /// Whether a member of the object isn't kept: of a Secret all that isn't its metadata, whatever was sent.
    pub(super) fn drops(self, member: &[u8]) -> bool {
        self == Self::Secret && !matches!(member, b"apiVersion" | b"kind" | b"metadata")
    }
}

/// What a value is within its object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Root,
    Metadata,
    Annotations,
    /// The object's own status, with the messages of its conditions.
    Status,
    /// Names that select; none is a credential.
    Labels,
    /// A list, or a map.
    Environment,
    /// Its values are masked, whatever is beside them: an entry of an environment, or below a name that announces
    /// a credential.
    Credential,
    /// A map of credentials: `secrets: {db: x}`. Its values are masked, but for those whose names describe.
    Credentials,
    /// A list of arguments, or a map of parameters.
    Texts,
    /// Everything below it is masked.
    Whole,
    /// Shown as it is.
    Plain,
    Other,
}

impl Role {
    pub(super) fn is_of_credentials(self) -> bool {
        matches!(self, Self::Credential | Self::Credentials)
    }
}

/// What a member's name means, wherever it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Dropped,
    ManagedFields,
    Metadata,
    Annotations,
    Labels,
    Label,
    Environment,
    Value,
    /// A value, and as often the name of one of several objects.
    Default,
    Texts,
    Data,
    Whole,
    /// A text is shown as it is: the message of a status or of an Event.
    Message,
    /// All below it is shown as it is: its names aren't those of values.
    Schema,
    Spec,
    Status,
    Credential,
    /// A credential. An object of this name is a map of credentials.
    Credentials,
    /// A path to a kubeconfig, or its text.
    Kubeconfig,
    /// Within an environment: says where a value comes from.
    Reference,
    Other,
}

impl Key {
    pub(super) fn of(text: &[u8], role: Role, rules: &Rules) -> Self {
        match role {
            Role::Labels => return Self::Label,
            Role::Annotations if rules.drops(text) => return Self::Dropped,
            Role::Environment if text == b"valueFrom" || text.ends_with(b"Ref") => return Self::Reference,
            _ => {}
        }
        // By the first letter, because this is asked of each name of an object.
        match (text.first(), text) {
            (Some(b'a'), b"annotations") => Self::Annotations,
            (Some(b'a'), b"args") | (Some(b'c'), b"command") => Self::Texts,
            (Some(b'b'), b"binaryData") | (Some(b'd'), b"data") => Self::Data,
            (Some(b'l'), b"labels") => Self::Labels,
            (Some(b'm'), b"managedFields") => Self::ManagedFields,
            (Some(b'm'), b"matchLabels") | (Some(b'n'), b"nodeSelector") => Self::Labels,
            (Some(b'm'), b"message") if role == Role::Status => Self::Message,
            (Some(b'o'), b"openAPIV3Schema") => Self::Schema,
            (Some(b'm'), b"metadata") => Self::Metadata,
            (Some(b'o'), b"options") | (Some(b'p'), b"parameters") => Self::Texts,
            (Some(b's'), b"spec") => Self::Spec,
            (Some(b's'), b"status") => Self::Status,
            (Some(b'v'), b"value") => Self::Value,
            (Some(b'd'), b"default" | b"defaultValue") => Self::Default,
            (Some(b'p'), b"plaintext") | (Some(b'l'), b"literal") | (Some(b'i'), b"inline") => Self::Value,
            (Some(b'a' | b'c' | b'e' | b'p'), _) if is_environment(text) => Self::Environment,
            (Some(b'a' | b'p' | b's' | b't'), _) if is_whole(text) => Self::Whole,
            _ if rules.names.announce(text) => {
                if is_of_map(text) {
                    Self::Credentials
                } else {
                    Self::Credential
                }
            }
            _ if is_kubeconfig(text) => Self::Kubeconfig,
            _ => Self::Other,
        }
    }

    /// The role of a value with this name, in an object of that role.
    pub(super) fn child(self, role: Role) -> Role {
        match (role, self) {
            (Role::Whole | Role::Plain, _) => role,
            (_, Self::Whole) => Role::Whole,
            // The members of a reference have names of objects, not values.
            (Role::Environment, Self::Reference) => Role::Other,
            (Role::Environment, _) => Role::Environment,
            (_, Self::Metadata) => Role::Metadata,
            (_, Self::Annotations) => Role::Annotations,
            (_, Self::Labels) => Role::Labels,
            (_, Self::Environment) => Role::Environment,
            (_, Self::Texts) => Role::Texts,
            (_, Self::Schema) => Role::Plain,
            (_, Self::Credentials) | (Role::Credentials, _) => Role::Credentials,
            (_, Self::Credential) | (Role::Credential, _) => Role::Credential,
            (Role::Status, _) => Role::Status,
            _ => Role::Other,
        }
    }
}
