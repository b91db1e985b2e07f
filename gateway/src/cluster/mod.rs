//! Credentials, discovery and requests: the only room that knows `kube`. Never a hub, a session or a page.
