//! A component in a shadow root of its own: what stands inside relies on nothing around it.

use leptos::html::Div;
use leptos::mount::mount_to_renderer;
use leptos::prelude::*;

use crate::dom;

/// Mounts `inside` when the host is in the document. Its reactive owner and nodes go when the host does.
pub(super) fn mount<V: IntoView + 'static>(
    host: NodeRef<Div>,
    sheets: &'static [&'static str],
    inside: impl FnOnce() -> V + 'static,
) {
    let mounted = StoredValue::new_local(None);
    host.on_load(move |host| {
        if let Ok(root) = dom::shadow::attach(&host, sheets) {
            mounted.set_value(Some(mount_to_renderer(&root, inside)));
        }
    });
}
