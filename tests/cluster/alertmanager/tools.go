//go:build tools

// Package alertmanager pins the Alertmanager that rules tell. Its later versions need files of their page, which a Go
// module doesn't have. It has a module of its own because Kubernetes pins other versions of the libraries that both use.
package alertmanager

import _ "github.com/prometheus/alertmanager/cmd/alertmanager"
