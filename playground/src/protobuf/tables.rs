//! The fields of the messages that kubectl's own commands send, by their numbers in Kubernetes'
//! generated.proto files. Data alone; what isn't here isn't kept.

/// A field's number, its name in JSON, and what it holds.
pub(super) struct Field(pub(super) u64, pub(super) &'static str, pub(super) Kind);

pub(super) enum Kind {
    Text,
    Bytes,
    Flag,
    Number,
    Message(Table),
    Many(&'static Kind),
    Map(&'static Kind),
    Ignored,
}

pub(super) type Table = &'static [Field];

use Kind::{Bytes, Flag, Ignored, Many, Map, Message, Number, Text};

/// The message of a kind, if there is a table of it.
pub(super) fn of_kind(kind: &str) -> Option<Table> {
    Some(match kind {
        "ConfigMap" => CONFIG_MAP,
        "Deployment" => DEPLOYMENT,
        "Namespace" | "ServiceAccount" | "SelfSubjectReview" => METADATA_ALONE,
        "Role" | "ClusterRole" => ROLE,
        "RoleBinding" | "ClusterRoleBinding" => BINDING,
        "Secret" => SECRET,
        "SelfSubjectAccessReview" | "SubjectAccessReview" | "LocalSubjectAccessReview" => ACCESS_REVIEW,
        "SelfSubjectRulesReview" => RULES_REVIEW,
        "TokenReview" => TOKEN_REVIEW,
        _ => return None,
    })
}

pub(super) const TYPE_META: Table = &[Field(1, "apiVersion", Text), Field(2, "kind", Text)];

const METADATA: Table = &[
    Field(1, "name", Text),
    Field(2, "generateName", Text),
    Field(3, "namespace", Text),
    Field(5, "uid", Text),
    Field(6, "resourceVersion", Text),
    Field(8, "creationTimestamp", Ignored),
    Field(11, "labels", Map(&Text)),
    Field(12, "annotations", Map(&Text)),
    Field(14, "finalizers", Many(&Text)),
];

const METADATA_ALONE: Table = &[Field(1, "metadata", Message(METADATA))];

const CONFIG_MAP: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(2, "data", Map(&Text)),
    Field(3, "binaryData", Map(&Bytes)),
    Field(4, "immutable", Flag),
];

const SECRET: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(2, "data", Map(&Bytes)),
    Field(3, "type", Text),
    Field(4, "stringData", Map(&Text)),
    Field(5, "immutable", Flag),
];

const DEPLOYMENT: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(
        2,
        "spec",
        Message(&[
            Field(1, "replicas", Number),
            Field(2, "selector", Message(&[Field(1, "matchLabels", Map(&Text))])),
            Field(
                3,
                "template",
                Message(&[Field(1, "metadata", Message(METADATA)), Field(2, "spec", Message(POD_SPEC))]),
            ),
            Field(5, "minReadySeconds", Number),
            Field(7, "paused", Flag),
        ]),
    ),
];

const POD_SPEC: Table = &[
    Field(2, "containers", Many(&Message(CONTAINER))),
    Field(3, "restartPolicy", Text),
    Field(8, "serviceAccountName", Text),
    Field(10, "nodeName", Text),
    Field(20, "initContainers", Many(&Message(CONTAINER))),
];

const CONTAINER: Table = &[
    Field(1, "name", Text),
    Field(2, "image", Text),
    Field(3, "command", Many(&Text)),
    Field(4, "args", Many(&Text)),
    Field(5, "workingDir", Text),
    Field(
        6,
        "ports",
        Many(&Message(&[
            Field(1, "name", Text),
            Field(3, "containerPort", Number),
            Field(4, "protocol", Text),
        ])),
    ),
    Field(7, "env", Many(&Message(&[Field(1, "name", Text), Field(2, "value", Text)]))),
    Field(14, "imagePullPolicy", Text),
];

const ROLE: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(
        2,
        "rules",
        Many(&Message(&[
            Field(1, "verbs", Many(&Text)),
            Field(2, "apiGroups", Many(&Text)),
            Field(3, "resources", Many(&Text)),
            Field(4, "resourceNames", Many(&Text)),
            Field(5, "nonResourceURLs", Many(&Text)),
        ])),
    ),
];

const BINDING: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(
        2,
        "subjects",
        Many(&Message(&[
            Field(1, "kind", Text),
            Field(2, "apiGroup", Text),
            Field(3, "name", Text),
            Field(4, "namespace", Text),
        ])),
    ),
    Field(
        3,
        "roleRef",
        Message(&[Field(1, "apiGroup", Text), Field(2, "kind", Text), Field(3, "name", Text)]),
    ),
];

const ACCESS_REVIEW: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(
        2,
        "spec",
        Message(&[
            Field(
                1,
                "resourceAttributes",
                Message(&[
                    Field(1, "namespace", Text),
                    Field(2, "verb", Text),
                    Field(3, "group", Text),
                    Field(4, "version", Text),
                    Field(5, "resource", Text),
                    Field(6, "subresource", Text),
                    Field(7, "name", Text),
                ]),
            ),
            Field(2, "nonResourceAttributes", Message(&[Field(1, "path", Text), Field(2, "verb", Text)])),
            Field(3, "user", Text),
            Field(4, "groups", Many(&Text)),
        ]),
    ),
];

const RULES_REVIEW: Table =
    &[Field(1, "metadata", Message(METADATA)), Field(2, "spec", Message(&[Field(1, "namespace", Text)]))];

const TOKEN_REVIEW: Table = &[
    Field(1, "metadata", Message(METADATA)),
    Field(2, "spec", Message(&[Field(1, "token", Text), Field(2, "audiences", Many(&Text))])),
];
