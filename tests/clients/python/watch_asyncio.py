"""Follows two kinds at once with kubernetes_asyncio, each by a list and watches from there on."""
import asyncio
import sys

from kubernetes_asyncio import client, config, watch
from saw import said, saw


async def follow(kind, listing):
    while True:
        said("LISTING", kind)
        listed = await listing(sys.argv[2])
        for one in listed.items:
            saw("LISTED", kind, one.metadata)
        said("SYNCED", kind)
        version = listed.metadata.resource_version
        while version:
            try:
                async with watch.Watch() as stream:
                    async for event in stream.stream(
                        listing, sys.argv[2], resource_version=version, timeout_seconds=2
                    ):
                        one = event["object"].metadata
                        version = one.resource_version
                        saw(event["type"], kind, one)
            except client.ApiException as error:
                if error.status != 410:
                    raise
                # What followed isn't known any more: list again.
                version = None


async def main():
    await config.load_kube_config(sys.argv[1])
    async with client.ApiClient() as api:
        v1 = client.CoreV1Api(api)
        await asyncio.gather(
            follow("pods", v1.list_namespaced_pod),
            follow("configmaps", v1.list_namespaced_config_map),
        )


asyncio.run(main())
