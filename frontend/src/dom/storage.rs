//! What the browser keeps: preferences and, in mode `local`, the page's secret. Never a namespace,
//! an object or a query. A browser that keeps nothing is served all the same.

/// Called when another tab of this browser kept something.
pub(crate) fn on_change(on_event: impl FnMut() + 'static) {
    if let Some(window) = web_sys::window() {
        super::listen(&window, "storage", on_event);
    }
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

pub(crate) fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

pub(crate) fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // Full or refused: the next start asks again, which is all that is lost.
        let _ = storage.set_item(key, value);
    }
}

pub(crate) fn remove(key: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(key);
    }
}
