//go:build tools

// Package actionlint pins what checks the workflows of the forge.
package actionlint

import _ "github.com/rhysd/actionlint/cmd/actionlint"
