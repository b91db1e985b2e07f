{{- /* Where the Deployment's pods and the pod of `helm test` run, and as whom; the gateway's container, and its files. */ -}}
{{- define "dogwatch.pod" -}}
serviceAccountName: {{ include "dogwatch.serviceAccount" . }}
{{- $secrets := .Values.imagePullSecrets }}
{{- range default list .Values.global.imagePullSecrets }}
{{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) }}
{{- end }}
{{- with uniq $secrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
enableServiceLinks: false
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- range $key := list "priorityClassName" "runtimeClassName" "hostAliases" "dnsPolicy" "dnsConfig" "nodeSelector" "tolerations" }}
{{- with get $.Values $key }}
{{ dict $key . | toYaml }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "dogwatch.container" -}}
name: dogwatch
image: {{ include "dogwatch.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: [serve, --config=/etc/dogwatch/config/dogwatch.yaml]
{{- with include "dogwatch.env" . | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - {name: http, containerPort: 8484}
  {{- if .Values.metrics.enabled }}
  - {name: metrics, containerPort: {{ .Values.metrics.port }}}
  {{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
volumeMounts:
  {{- include "dogwatch.volumeMounts" . | trim | nindent 2 }}
{{- end -}}

{{- define "dogwatch.env" -}}
{{- if eq .Values.auth "oidc" }}
- {name: XDG_STATE_HOME, value: /var/lib/dogwatch}
{{- end }}
{{- with .Values.log }}
- {name: DOGWATCH_LOG, value: {{ . | quote }}}
{{- end }}
{{- if .Values.execPlugins.volume }}
- {name: PATH, value: {{ .Values.execPlugins.mountPath | quote }}}
{{- end }}
{{- with .Values.egressProxy.url }}
- {name: HTTPS_PROXY, value: {{ . | quote }}}
# The kubelet puts the address of the pod's own API server in.
- {name: NO_PROXY, value: {{ concat (list "$(KUBERNETES_SERVICE_HOST)" ".svc" ".svc.cluster.local") $.Values.egressProxy.noProxy | join "," | quote }}}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* A probe's request with its times and counts. */ -}}
{{- define "dogwatch.probe" -}}
httpGet: {path: {{ .path }}, port: http, scheme: {{ include "dogwatch.scheme" .of | upper }}}
{{ toYaml .times }}
{{- end -}}

{{- define "dogwatch.volumeMounts" -}}
- {name: config, mountPath: /etc/dogwatch/config, readOnly: true}
{{- if .Values.tls.secret }}
- {name: tls, mountPath: /etc/dogwatch/tls, readOnly: true}
{{- end }}
{{- if .Values.kubeconfigs.secret }}
- {name: kubeconfigs, mountPath: /etc/dogwatch/kubeconfigs, readOnly: true}
{{- end }}
{{- if eq .Values.auth "oidc" }}
{{- if .Values.oidc.clientSecret.name }}
- {name: oidc, mountPath: /etc/dogwatch/oidc, readOnly: true}
{{- end }}
{{- if include "dogwatch.hasOidcCa" . }}
- {name: oidc-ca, mountPath: /etc/dogwatch/oidc-ca, readOnly: true}
{{- end }}
- {name: session, mountPath: /etc/dogwatch/session, readOnly: true}
- {name: state, mountPath: /var/lib/dogwatch}
{{- end }}
{{- if .Values.history.volume }}
- {name: history, mountPath: /var/lib/dogwatch-history}
{{- end }}
{{- with .Values.history.postgres }}
{{- if .password.secret }}
- {name: history-password, mountPath: /etc/dogwatch/history-password, readOnly: true}
{{- end }}
{{- if or .ca.configMap .ca.secret }}
- {name: history-ca, mountPath: /etc/dogwatch/history-ca, readOnly: true}
{{- end }}
{{- if .clientCertificate }}
- {name: history-client, mountPath: /etc/dogwatch/history-client, readOnly: true}
{{- end }}
{{- end }}
{{- if .Values.receivers.secret }}
- {name: receivers, mountPath: /etc/dogwatch/receivers, readOnly: true}
{{- end }}
{{- if .Values.execPlugins.volume }}
- {name: exec-plugins, mountPath: {{ .Values.execPlugins.mountPath }}, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "dogwatch.volumes" -}}
- name: config
  configMap: {name: {{ include "dogwatch.fullname" . }}}
{{- with .Values.tls.secret }}
- name: tls
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.kubeconfigs.secret }}
- name: kubeconfigs
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- if eq .Values.auth "oidc" }}
{{- with .Values.oidc.clientSecret.name }}
- name: oidc
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.oidc.ca.configMap }}
- name: oidc-ca
  configMap: {name: {{ . }}}
{{- end }}
{{- with .Values.oidc.ca.secret }}
- name: oidc-ca
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
# 0440 and not 0400: the file is root's, so the gateway's user reads it through its group, the pod's fsGroup. With
# an fsGroup the kubelet makes 0440 of 0400 as well, and without one 0400 would hide it also from a group 0.
- name: session
  secret: {secretName: {{ .Values.oidc.sessionKeys.name }}, defaultMode: 0440}
# Which sessions were ended, for a container that is restarted. The other gateways tell a new pod.
- name: state
  emptyDir: {sizeLimit: 16Mi}
{{- end }}
{{- with .Values.history.volume }}
- name: history
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.receivers.secret }}
- name: receivers
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.history.postgres.password.secret }}
- name: history-password
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.history.postgres.ca.configMap }}
- name: history-ca
  configMap: {name: {{ . }}}
{{- end }}
{{- with .Values.history.postgres.ca.secret }}
- name: history-ca
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.history.postgres.clientCertificate }}
- name: history-client
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- with .Values.execPlugins.volume }}
- name: exec-plugins
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
