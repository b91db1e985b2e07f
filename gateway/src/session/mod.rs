//! One browser: its subscriptions, its credit, its rights. Never `kube`, nor axum beyond the socket.
