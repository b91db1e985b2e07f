"""Lists pods, watches them from there on, and goes on from the last resourceVersion whenever the watch ends."""
import sys

from kubernetes import client, config, watch
from saw import said, saw

config.load_kube_config(sys.argv[1])
namespace = sys.argv[2]
v1 = client.CoreV1Api()
stream = watch.Watch()
done = False
while not done:
    said("LISTING", "pods")
    pods = v1.list_namespaced_pod(namespace)
    for pod in pods.items:
        saw("LISTED", "pods", pod.metadata)
    said("SYNCED", "pods")
    version = pods.metadata.resource_version
    while version and not done:
        try:
            for event in stream.stream(
                v1.list_namespaced_pod, namespace, resource_version=version, timeout_seconds=2
            ):
                pod = event["object"].metadata
                version = pod.resource_version
                saw(event["type"], "pods", pod)
                if pod.name == "end":
                    stream.stop()
                    done = True
        except client.ApiException as error:
            if error.status != 410:
                raise
            # What followed isn't known any more: list again.
            version = None
