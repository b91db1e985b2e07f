#!/bin/sh
# Watches the config maps of a namespace from a resourceVersion, with curl alone.
# SERVER and CA are `server` and `certificate-authority-data` of the kubeconfig; `dogwatch credential` prints a token.
curl --silent --show-error --no-buffer --cacert "$CA" --header "Authorization: Bearer $TOKEN" \
  "$SERVER/api/v1/namespaces/$NAMESPACE/configmaps?watch=1&resourceVersion=$VERSION"
