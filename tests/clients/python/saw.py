"""How the programs print what they saw: one JSON object a line."""
import json


def saw(event, kind, metadata):
    """An event, and the metadata of the object that it is about."""
    version = getattr(metadata, "resource_version", None) or metadata.resourceVersion
    key = f"{metadata.namespace}/{metadata.name}"
    line = {"event": event, "kind": kind, "key": key, "version": version}
    print(json.dumps(line), flush=True)


def said(event, kind):
    """An event of a whole kind: LISTING, SYNCED."""
    print(json.dumps({"event": event, "kind": kind}), flush=True)
