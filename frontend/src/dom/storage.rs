//! The browser's local storage. A browser that refuses to store keeps nothing, and the page works all the same.

fn storage() -> Option<web_sys::Storage> {
    leptos::prelude::window().local_storage().ok().flatten()
}

pub(crate) fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

pub(crate) fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // If it is full or refused, the next start asks again.
        let _ = storage.set_item(key, value);
    }
}

pub(crate) fn remove(key: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(key);
    }
}
