{{- /* The rules of the gateway's account, chosen among those of files/rbac.yaml. A test compares them with those of
`dogwatch rbac` for the same configuration. */ -}}
{{- define "dogwatch.rules" -}}
{{- $pieces := .Files.Get "files/rbac.yaml" | fromYaml -}}
{{- $knownBy := ternary "Token" "Name" (eq .Values.auth "bearer") -}}
{{- $rules := concat $pieces.always $pieces.viewers -}}
{{- if eq $knownBy "Token" -}}
{{- $rules = concat $rules $pieces.tokens -}}
{{- end -}}
{{- if eq (include "dogwatch.profiles" .) "*" -}}
{{- $rules = concat $rules $pieces.profiles -}}
{{- end -}}
{{- $verbs := list -}}
{{- if eq .Values.rights "impersonate" -}}
{{- $isConstrained := .Values.rbac.constrainedImpersonation -}}
{{- $rules = concat $rules (get $pieces (print (ternary "constrained" "unconstrained" $isConstrained) $knownBy)) -}}
{{- if and .Values.rbac.userExtras (eq $knownBy "Token") -}}
{{- $extras := list -}}
{{- range .Values.rbac.userExtras -}}
{{- $extras = append $extras (print "userextras/" .) -}}
{{- end -}}
{{- $verb := ternary "impersonate:user-info" "impersonate" $isConstrained -}}
{{- $rules = append $rules (dict "apiGroups" (list "authentication.k8s.io") "resources" $extras "verbs" (list $verb)) -}}
{{- end -}}
{{- if $isConstrained -}}
{{- $verbs = get $pieces.verbs (print "impersonate" $knownBy) -}}
{{- end -}}
{{- else if eq .Values.rights "shared" -}}
{{- $verbs = $pieces.verbs.shared -}}
{{- end -}}
{{- if $verbs -}}
{{- range include "dogwatch.kinds" (dict "kinds" $pieces.kinds "values" .Values) | fromJsonArray -}}
{{- $rules = append $rules (dict "apiGroups" (list .group) "resources" .resources "verbs" $verbs) -}}
{{- end -}}
{{- end -}}
{{- if and $verbs (get .Values.config "logs") -}}
{{- $only := default list (get .Values.config "shown-kind") -}}
{{- $hidden := default list (get .Values.config "hidden-kind") -}}
{{- $isShown := or (not $only) (include "dogwatch.matches" (dict "patterns" $only "names" (list "pods"))) -}}
{{- if and $isShown (not (include "dogwatch.matches" (dict "patterns" $hidden "names" (list "pods")))) -}}
{{- $way := ternary "shared" (print "impersonate" $knownBy) (eq .Values.rights "shared") -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "pods/log") "verbs" (get $pieces.logs $way)) -}}
{{- end -}}
{{- end -}}
{{- $isKept := or .Values.history.volume .Values.history.postgres.url -}}
{{- if and (ne .Values.rights "shared") (or $isKept (get .Values.config "rules")) -}}
{{- range include "dogwatch.recorded" (dict "pieces" $pieces "config" .Values.config "isKept" $isKept) | fromJsonArray -}}
{{- $rules = append $rules (dict "apiGroups" (list .group) "resources" .resources "verbs" $pieces.verbs.recorded) -}}
{{- end -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end -}}

