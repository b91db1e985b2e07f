//! The column definitions of the built-in kinds: name, type, priority (1: only with `-o wide`).
//! It never knows a cell.

use super::{BuiltIn, Column};

type Line = (&'static str, &'static str, i64);

const NAME: Line = ("Name", "string", 0);
const AGE: Line = ("Age", "string", 0);
const CONTAINERS: Line = ("Containers", "string", 1);
const IMAGES: Line = ("Images", "string", 1);
const SELECTOR: Line = ("Selector", "string", 1);

/// The columns of a kind, in the server's order.
pub(super) fn of(kind: BuiltIn) -> Vec<Column> {
    lines(kind)
        .iter()
        .map(|(name, kind, priority)| Column {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            format: if *name == "Name" { "name".to_owned() } else { String::new() },
            description: description(name).to_owned(),
            priority: *priority,
        })
        .collect()
}

fn lines(kind: BuiltIn) -> &'static [Line] {
    match kind {
        BuiltIn::Pod => &[
            NAME,
            ("Ready", "string", 0),
            ("Status", "string", 0),
            ("Restarts", "string", 0),
            AGE,
            ("IP", "string", 1),
            ("Node", "string", 1),
            ("Nominated Node", "string", 1),
            ("Readiness Gates", "string", 1),
        ],
        BuiltIn::Node => &[
            NAME,
            ("Status", "string", 0),
            ("Roles", "string", 0),
            AGE,
            ("Version", "string", 0),
            ("Internal-IP", "string", 1),
            ("External-IP", "string", 1),
            ("OS-Image", "string", 1),
            ("Kernel-Version", "string", 1),
            ("Container-Runtime", "string", 1),
        ],
        BuiltIn::Event => &[
            ("Last Seen", "string", 0),
            ("Type", "string", 0),
            ("Reason", "string", 0),
            ("Object", "string", 0),
            ("Subobject", "string", 1),
            ("Source", "string", 1),
            ("Message", "string", 0),
            ("First Seen", "string", 1),
            ("Count", "string", 1),
            ("Name", "string", 1),
        ],
        BuiltIn::Service => &[
            NAME,
            ("Type", "string", 0),
            ("Cluster-IP", "string", 0),
            ("External-IP", "string", 0),
            ("Port(s)", "string", 0),
            AGE,
            SELECTOR,
        ],
        BuiltIn::Deployment
        | BuiltIn::ReplicaSet
        | BuiltIn::StatefulSet
        | BuiltIn::DaemonSet
        | BuiltIn::Job
        | BuiltIn::CronJob
        | BuiltIn::Autoscaler
        | BuiltIn::DisruptionBudget => workload_lines(kind),
        _ => other_lines(kind),
    }
}

fn workload_lines(kind: BuiltIn) -> &'static [Line] {
    match kind {
        BuiltIn::Deployment => &[
            NAME,
            ("Ready", "string", 0),
            ("Up-to-date", "string", 0),
            ("Available", "string", 0),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        BuiltIn::ReplicaSet => &[
            NAME,
            ("Desired", "integer", 0),
            ("Current", "integer", 0),
            ("Ready", "integer", 0),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        BuiltIn::StatefulSet => &[NAME, ("Ready", "string", 0), AGE, CONTAINERS, IMAGES],
        BuiltIn::DaemonSet => &[
            NAME,
            ("Desired", "integer", 0),
            ("Current", "integer", 0),
            ("Ready", "integer", 0),
            ("Up-to-date", "integer", 0),
            ("Available", "integer", 0),
            ("Node Selector", "string", 0),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        BuiltIn::Job => &[
            NAME,
            ("Status", "string", 0),
            ("Completions", "string", 0),
            ("Duration", "string", 0),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        BuiltIn::CronJob => &[
            NAME,
            ("Schedule", "string", 0),
            ("Timezone", "string", 0),
            ("Suspend", "boolean", 0),
            ("Active", "integer", 0),
            ("Last Schedule", "string", 0),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        BuiltIn::Autoscaler => &[
            NAME,
            ("Reference", "string", 0),
            ("Targets", "string", 0),
            ("MinPods", "string", 0),
            ("MaxPods", "string", 0),
            ("Replicas", "string", 0),
            AGE,
        ],
        _ => &[
            NAME,
            ("Min Available", "string", 0),
            ("Max Unavailable", "string", 0),
            ("Allowed Disruptions", "integer", 0),
            AGE,
        ],
    }
}

fn other_lines(kind: BuiltIn) -> &'static [Line] {
    match kind {
        BuiltIn::Namespace => &[NAME, ("Status", "string", 0), AGE],
        BuiltIn::NetworkPolicy => &[NAME, ("Pod-Selector", "string", 0), AGE],
        BuiltIn::ConfigMap => &[NAME, ("Data", "string", 0), AGE],
        BuiltIn::Secret => &[NAME, ("Type", "string", 0), ("Data", "string", 0), AGE],
        BuiltIn::ServiceAccount => &[NAME, AGE],
        BuiltIn::CreatedAt => &[NAME, ("Created At", "date", 0)],
        BuiltIn::RoleBinding => &[
            NAME,
            ("Role", "string", 0),
            AGE,
            ("Users", "string", 1),
            ("Groups", "string", 1),
            ("ServiceAccounts", "string", 1),
        ],
        BuiltIn::ApiService => &[NAME, ("Service", "string", 0), ("Available", "string", 0), AGE],
        BuiltIn::Endpoints => &[NAME, ("Endpoints", "string", 0), AGE],
        BuiltIn::EndpointSlice => {
            &[NAME, ("AddressType", "string", 0), ("Ports", "string", 0), ("Endpoints", "string", 0), AGE]
        }
        BuiltIn::Ingress => &[
            NAME,
            ("Class", "string", 0),
            ("Hosts", "string", 0),
            ("Address", "string", 0),
            ("Ports", "string", 0),
            AGE,
        ],
        BuiltIn::Lease => &[NAME, ("Holder", "string", 0), AGE],
        BuiltIn::StorageClass => &[
            NAME,
            ("Provisioner", "string", 0),
            ("ReclaimPolicy", "string", 0),
            ("VolumeBindingMode", "string", 0),
            ("AllowVolumeExpansion", "string", 0),
            AGE,
        ],
        BuiltIn::Volume => &[
            NAME,
            ("Capacity", "string", 0),
            ("Access Modes", "string", 0),
            ("Reclaim Policy", "string", 0),
            ("Status", "string", 0),
            ("Claim", "string", 0),
            ("StorageClass", "string", 0),
            ("VolumeAttributesClass", "string", 0),
            ("Reason", "string", 0),
            AGE,
            ("VolumeMode", "string", 1),
        ],
        BuiltIn::VolumeClaim => &[
            NAME,
            ("Status", "string", 0),
            ("Volume", "string", 0),
            ("Capacity", "string", 0),
            ("Access Modes", "string", 0),
            ("StorageClass", "string", 0),
            ("VolumeAttributesClass", "string", 0),
            AGE,
            ("VolumeMode", "string", 1),
        ],
        _ => &[NAME, AGE],
    }
}

fn description(name: &str) -> &'static str {
    match name {
        "Name" => "The name of the object, unique within its namespace.",
        "Age" | "Created At" => "When the object was created.",
        "Ready" => "How many of what is wanted are ready.",
        "Status" => "The state of the object, summed up.",
        "Restarts" => "How often containers of this pod were restarted, and when the last time was.",
        _ => "",
    }
}
