"""Watches a custom kind, which the library finds by discovery."""
import sys

from kubernetes import config, dynamic
from saw import said, saw

client = dynamic.DynamicClient(config.new_client_from_config(sys.argv[1]))
widgets = client.resources.get(api_version="example.com/v1", kind="Widget")
said("LISTING", "widgets")
listed = widgets.get(namespace=sys.argv[2])
for widget in listed.items:
    saw("LISTED", "widgets", widget.metadata)
said("SYNCED", "widgets")
version = listed.metadata.resourceVersion
for event in widgets.watch(namespace=sys.argv[2], resource_version=version):
    saw(event["type"], "widgets", event["object"].metadata)
