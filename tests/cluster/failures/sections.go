// What is read, and an object for each kind of state.
package main

import (
	"fmt"
	"sort"
)

const (
	kubernetes = "k8s.io/kubernetes"
	api        = "k8s.io/api"
	aggregator = "k8s.io/kube-aggregator"
	cri        = "k8s.io/cri-api"
	cloud      = "k8s.io/cloud-provider"
)

var modules = []string{kubernetes, api, aggregator, cri, cloud}

// Packages whose constants others use. Where two have a name, the later one is meant.
var shared = []source{
	{module: kubernetes, path: "pkg/kubelet/events"},
	{module: api, path: "core/v1/types.go"},
	{module: api, path: "apps/v1/types.go"},
	{module: api, path: "batch/v1/types.go"},
	{module: api, path: "autoscaling/v2/types.go"},
	{module: kubernetes, path: "pkg/kubelet/container"},
	{module: kubernetes, path: "pkg/controller/deployment/util"},
	{module: aggregator, path: "pkg/apis/apiregistration/v1/types.go"},
}

// The states of one kind. NAME, TYPE, STATUS, REASON and TIME stand in its object for its name, its word and when it
// began.
type section struct {
	name, resource string
	// The reason of the verdict; a condition without a reason has its type for one.
	says    string
	object  string
	sources []source
}

