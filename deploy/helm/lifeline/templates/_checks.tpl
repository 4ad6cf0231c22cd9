{{- /* Refuses values that would not work, with what to say instead. */ -}}
{{- define "lifeline.check" -}}
{{- if not .Values.existingSecret -}}
{{- if not .Values.configuration -}}
{{- fail "configuration is empty: give applications, keysets or chat applications with secrets of your own, or name a Secret with existingSecret." -}}
{{- end -}}
{{- if and (not .Values.redis) (or .Values.autoscaling.enabled (gt (int .Values.replicas) 1)) -}}
{{- fail "Several servers need a Redis: set redis, or replicas to 1 without autoscaling." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host is empty: name the host that clients connect to, or switch the Ingress off." -}}
{{- end -}}
{{- end -}}

{{- define "lifeline.secret" -}}
{{- .Values.existingSecret | default .Release.Name -}}
{{- end -}}

{{- /* What selects the servers of this release, and never changes. */ -}}
{{- define "lifeline.selector" -}}
app.kubernetes.io/name: lifeline
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "lifeline.labels" -}}
{{ include "lifeline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}
