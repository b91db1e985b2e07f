//go:build tools

// Package helm pins the program that installs the chart in the tests.
// It is never built itself: the blank import keeps the version in go.mod and go.sum.
package helm

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
