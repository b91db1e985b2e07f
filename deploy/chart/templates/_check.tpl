{{- /* What can't work together, said before anything is installed: what the gateway would refuse at its start, and then what
Kubernetes or an operator would refuse, or would take without any effect. */ -}}
{{- define "dogwatch.check" -}}
{{- include "dogwatch.checkGateway" . -}}
{{- include "dogwatch.checkReach" . -}}
{{- include "dogwatch.checkAvailability" . -}}
{{- include "dogwatch.checkMetrics" . -}}
{{- include "dogwatch.checkHistory" . -}}
{{- include "dogwatch.checkRules" . -}}
{{- range $at, $labels := pick .Values "commonLabels" "podLabels" -}}
{{- range $key, $_ := include "dogwatch.selectorLabels" $ | fromYaml -}}
{{- if hasKey $labels $key -}}
{{- fail (printf "%s: the selectors need %s as the chart sets it" $at $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.dnsPolicy "None") (not (get .Values.dnsConfig "nameservers")) -}}
{{- fail "dnsPolicy None needs dnsConfig.nameservers" -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.checkGateway" -}}
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
{{- if include "dogwatch.hasOidcCa" . -}}
{{- if ne .Values.auth "oidc" -}}
{{- fail "oidc.ca is of the identity provider of auth oidc" -}}
{{- end -}}
{{- if and .Values.oidc.ca.configMap .Values.oidc.ca.secret -}}
{{- fail "oidc.ca: name a ConfigMap or a Secret, not both" -}}
{{- end -}}
{{- end -}}
{{- if contains "@" .Values.egressProxy.url -}}
{{- fail "egressProxy.url: its user and password would stand in the Deployment; set HTTPS_PROXY from a Secret in extraEnv, and open the proxy's port in networkPolicy.to" -}}
{{- end -}}
{{- end -}}

{{- /* Where the past is kept. */ -}}
{{- define "dogwatch.checkHistory" -}}
{{- $postgres := .Values.history.postgres -}}
{{- if .Values.history.volume -}}
{{- if $postgres.url -}}
{{- fail "history: set volume or postgres.url, not both" -}}
{{- end -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}
{{- fail "history.volume is for one gateway, which alone may write its files: set replicas: 1, or for several history.postgres.url" -}}
{{- end -}}
{{- end -}}
{{- if and (or .Values.history.volume $postgres.url) (get .Values.config "history") -}}
{{- fail "config.history says where the past is kept, and so does history.volume or history.postgres.url: leave one out" -}}
{{- end -}}
{{- if and (not $postgres.url) (or $postgres.password.secret $postgres.ca.configMap $postgres.ca.secret $postgres.clientCertificate $postgres.to) -}}
{{- fail "history.postgres needs its url, such as postgres://dogwatch@db.example.org/dogwatch" -}}
{{- end -}}
{{- if regexMatch "://[^/@]*:[^/@]*@" $postgres.url -}}
{{- fail "history.postgres.url: its password would stand in the ConfigMap; leave it out, and name a Secret in history.postgres.password" -}}
{{- end -}}
{{- if and $postgres.ca.configMap $postgres.ca.secret -}}
{{- fail "history.postgres.ca: name a ConfigMap or a Secret, not both" -}}
{{- end -}}
{{- end -}}

{{- /* Who is told of rules. */ -}}
{{- define "dogwatch.checkRules" -}}
{{- $receivers := default list (get .Values.config "receivers") -}}
{{- if and (get .Values.config "rules") (not $receivers) -}}
{{- fail "config.rules tell nobody: name a webhook or an Alertmanager in config.receivers" -}}
{{- end -}}
{{- if and .Values.receivers.to (not $receivers) -}}
{{- fail "receivers.to is where config.receivers are, which are none" -}}
{{- end -}}
{{- range $receiver := $receivers -}}
{{- if and (get $.Values.config "rules") $receiver.webhook (gt (include "dogwatch.replicasMax" $ | int) 1) (not $.Values.history.postgres.url) -}}
{{- fail "config.receivers: of several gateways one tells a webhook, which they agree on in PostgreSQL: set history.postgres.url, or replicas: 1 without autoscaling" -}}
{{- end -}}
{{- range $key := list "secret-file" "token-file" -}}
{{- if and (hasPrefix "/etc/dogwatch/receivers/" (default "" (get $receiver $key))) (not $.Values.receivers.secret) -}}
{{- fail (printf "config.receivers reads %s, where nothing is mounted: name the Secret in receivers.secret" (get $receiver $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* How clients come to the gateway. */ -}}
{{- define "dogwatch.checkReach" -}}
{{- $service := .Values.service -}}
{{- $balanced := list "LoadBalancer" -}}
{{- $outside := list "NodePort" "LoadBalancer" -}}
{{- range $key, $types := dict "nodePort" $outside "externalTrafficPolicy" $outside "loadBalancerClass" $balanced "loadBalancerIP" $balanced "loadBalancerSourceRanges" $balanced -}}
{{- if and (get $service $key) (not (has $service.type $types)) -}}
{{- fail (printf "service.%s is for service.type %s" $key (join " or " $types)) -}}
{{- end -}}
{{- end -}}
{{- $redirects := .Values.ingress.redirects -}}
{{- if $redirects.hosts -}}
{{- if not .Values.ingress.enabled -}}
{{- fail "ingress.redirects needs ingress.enabled" -}}
{{- end -}}
{{- if not $redirects.annotations -}}
{{- fail "ingress.redirects.hosts: the gateway refuses every host but that of public-url, and an Ingress has no redirects of its own; say yours in ingress.redirects.annotations, in your controller's words" -}}
{{- end -}}
{{- end -}}
{{- if .Values.httpRoute.redirects.hostnames -}}
{{- if not .Values.httpRoute.enabled -}}
{{- fail "httpRoute.redirects needs httpRoute.enabled" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: name the Gateway that takes the route, such as [{name: public, namespace: gateways}]" -}}
{{- end -}}
{{- $hosts := .Values.httpRoute.redirects.hostnames -}}
{{- range $redirects.hosts -}}
{{- $hosts = append $hosts .host -}}
{{- end -}}
{{- if and $hosts (has (include "dogwatch.publicHost" .) $hosts) -}}
{{- fail "redirects: the host of public-url would be led to itself" -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.checkAvailability" -}}
{{- $budget := .Values.podDisruptionBudget -}}
{{- if and $budget.minAvailable $budget.maxUnavailable -}}
{{- fail "podDisruptionBudget: set minAvailable or maxUnavailable, not both" -}}
{{- end -}}
{{- $replicas := include "dogwatch.replicas" . | int -}}
{{- if and $budget.enabled (gt $replicas 1) (not (contains "%" (toString $budget.minAvailable))) (ge (int $budget.minAvailable) $replicas) -}}
{{- fail (printf "podDisruptionBudget.minAvailable %v of %d gateways would keep every node of theirs from being drained" $budget.minAvailable $replicas) -}}
{{- end -}}
{{- $scaling := .Values.autoscaling -}}
{{- if $scaling.enabled -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail "autoscaling.minReplicas is more than autoscaling.maxReplicas" -}}
{{- end -}}
{{- if not (or $scaling.targetCpu $scaling.targetMemory) -}}
{{- fail "autoscaling needs targetCpu or targetMemory" -}}
{{- end -}}
{{- range $key, $resource := dict "targetCpu" "cpu" "targetMemory" "memory" -}}
{{- if and (get $scaling $key) (not (get (default dict (get $.Values.resources "requests")) $resource)) -}}
{{- fail (printf "autoscaling.%s is percent of resources.requests.%s, which isn't set" $key $resource) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "dogwatch.checkMetrics" -}}
{{- $metrics := .Values.metrics -}}
{{- range $key, $part := pick $metrics "serviceMonitor" "rules" "dashboard" -}}
{{- if and $part.enabled (not $metrics.enabled) -}}
{{- fail (printf "metrics.%s needs metrics.enabled" $key) -}}
{{- end -}}
{{- end -}}
{{- with $metrics.serviceMonitor.scrapeTimeout -}}
{{- if gt (include "dogwatch.seconds" . | int) (include "dogwatch.seconds" $metrics.serviceMonitor.interval | int) -}}
{{- fail "metrics.serviceMonitor.scrapeTimeout is longer than its interval" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* `1m` and `60s` as 60. */ -}}
{{- define "dogwatch.seconds" -}}
{{- if hasSuffix "m" . -}}
{{- mul 60 (trimSuffix "m" . | int) -}}
{{- else -}}
{{- trimSuffix "s" . -}}
{{- end -}}
{{- end -}}
