//go:build tools

// Package cluster pins the programs of the real control plane that the tests run against.
// It is never built itself: the blank imports keep the versions in go.mod and go.sum.
package cluster

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
