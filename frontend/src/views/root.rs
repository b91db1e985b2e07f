//! A component in a shadow root of its own: what stands inside relies on nothing around it.

use std::any::Any;

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
    host.on_load(move |host| mounted.set_value(mount_into(&host, sheets, inside)));
}

/// What is mounted: dropped, it is gone.
pub(crate) struct Mounted(#[expect(dead_code, reason = "held until its host leaves")] Box<dyn Any>);

/// The same for another page's element. `None` where the browser gives it no root.
pub(super) fn mount_into<V: IntoView + 'static>(
    host: &dom::Host,
    sheets: &[&str],
    inside: impl FnOnce() -> V + 'static,
) -> Option<Mounted> {
    let root = dom::shadow::attach(host, sheets).ok()?;
    Some(Mounted(Box::new(mount_to_renderer(&root, inside))))
}