const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "NAME"}, "spec": {%s"containers": [{"name": "c", "image": "registry.k8s.io/pause"}]}, "status": %s}`
const unready = `{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": "TIME"}`
const condition = `{"type": "TYPE", "status": "STATUS", "reason": "REASON", "message": "", "lastTransitionTime": "TIME"}`
const container = `"containerStatuses": [{"name": "c", "image": "registry.k8s.io/pause", "imageID": "", "ready": %s, "restartCount": %s}]`

// Its pods are all of the new version, and none is available.
const deployment = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "NAME"},
	"spec": {"replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "registry.k8s.io/pause"}]}}},
	"status": {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "unavailableReplicas": 2, "conditions": [%s]}}`

var waiting = []source{
	{kubernetes, "pkg/kubelet/images/types.go", errors},
	{kubernetes, "pkg/kubelet/kuberuntime/kuberuntime_container.go", errors},
	{kubernetes, "pkg/kubelet/container/sync_result.go", errors},
	{kubernetes, "pkg/kubelet/kubelet_pods.go", named("ContainerCreating|PodInitializing|RestartingAllContainers")},
	{cri, "pkg/errors", errors},
}

var terminated = []source{
	{kubernetes, "pkg/kubelet/container/runtime.go", named("ContainerReason.*")},
	{kubernetes, "pkg/kubelet/kubelet_pods.go", reasons},
	{kubernetes, "pkg/kubelet/kuberuntime", reasons},
}

var sections = []section{
	{
		name: "container waits", resource: "pods", says: "REASON",
		object: fmt.Sprintf(pod, "", `{"phase": "Pending", "conditions": [`+unready+`], `+
			fmt.Sprintf(container, "false", `0, "state": {"waiting": {"reason": "REASON"}}`)+`}`),
		sources: waiting,
	},
	{
		name: "container ended", resource: "pods", says: "REASON",
		object: fmt.Sprintf(pod, `"restartPolicy": "Never", `, `{"phase": "Failed", "conditions": [`+unready+`], `+
			fmt.Sprintf(container, "false", `0, "state": {"terminated": {"reason": "REASON", "exitCode": 137, "finishedAt": "TIME"}}`)+`}`),
		sources: terminated,
	},
	{
		name: "container restarted", resource: "pods", says: "Restarted 3 times",
		object: fmt.Sprintf(pod, "", `{"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], `+
			fmt.Sprintf(container, "true", `3, "state": {"running": {"startedAt": "TIME"}}, "lastState": {"terminated": {"reason": "REASON", "exitCode": 137, "finishedAt": "TIME"}}`)+`}`),
		sources: terminated,
	},
	{
		name: "pod failed", resource: "pods", says: "REASON",
		object: fmt.Sprintf(pod, "", `{"phase": "Failed", "reason": "REASON", "conditions": [`+unready+`]}`),
		sources: []source{
			{kubernetes, "pkg/kubelet/lifecycle", named("[A-Z].*(Reason|Error|Forbidden|Supported|Unsupported|Type|Match|Info)|OutOf.*")},
			{kubernetes, "pkg/kubelet/lifecycle", reasons},
			{kubernetes, "pkg/kubelet/cm/admission", named("ErrorReason.*")},
			{kubernetes, "pkg/kubelet/cm/cpumanager", named("Error.*")},
			{kubernetes, "pkg/kubelet/cm/topologymanager", named("Error.*")},
			{kubernetes, "pkg/kubelet/sysctl", named(".*Reason")},
			{kubernetes, "pkg/kubelet/eviction/helpers.go", named("Reason")},
			{kubernetes, "pkg/kubelet/nodeshutdown", named("(?i).*Reason")},
			{kubernetes, "pkg/kubelet/preemption", reasons},
			{kubernetes, "pkg/kubelet/volumemanager", named(".*Reason")},
			{kubernetes, "pkg/kubelet/active_deadline.go", named("reason")},
			{kubernetes, "pkg/util/node", named(".*Reason")},
		},
	},
	{
		name: "pod phase", resource: "pods", says: "REASON",
		object:  fmt.Sprintf(pod, "", `{"phase": "REASON"}`),
		sources: []source{{api, "core/v1/types.go", typed("PodPhase")}},
	},
	{
		name: "pod condition", resource: "pods", says: "REASON",
		object: fmt.Sprintf(pod, "", `{"phase": "Pending", "conditions": [`+condition+`]}`),
		sources: []source{
			{api, "core/v1/types.go", named("PodReason.*")},
			{kubernetes, "pkg/kubelet/status", conditions},
			{kubernetes, "pkg/kubelet/eviction", conditions},
			{kubernetes, "pkg/kubelet/nodeshutdown", conditions},
			{kubernetes, "pkg/kubelet/preemption", conditions},
			{kubernetes, "pkg/scheduler", conditions},
			{kubernetes, "pkg/scheduler/framework/preemption", conditions},
			{kubernetes, "pkg/controller/podgc", conditions},
			{kubernetes, "pkg/controller/tainteviction", conditions},
			{kubernetes, "pkg/controller/devicetainteviction", conditions},
			{kubernetes, "pkg/controller/disruption", conditions},
			{api, "core/v1/types.go", typed("PodConditionType")},
		},
	},
	{
		// The pod runs, with other resources than its spec wants.
		name: "pod resize", resource: "pods", says: "TYPE REASON",
		object:  fmt.Sprintf(pod, "", `{"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}, `+condition+`]}`),
		sources: []source{{api, "core/v1/types.go", named("PodReason(Infeasible|Deferred|Error)")}},
	},
	{
		name: "deployment condition", resource: "deployments.apps", says: "REASON",
		object: fmt.Sprintf(deployment, condition),
		sources: []source{
			{kubernetes, "pkg/controller/deployment", conditions},
			{kubernetes, "pkg/controller/deployment/util", named(".*Reason|Minimum.*")},
			{api, "apps/v1/types.go", typed("DeploymentConditionType")},
		},
	},
	{
		// Its rollout is over.
		name: "deployment availability", resource: "deployments.apps", says: "REASON",
		object:  fmt.Sprintf(deployment, condition+`, {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "lastTransitionTime": "TIME"}`),
		sources: []source{{kubernetes, "pkg/controller/deployment/util", named("Minimum.*")}},
	},
	{
		name: "replica set condition", resource: "replicasets.apps", says: "REASON",
		object: `{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "NAME"},
			"spec": {"replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "registry.k8s.io/pause"}]}}},
			"status": {"observedGeneration": 1, "replicas": 0, "conditions": [` + condition + `]}}`,
		sources: []source{
			{kubernetes, "pkg/controller/replicaset", reasons},
			{api, "apps/v1/types.go", typed("ReplicaSetConditionType")},
		},
	},
	{
		name: "job condition", resource: "jobs.batch", says: "REASON",
		object: `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "NAME"},
			"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "registry.k8s.io/pause"}]}}},
			"status": {"startTime": "TIME", "conditions": [{"type": "FailureTarget", "status": "True", "reason": "REASON", "lastTransitionTime": "TIME"}, ` + condition + `]}}`,
		sources: []source{
			{api, "batch/v1/types.go", named("JobReason.*")},
			{kubernetes, "pkg/controller/job", conditions},
			{api, "batch/v1/types.go", typed("JobConditionType")},
		},
	},
	{
		name: "claim phase", resource: "persistentvolumeclaims", says: "REASON",
		object: `{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "NAME"},
			"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}},
			"status": {"phase": "REASON"}}`,
		sources: []source{{api, "core/v1/types.go", typed("PersistentVolumeClaimPhase")}},
	},
	{
		name: "claim condition", resource: "persistentvolumeclaims", says: "REASON",
		object: `{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "NAME"},
			"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}},
			"status": {"phase": "Bound", "conditions": [` + condition + `]}}`,
		sources: []source{
			{api, "core/v1/types.go", typed("PersistentVolumeClaimConditionType")},
			{api, "core/v1/types.go", typed("ClaimResourceStatus")},
			{api, "core/v1/types.go", typed("PersistentVolumeClaimModifyVolumeStatus")},
			{kubernetes, "pkg/controller/volume/pvcprotection", conditions},
		},
	},
	{
		name: "node condition", resource: "nodes", says: "REASON",
		object: `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "NAME"}, "status": {"conditions": [` + condition + `]}}`,
		sources: []source{
			{kubernetes, "pkg/kubelet/nodestatus", conditions},
			{kubernetes, "pkg/controller/nodelifecycle", conditions},
			{cloud, "controllers/route", conditions},
			{cloud, "node/helpers", conditions},
			{api, "core/v1/types.go", typed("NodeConditionType")},
		},
	},
	{
		name: "API service condition", resource: "apiservices.apiregistration.k8s.io", says: "REASON",
		object: `{"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": "v1.NAME.failures.test"},
			"spec": {"group": "NAME.failures.test", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100, "insecureSkipTLSVerify": true, "service": {"name": "absent", "namespace": "default"}},
			"status": {"conditions": [` + condition + `]}}`,
		sources: []source{
			{aggregator, "pkg/controllers/status/remote", conditions},
			{aggregator, "pkg/controllers/status/local", conditions},
			{aggregator, "pkg/apis/apiregistration/v1/helper", conditions},
			{aggregator, "pkg/apis/apiregistration/v1/types.go", typed("APIServiceConditionType")},
		},
	},
	{
		name: "autoscaler condition", resource: "horizontalpodautoscalers.autoscaling", says: "REASON",
		object: `{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "NAME"},
			"spec": {"minReplicas": 1, "maxReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "absent"}},
			"status": {"currentReplicas": 1, "desiredReplicas": 1, "conditions": [` + condition + `]}}`,
		sources: []source{
			{kubernetes, "pkg/controller/podautoscaler", conditions},
			{kubernetes, "pkg/controller/podautoscaler", given("getUnableComputeReplicaCountCondition", 1)},
			{api, "autoscaling/v2/types.go", typed("HorizontalPodAutoscalerConditionType")},
		},
	},
}

// Each word once, sorted. A condition's type or reason stands alone only where no source says both, or where it has a
// verdict of its own.
func (s section) words(from *sources, judged map[key]verdict) ([]word, error) {
	unique := map[string]word{}
	// Types and reasons of whole conditions.
	hasReason, isReason := map[string]bool{}, map[string]bool{}
	for _, source := range s.sources {
		opened, err := from.open(source)
		if err != nil {
			return nil, err
		}
		for _, found := range source.read(from, opened) {
			found.from = opened.from
			if _, known := unique[found.String()]; !known {
				unique[found.String()] = found
			}
			if found.kind != "" && found.reason != "" {
				hasReason[found.kind], isReason[found.reason] = true, true
			}
		}
	}
	for id, it := range judged {
		if id.section == s.name && it.link != "" {
			unique[id.word] = word{reason: id.word, from: it.link}
		}
	}
	var words []word
	for _, found := range unique {
		_, isJudged := judged[key{s.name, found.String()}]
		isSaid := found.reason == "" && hasReason[found.kind] || found.kind == "" && isReason[found.reason]
		if isJudged || !isSaid {
			words = append(words, found)
		}
	}
	sort.Slice(words, func(a, b int) bool { return words[a].String() < words[b].String() })
	return words, nil
}
