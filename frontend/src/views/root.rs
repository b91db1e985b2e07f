//! Mounts a component in its own shadow root.

pub(crate) use crate::dom::html::Mounted;
use crate::prelude::*;
use tachys::html::element::Div;

use crate::dom;
use crate::files::Sheet;

/// Mounts `inside` when the host is in the document, and unmounts it with the host.
pub(super) fn mount<V: IntoView + 'static>(
    host: NodeRef<Div>,
    sheet: Sheet,
    inside: impl FnOnce() -> V + 'static,
) {
    let mounted = StoredValue::new_local(None);
    host.on_load(move |host| mounted.set_value(mount_into(&host, sheet, inside)));
}

/// The same for an element of another page. `None` if the browser refuses a shadow root.
pub(super) fn mount_into<V: IntoView + 'static>(
    host: &dom::Host,
    sheet: Sheet,
    inside: impl FnOnce() -> V + 'static,
) -> Option<Mounted> {
    let root = dom::shadow::attach(host, sheet).ok()?;
    Some(dom::html::mount(&root, inside))
}
