//! Server-side printing: the columns and cells that kube-apiserver prints for each kind. Pure;
//! cells that depend on the time are printed for the instant that is passed in.
//! It never builds a response; `http` wraps rows and columns.

mod cluster;
mod column;
mod custom;
mod network;
mod pod;
mod recorded;
mod workload;

use std::sync::Arc;

use serde_json::Value;

pub use column::{BuiltInColumn, definition};
pub use custom::CustomColumn;
pub use pod::row_conditions;
pub use recorded::RecordedTable;

/// How a resource prints itself.
#[derive(Clone, Debug)]
pub enum Printer {
    BuiltIn(&'static [BuiltInColumn]),
    Custom(Vec<CustomColumn>),
    Recorded(Arc<RecordedTable>),
    /// The server can't print this resource: the plain object is sent in the same stream.
    None,
}

impl Printer {
    /// The printer of a built-in kind. A kind without columns of its own has its name and creation time.
    pub fn of_built_in(kind: &str) -> Self {
        Self::BuiltIn(match kind {
            "APIService" => cluster::API_SERVICE,
            "ClusterRoleBinding" | "RoleBinding" => cluster::ROLE_BINDING,
            "ConfigMap" => cluster::CONFIG_MAP,
            "CronJob" => workload::CRON_JOB,
            "DaemonSet" => workload::DAEMON_SET,
            "Deployment" => workload::DEPLOYMENT,
            "EndpointSlice" => network::ENDPOINT_SLICE,
            "Endpoints" => network::ENDPOINTS,
            "Event" => cluster::EVENT,
            "HorizontalPodAutoscaler" => workload::AUTOSCALER,
            "Ingress" => network::INGRESS,
            "Job" => workload::JOB,
            "Lease" => cluster::LEASE,
            "Namespace" => cluster::NAMESPACE,
            "NetworkPolicy" => network::NETWORK_POLICY,
            "Node" => cluster::NODE,
            "PersistentVolume" => cluster::VOLUME,
            "PersistentVolumeClaim" => cluster::VOLUME_CLAIM,
            "Pod" => pod::POD,
            "PodDisruptionBudget" => workload::DISRUPTION_BUDGET,
            "ReplicaSet" => workload::REPLICA_SET,
            "Secret" => cluster::SECRET,
            "Service" => network::SERVICE,
            // The secrets of an account were a column until 1.35.
            "ServiceAccount" => cluster::NAME_AND_AGE,
            "StatefulSet" => workload::STATEFUL_SET,
            "StorageClass" => cluster::STORAGE_CLASS,
            _ => cluster::CREATED_AT,
        })
    }

    /// The column definitions, as they stand in a Table.
    pub fn columns(&self) -> Vec<Value> {
        match self {
            Self::BuiltIn(columns) => columns.iter().map(BuiltInColumn::definition).collect(),
            Self::Custom(columns) => custom::definitions(columns),
            Self::Recorded(table) => table.definitions(),
            Self::None => Vec::new(),
        }
    }

    /// The cells of one object at an instant (seconds since 1970).
    pub fn cells(&self, object: &Value, now_s: i64) -> Vec<Value> {
        match self {
            Self::BuiltIn(columns) => columns.iter().map(|column| column.cell(object, now_s)).collect(),
            Self::Custom(columns) => custom::cells(columns, object, now_s),
            Self::Recorded(table) => table.cells(object, now_s),
            Self::None => Vec::new(),
        }
    }
}
