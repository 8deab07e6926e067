{{- define "studio.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* What a tier sets on its pods: a list of the root and the tier. */}}
{{- define "studio.pod" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}{{ $tier := index . 2 -}}
metadata:
  labels:
    app: {{ $root.Release.Name }}-{{ $name }}
    {{- with $tier.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with $tier.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $tier.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $tier.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
  - name: {{ $name }}
    image: {{ $tier.image }}
    resources: {{- toYaml $tier.resources | nindent 6 }}
{{- end }}
