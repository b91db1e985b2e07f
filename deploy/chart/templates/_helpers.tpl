{{- define "dogwatch.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* Suffixes of at most ten characters follow it. */ -}}
{{- define "dogwatch.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 53 | trimSuffix "-" -}}
{{- else if contains (include "dogwatch.name" .) .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "dogwatch.name" .) | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.selectorLabels" -}}
app.kubernetes.io/name: {{ include "dogwatch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dogwatch.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "dogwatch.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "dogwatch.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "dogwatch.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.image" -}}
{{- $repository := required "image.repository: push the image that `cargo xtask image` writes to your registry, and name it here" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.scheme" -}}
{{- if .Values.tls.secret }}https{{ else }}http{{ end -}}
{{- end -}}

{{- define "dogwatch.publicUrl" -}}
{{- required "config.public-url: with an Ingress or an HTTPRoute, and with auth oidc, name the URL at which people reach it, such as https://dogwatch.example.org" (get .Values.config "public-url") -}}
{{- end -}}

{{- define "dogwatch.publicHost" -}}
{{- (urlParse (include "dogwatch.publicUrl" .)).hostname -}}
{{- end -}}

{{- define "dogwatch.path" -}}
{{- $path := default "" (get .Values.config "base-path") -}}
{{- if not $path -}}
{{- $path = (urlParse (include "dogwatch.publicUrl" .)).path -}}
{{- end -}}
{{- default "/" (trimSuffix "/" $path) -}}
{{- end -}}

{{- /* What the gateway itself would refuse at its start, said before anything is installed. */ -}}
{{- define "dogwatch.check" -}}
{{- if and (eq .Values.rights "passthrough") (ne .Values.auth "bearer") -}}
{{- fail "rights passthrough needs each viewer's own token, which auth bearer alone brings; choose that, or rights impersonate" -}}
{{- end -}}
{{- if eq .Values.auth "oidc" -}}
{{- range list "oidc-issuer" "oidc-client-id" -}}
{{- if not (get $.Values.config .) -}}
{{- fail (printf "auth oidc needs config.%s" .) -}}
{{- end -}}
{{- end -}}
{{- $url := include "dogwatch.publicUrl" . -}}
{{- if not .Values.oidc.sessionKeys.name -}}
{{- fail "auth oidc needs oidc.sessionKeys.name, a Secret that all gateways seal sessions with; make it with: kubectl create secret generic dogwatch-session-keys --from-literal=session-keys=$(openssl rand -base64 32)" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.auth "proxy") (not (or (get .Values.config "proxy-client-ca") (get .Values.config "proxy-jwt-keys") (get .Values.config "proxy-cidr"))) -}}
{{- fail "auth proxy must know its proxy: set proxy-client-ca, proxy-jwt-keys or proxy-cidr in config" -}}
{{- end -}}
{{- if and (get .Values.config "proxy-client-ca") (not (get .Values.config "proxy-client-name")) -}}
{{- fail "config.proxy-client-ca needs config.proxy-client-name, names that the proxy's certificate has, such as [portal]; [\"*\"] takes any certificate of this authority" -}}
{{- end -}}
{{- if and (get .Values.config "proxy-client-ca") (not .Values.tls.secret) -}}
{{- fail "config.proxy-client-ca needs the gateway's own TLS, which asks the proxy for its certificate: set tls.secret" -}}
{{- end -}}
{{- $clusters := default list (get .Values.config "clusters") -}}
{{- if and (or (gt (len $clusters) 1) (get .Values.config "cluster-profiles")) (eq .Values.auth "bearer") -}}
{{- fail "auth bearer is for one cluster, because a token is of one; with clusters or cluster-profiles choose auth oidc or proxy" -}}
{{- end -}}
{{- range $clusters -}}
{{- if and (hasPrefix "/etc/dogwatch/kubeconfigs/" (default "" .kubeconfig)) (not $.Values.kubeconfigs.secret) -}}
{{- fail (printf "config.clusters reads %s, where nothing is mounted: name the Secret in kubeconfigs.secret" .kubeconfig) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.kubeconfigs.use (not .Values.kubeconfigs.secret) -}}
{{- fail "kubeconfigs.use names a key of kubeconfigs.secret, which is empty" -}}
{{- end -}}
{{- end -}}

{{- /* The gateway's file: the keys of `config`, and those that follow from the other values. */ -}}
{{- define "dogwatch.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- $_ := set $config "listen" (printf "%s:8484" .Values.listenHost) -}}
{{- $_ = set $config "auth" .Values.auth -}}
{{- $_ = set $config "rights" .Values.rights -}}
{{- if .Values.metrics.enabled -}}
{{- $_ = set $config "metrics-listen" (printf "%s:%d" .Values.listenHost (int .Values.metrics.port)) -}}
{{- end -}}
{{- if .Values.audit.enabled -}}
{{- $_ = set $config "audit-log" "-" -}}
{{- end -}}
{{- if .Values.tls.secret -}}
{{- $_ = set $config "tls-cert" "/etc/dogwatch/tls/tls.crt" -}}
{{- $_ = set $config "tls-key" "/etc/dogwatch/tls/tls.key" -}}
{{- end -}}
{{- if .Values.kubeconfigs.use -}}
{{- $_ = set $config "kubeconfig" (printf "/etc/dogwatch/kubeconfigs/%s" .Values.kubeconfigs.use) -}}
{{- end -}}
{{- if eq .Values.auth "oidc" -}}
{{- if .Values.oidc.clientSecret.name -}}
{{- $_ = set $config "oidc-client-secret-file" (printf "/etc/dogwatch/oidc/%s" .Values.oidc.clientSecret.key) -}}
{{- end -}}
{{- $_ = set $config "session-key-file" (printf "/etc/dogwatch/session/%s" .Values.oidc.sessionKeys.key) -}}
{{- $_ = set $config "peers" (printf "%s-peers.%s.svc:8484" (include "dogwatch.fullname" .) .Release.Namespace) -}}
{{- if and .Values.tls.secret .Values.tls.hasCa -}}
{{- $_ = set $config "peers-ca-file" "/etc/dogwatch/tls/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}
