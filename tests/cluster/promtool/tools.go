//go:build tools

// Package promtool pins the program that checks and tests the alert rules. It has a module of its own because
// Kubernetes and Prometheus pin different versions of the libraries that both use.
package promtool

import _ "github.com/prometheus/prometheus/cmd/promtool"
