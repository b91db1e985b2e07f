//go:build tools

// Package etcd pins the store under the control plane, apart from kubernetes, so that each is built
// with exactly the dependencies it was released with.
package etcd

import _ "go.etcd.io/etcd/server/v3"
