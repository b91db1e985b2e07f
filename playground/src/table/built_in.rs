//! The built-in kinds that have a printer, and which printer is whose.
//! It never prints itself.

use serde_json::Value;

use super::{config, event, job, network, node, pod, workload};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    ApiService,
    Autoscaler,
    ConfigMap,
    /// Roles and CustomResourceDefinitions: the name and when it was created.
    CreatedAt,
    CronJob,
    DaemonSet,
    Deployment,
    DisruptionBudget,
    Endpoints,
    EndpointSlice,
    Event,
    Ingress,
    Job,
    Lease,
    Namespace,
    NetworkPolicy,
    Node,
    Pod,
    ReplicaSet,
    RoleBinding,
    Secret,
    Service,
    ServiceAccount,
    StatefulSet,
    StorageClass,
    Volume,
    VolumeClaim,
}

impl BuiltIn {
    pub(super) fn cells(self, object: &Value, now_s: i64) -> Vec<Value> {
        let print = match self {
            Self::ApiService => config::api_service,
            Self::Autoscaler => workload::autoscaler,
            Self::ConfigMap => config::config_map,
            Self::CreatedAt => config::created_at,
            Self::CronJob => job::cron_job,
            Self::DaemonSet => workload::daemon_set,
            Self::Deployment => workload::deployment,
            Self::DisruptionBudget => workload::disruption_budget,
            Self::Endpoints => network::endpoints,
            Self::EndpointSlice => network::endpoint_slice,
            Self::Event => event::event,
            Self::Ingress => network::ingress,
            Self::Job => job::job,
            Self::Lease => config::lease,
            Self::Namespace => config::namespace,
            Self::NetworkPolicy => network::network_policy,
            Self::Node => node::node,
            Self::Pod => pod::pod,
            Self::ReplicaSet => workload::replica_set,
            Self::RoleBinding => config::role_binding,
            Self::Secret => config::secret,
            Self::Service => network::service,
            Self::ServiceAccount => config::service_account,
            Self::StatefulSet => workload::stateful_set,
            Self::StorageClass => config::storage_class,
            Self::Volume => config::volume,
            Self::VolumeClaim => config::volume_claim,
        };
        print(object, now_s)
    }
}
