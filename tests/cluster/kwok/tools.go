//go:build tools

// Package kwok pins the kubelet-less nodes of the fleet, apart from kubernetes, so that each is built
// with exactly the dependencies it was released with.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
