"""Watches the config maps that a selector chooses, with what is there first. The library goes on by itself."""
import sys

from kubernetes import client, config, watch
from saw import said, saw

config.load_kube_config(sys.argv[1])
v1 = client.CoreV1Api()
stream = watch.Watch()
said("LISTING", "configmaps")
said("SYNCED", "configmaps")
for event in stream.stream(v1.list_namespaced_config_map, sys.argv[2], label_selector="app=cart"):
    saw(event["type"], "configmaps", event["object"].metadata)
