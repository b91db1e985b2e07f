//! The table of status words, from `printPod`, `printNode`, `printJob` and the other printers in Kubernetes'
//! `pkg/printers/internalversion`, and from the kubelet's reasons of container states.

use super::Class;

/// Columns of custom resources in which `True` is good and `False` is bad.
pub(super) const CONDITIONS: [&str; 5] = ["ready", "available", "synced", "healthy", "accepted"];

pub(super) fn condition(word: &str) -> Option<Class> {
    match word {
        "True" => Some(Class::Ok),
        "False" => Some(Class::Bad),
        "Unknown" | "" | "<none>" => Some(Class::Unknown),
        _ => None,
    }
}

pub(super) fn class(word: &str) -> Class {
    // `Init:1/2` counts the init containers that are done; `Init:Error` has the class of `Error`.
    if let Some(init) = word.strip_prefix("Init:") {
        return if init.contains('/') { Class::Busy } else { class(init) };
    }
    if word.starts_with("ExitCode:") || word.starts_with("Signal:") {
        return Class::Bad;
    }
    // A node: `Ready,SchedulingDisabled`.
    if let Some((first, _)) = word.split_once(',') {
        return match class(first) {
            Class::Ok => Class::Warn,
            other => other,
        };
    }
    known(word)
}

fn known(word: &str) -> Class {
    match word {
        "Running" | "Ready" | "Active" | "Bound" | "Available" | "Established" | "True" | "Healthy"
        | "Synced" | "Accepted" | "Approved,Issued" | "Succeeding" => Class::Ok,

        "Pending" | "ContainerCreating" | "PodInitializing" | "SchedulingGated" | "Creating"
        | "Scheduling" | "Progressing" | "Released" | "Waiting" => Class::Busy,

        "Warning" | "NotTriggerScaleUp" | "SchedulingDisabled" | "Degraded" | "Suspended" => Class::Warn,

        "CrashLoopBackOff"
        | "ImagePullBackOff"
        | "ErrImagePull"
        | "ErrImageNeverPull"
        | "InvalidImageName"
        | "ImageInspectError"
        | "RegistryUnavailable"
        | "CreateContainerConfigError"
        | "CreateContainerError"
        | "PreCreateHookError"
        | "PreStartHookError"
        | "PostStartHookError"
        | "RunContainerError"
        | "StartError"
        | "ContainerCannotRun"
        | "ContainerStatusUnknown"
        | "DeadlineExceeded"
        | "Error"
        | "Failed"
        | "FailureTarget"
        | "OOMKilled"
        | "Evicted"
        | "NodeLost"
        | "NodeAffinity"
        | "NodeShutdown"
        | "Preempting"
        | "Shutdown"
        | "UnexpectedAdmissionError"
        | "Unschedulable"
        | "OutOfcpu"
        | "OutOfmemory"
        | "OutOfpods"
        | "OutOfephemeral-storage"
        | "NotReady"
        | "Lost"
        | "False"
        | "Denied" => Class::Bad,

        "Completed" | "Complete" | "Succeeded" | "SuccessCriteriaMet" => Class::Done,

        "Terminating" | "Unknown" => Class::Unknown,

        _ => Class::Idle,
    }
}
