//! The way of kube-rs: a watcher, and a reflector whose store holds what it sees.

use std::pin::pin;

use anyhow::{Result, ensure};
use futures_util::StreamExt;
use kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind};
use kube::{Client, ResourceExt};
use kube_runtime::WatchStreamExt;
use kube_runtime::reflector::{ObjectRef, store::Writer};
use kube_runtime::watcher::{Config, Event, watcher};
use testkit::clients::Printer;

/// Follows config maps. The watcher lists again by itself where it has to.
pub async fn follow(client: Client, namespace: &'static str, config: Config, printer: Printer) -> Result<()> {
    let maps = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
    let writer = Writer::new(maps.clone());
    let store = writer.as_reader();
    let api: Api<DynamicObject> = Api::namespaced_with(client, namespace, &maps);
    let mut events = pin!(watcher(api, config).default_backoff().reflect(writer));
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Init) => printer.said("LISTING", "configmaps"),
            Ok(Event::InitApply(map)) => printer.saw("LISTED", "configmaps", &map.metadata),
            Ok(Event::InitDone) => printer.said("SYNCED", "configmaps"),
            Ok(Event::Apply(map)) => {
                let held = store.get(&ObjectRef::from_obj_with(&map, maps.clone()));
                ensure!(held.is_some_and(|held| held.resource_version() == map.resource_version()));
                printer.saw("APPLIED", "configmaps", &map.metadata);
            }
            Ok(Event::Delete(map)) => printer.saw("DELETED", "configmaps", &map.metadata),
            // It tries again.
            Err(_) => {}
        }
    }
    Ok(())
}
