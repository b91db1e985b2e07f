{{- /* What controllers must be told of the gateway: that it wants https, where it does. An AWS load balancer asks for the
health of a pod with the pod's address as the host, which the gateway refuses everywhere but at its probes. */ -}}
{{- define "dogwatch.backendAnnotations" -}}
alb.ingress.kubernetes.io/healthcheck-path: /readyz
{{- if .Values.tls.secret }}
alb.ingress.kubernetes.io/backend-protocol: HTTPS
alb.ingress.kubernetes.io/healthcheck-protocol: HTTPS
haproxy-ingress.github.io/secure-backends: "true"
haproxy.org/server-ssl: "true"
nginx.ingress.kubernetes.io/backend-protocol: HTTPS
{{- end }}
{{- end -}}

{{- /* An Ingress for `hosts`, each with the Secret of its certificate, to the gateway. */ -}}
{{- define "dogwatch.ingress" }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "dogwatch.metadata" . | nindent 2 }}
spec:
  {{- with .of.Values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- $tls := list }}
  {{- range .hosts }}
  {{- if get . "tlsSecret" }}
  {{- $tls = append $tls (dict "secretName" .tlsSecret "hosts" (list .host)) }}
  {{- end }}
  {{- end }}
  {{- with $tls }}
  tls:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    {{- range .hosts }}
    - host: {{ .host }}
      http:
        paths:
          - path: {{ default (include "dogwatch.path" $.of) (get $ "path") }}
            pathType: Prefix
            backend:
              service:
                name: {{ include "dogwatch.fullname" $.of }}
                port: {name: {{ include "dogwatch.scheme" $.of }}}
    {{- end }}
{{- end -}}
