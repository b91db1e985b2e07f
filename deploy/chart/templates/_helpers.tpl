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
{{- $own := include "dogwatch.selectorLabels" . | fromYaml -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") -}}
{{- $_ = set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $_ = set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- toYaml $own -}}
{{- end -}}

{{- /* Labels and annotations of an object or of pods. `of` is the chart's context; `labels` and `annotations` are the
object's own. They come before the common ones, and the chart's labels before both. */ -}}
{{- define "dogwatch.marks" -}}
{{- $own := include "dogwatch.labels" .of | fromYaml -}}
labels:
  {{- merge $own (deepCopy (default dict (get . "labels"))) .of.Values.commonLabels | toYaml | nindent 2 }}
{{- with merge (deepCopy (default dict (get . "annotations"))) .of.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* The metadata of an object, with what `dogwatch.marks` takes. `name` is the release's full name without one, and
`namespace` the release's; `isClusterScoped` leaves it out. */ -}}
{{- define "dogwatch.metadata" -}}
name: {{ default (include "dogwatch.fullname" .of) (get . "name") }}
{{- if not (get . "isClusterScoped") }}
namespace: {{ default .of.Release.Namespace (get . "namespace") }}
{{- end }}
{{ include "dogwatch.marks" . }}
{{- end -}}

{{- define "dogwatch.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "dogwatch.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.image" -}}
{{- $repository := required "image.repository: push the image (dogwatch-VERSION-image.tar of a release, or what `cargo xtask image` writes) to your registry, and name it here" .Values.image.repository -}}
{{- with .Values.global.imageRegistry -}}
{{- $repository = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" $repository "") -}}
{{- end -}}
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

{{- /* The port that a URL names, or nothing. */ -}}
{{- define "dogwatch.port" -}}
{{- regexFind ":[0-9]+$" (urlParse .).host | trimPrefix ":" -}}
{{- end -}}

{{- /* The path below which everything is served, without a slash at its end. */ -}}
{{- define "dogwatch.basePath" -}}
{{- $ofUrl := (urlParse (default "" (get .Values.config "public-url"))).path -}}
{{- trimSuffix "/" (default $ofUrl (get .Values.config "base-path")) -}}
{{- end -}}

{{- define "dogwatch.path" -}}
{{- default "/" (include "dogwatch.basePath" .) -}}
{{- end -}}

{{- /* How many gateways there are at least. */ -}}
{{- define "dogwatch.replicas" -}}
{{- ternary .Values.autoscaling.minReplicas .Values.replicas .Values.autoscaling.enabled -}}
{{- end -}}

{{- /* How many gateways there are at most. */ -}}
{{- define "dogwatch.replicasMax" -}}
{{- ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled -}}
{{- end -}}

{{- /* The ports of the receivers of rules, for the NetworkPolicy. */ -}}
{{- define "dogwatch.receiverPorts" -}}
{{- $ports := list -}}
{{- range default list (get .Values.config "receivers") -}}
{{- $url := default .alertmanager .webhook -}}
{{- $usual := get (dict "http" "80" "https" "443") (urlParse $url).scheme -}}
{{- $ports = append $ports (printf "{port: %s, protocol: TCP}" (default $usual (include "dogwatch.port" $url))) -}}
{{- end -}}
{{- uniq $ports | join ", " -}}
{{- end -}}

{{- define "dogwatch.hasOidcCa" -}}
{{- if or .Values.oidc.ca.configMap .Values.oidc.ca.secret }}yes{{ end -}}
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
{{- if .Values.history.volume -}}
{{- $_ = set $config "history" "/var/lib/dogwatch-history/record" -}}
{{- end -}}
{{- with .Values.history.postgres -}}
{{- if .url -}}
{{- $_ = set $config "history" .url -}}
{{- if .password.secret -}}
{{- $_ = set $config "history-password-file" (printf "/etc/dogwatch/history-password/%s" .password.key) -}}
{{- end -}}
{{- if or .ca.configMap .ca.secret -}}
{{- $_ = set $config "history-ca-file" (printf "/etc/dogwatch/history-ca/%s" .ca.key) -}}
{{- end -}}
{{- if .clientCertificate -}}
{{- $_ = set $config "history-cert-file" "/etc/dogwatch/history-client/tls.crt" -}}
{{- $_ = set $config "history-key-file" "/etc/dogwatch/history-client/tls.key" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (get .Values.config "rules") (gt (include "dogwatch.replicasMax" . | int) 1) -}}
{{- $_ = set $config "replicas" (include "dogwatch.replicasMax" . | int) -}}
{{- end -}}
{{- if .Values.kubeconfigs.use -}}
{{- $_ = set $config "kubeconfig" (printf "/etc/dogwatch/kubeconfigs/%s" .Values.kubeconfigs.use) -}}
{{- end -}}
{{- if eq .Values.auth "oidc" -}}
{{- if .Values.oidc.clientSecret.name -}}
{{- $_ = set $config "oidc-client-secret-file" (printf "/etc/dogwatch/oidc/%s" .Values.oidc.clientSecret.key) -}}
{{- end -}}
{{- if include "dogwatch.hasOidcCa" . -}}
{{- $_ = set $config "oidc-ca-file" (printf "/etc/dogwatch/oidc-ca/%s" .Values.oidc.ca.key) -}}
{{- end -}}
{{- $_ = set $config "session-key-file" (printf "/etc/dogwatch/session/%s" .Values.oidc.sessionKeys.key) -}}
{{- $_ = set $config "peers" (printf "%s-peers.%s.svc:8484" (include "dogwatch.fullname" .) .Release.Namespace) -}}
{{- if and .Values.tls.secret .Values.tls.hasCa -}}
{{- $_ = set $config "peers-ca-file" "/etc/dogwatch/tls/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- define "dogwatch.testName" -}}
{{- printf "%s-test" (include "dogwatch.name" . | trunc 58 | trimSuffix "-") -}}
{{- end -}}