{{- /* Groups with the resources that are recorded without viewers, and those of rules, as JSON: of those that are shown, as
gateway/src/rbac/kinds.rs has them. */ -}}
{{- define "dogwatch.recorded" -}}
{{- $patterns := ternary (default .pieces.recorded (get .config "history-kind")) list (not (not .isKept)) -}}
{{- range default list (get .config "rules") -}}
{{- $patterns = append $patterns .kind -}}
{{- end -}}
{{- $patterns = uniq $patterns -}}
{{- $only := default list (get .config "shown-kind") -}}
{{- $hidden := default list (get .config "hidden-kind") -}}
{{- $found := list -}}
{{- $ofBuiltIn := dict -}}
{{- range .pieces.kinds -}}
{{- $group := .group -}}
{{- range .resources -}}
{{- $full := ternary . (printf "%s.%s" . $group) (eq $group "") -}}
{{- $plural := . -}}
{{- range $patterns -}}
{{- if include "dogwatch.matches" (dict "patterns" (list .) "names" (list $plural $full)) -}}
{{- $_ := set $ofBuiltIn . true -}}
{{- end -}}
{{- end -}}
{{- if and (ne $full "secrets") (include "dogwatch.matches" (dict "patterns" $patterns "names" (list $full))) -}}
{{- $found = append $found (dict "group" $group "plural" $plural "full" $full) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $patterns -}}
{{- if not (hasKey $ofBuiltIn .) -}}
{{- if hasPrefix "*." . -}}
{{- $group := trimPrefix "*." . -}}
{{- $found = append $found (dict "group" $group "plural" "*" "full" (print "*." $group)) -}}
{{- else if and (contains "." .) (not (contains "*" .)) -}}
{{- $first := splitList "." . | first -}}
{{- $found = append $found (dict "group" (trimPrefix (print $first ".") .) "plural" $first "full" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $resources := dict -}}
{{- $order := list -}}
{{- range $found -}}
{{- $names := list .plural .full -}}
{{- $isShown := or (not $only) (include "dogwatch.matches" (dict "patterns" $only "names" $names)) -}}
{{- if and $isShown (not (include "dogwatch.matches" (dict "patterns" $hidden "names" $names))) -}}
{{- if not (hasKey $resources .group) -}}
{{- $order = append $order .group -}}
{{- end -}}
{{- $_ := set $resources (print .group) (append (default list (get $resources .group)) .plural) -}}
{{- end -}}
{{- end -}}
{{- $kinds := list -}}
{{- range $order -}}
{{- $kinds = append $kinds (dict "group" . "resources" (get $resources .)) -}}
{{- end -}}
{{- toJson $kinds -}}
{{- end -}}

{{- /* The namespace of the ClusterProfiles that are shown; `*` stands for all, and nothing for none. */ -}}
{{- define "dogwatch.profiles" -}}
{{- get .Values.config "cluster-profiles" -}}
{{- end -}}

{{- /* Groups with the resources that the configuration shows, as JSON. */ -}}
{{- define "dogwatch.kinds" -}}
{{- $config := .values.config -}}
{{- $only := default list (get $config "shown-kind") -}}
{{- $hidden := default list (get $config "hidden-kind") -}}
{{- $isAll := not $only -}}
{{- $shown := dict -}}
{{- $order := list -}}
{{- $patterns := ternary .values.rbac.customKinds $only $isAll -}}
{{- $ofBuiltIn := dict -}}
{{- range .kinds -}}
{{- $group := .group -}}
{{- $resources := list -}}
{{- range .resources -}}
{{- $full := ternary . (printf "%s.%s" . $group) (eq $group "") -}}
{{- $names := list . $full -}}
{{- range $patterns -}}
{{- if include "dogwatch.matches" (dict "patterns" (list .) "names" $names) -}}
{{- $_ := set $ofBuiltIn . true -}}
{{- end -}}
{{- end -}}
{{- $isShown := or $isAll (include "dogwatch.matches" (dict "patterns" $only "names" $names)) -}}
{{- $isHidden := include "dogwatch.matches" (dict "patterns" $hidden "names" $names) -}}
{{- $isSecret := and (eq $full "secrets") (not (get $config "secret-names")) -}}
{{- if and $isShown (not $isHidden) (not $isSecret) -}}
{{- $resources = append $resources . -}}
{{- end -}}
{{- end -}}
{{- if $resources -}}
{{- $_ := set $shown (print $group) $resources -}}
{{- $order = append $order $group -}}
{{- end -}}
{{- end -}}
{{- range $patterns -}}
{{- if not (hasKey $ofBuiltIn .) -}}
{{- $group := "" -}}
{{- $plural := "" -}}
{{- if hasPrefix "*." . -}}
{{- if not (has . $hidden) -}}
{{- $group = trimPrefix "*." . -}}
{{- $plural = "*" -}}
{{- end -}}
{{- else if and (contains "." .) (not (contains "*" .)) -}}
{{- $first := splitList "." . | first -}}
{{- if not (include "dogwatch.matches" (dict "patterns" $hidden "names" (list $first .))) -}}
{{- $group = trimPrefix (print $first ".") . -}}
{{- $plural = $first -}}
{{- end -}}
{{- end -}}
{{- if $plural -}}
{{- if not (hasKey $shown $group) -}}
{{- $order = append $order $group -}}
{{- end -}}
{{- $_ := set $shown $group (append (default list (get $shown $group)) $plural | uniq) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $kinds := list -}}
{{- range $order -}}
{{- $kinds = append $kinds (dict "group" . "resources" (get $shown .)) -}}
{{- end -}}
{{- toJson $kinds -}}
{{- end -}}

{{- /* Not empty: one of the names is meant by one of the patterns, as gateway/src/cluster/ceiling.rs has them. */ -}}
{{- define "dogwatch.matches" -}}
{{- $found := false -}}
{{- $names := .names -}}
{{- range .patterns -}}
{{- $pattern := . -}}
{{- range $names -}}
{{- if hasPrefix "*" $pattern -}}
{{- $found = or $found (hasSuffix (trimPrefix "*" $pattern) .) -}}
{{- else if hasSuffix "*" $pattern -}}
{{- $found = or $found (hasPrefix (trimSuffix "*" $pattern) .) -}}
{{- else -}}
{{- $found = or $found (eq $pattern .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $found }}yes{{ end -}}
{{- end -}}

{{- /* A role of this kind for the gateway's account. */ -}}
{{- define "dogwatch.binding" }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ printf "%s:%s" .of.Release.Namespace (include "dogwatch.fullname" .of) }}
subjects:
  - kind: ServiceAccount
    name: {{ include "dogwatch.serviceAccount" .of }}
    namespace: {{ .of.Release.Namespace }}
{{- end -}}
