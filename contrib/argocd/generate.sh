#!/bin/sh
# What the plug-in runs in the folder of an application: its manifests on stdout, nothing else.
#
# Of the application, in spec.source.plugin.env (Argo CD puts ARGOCD_ENV_ before the names):
#   GPUXLATE_TO      the target
#   GPUXLATE_ROUND   up: accept rounding
#   GPUXLATE_DROP    accept the loss of fields, such as policy,qos
#   GPUXLATE_FILL    values for fields that are not set, such as "cores=30 memoryMiB=8192"
# Only of the sidecar:
#   GPUXLATE_SOURCE  the command that prints the manifests; by default, chosen by the files in the folder
set -euf

to=${ARGOCD_ENV_GPUXLATE_TO:-${GPUXLATE_TO:-}}
if [ -z "$to" ]; then
  echo "gpuxlate: no target: set GPUXLATE_TO in spec.source.plugin.env of the application" >&2
  exit 2
fi
set -- --to "$to"
if [ -n "${ARGOCD_ENV_GPUXLATE_ROUND:-}" ]; then set -- "$@" --round "$ARGOCD_ENV_GPUXLATE_ROUND"; fi
if [ -n "${ARGOCD_ENV_GPUXLATE_DROP:-}" ]; then set -- "$@" --drop "$ARGOCD_ENV_GPUXLATE_DROP"; fi
for fill in ${ARGOCD_ENV_GPUXLATE_FILL:-}; do set -- "$@" --fill "$fill"; done

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
if [ -n "${GPUXLATE_SOURCE:-}" ]; then
  sh -c "$GPUXLATE_SOURCE" > "$manifests"
elif [ -e kustomization.yaml ] || [ -e kustomization.yml ] || [ -e Kustomization ]; then
  kustomize build . > "$manifests"
elif [ -e Chart.yaml ]; then
  helm template "${ARGOCD_APP_NAME:-release}" . --namespace "${ARGOCD_APP_NAMESPACE:-default}" \
    --include-crds > "$manifests"
else
  # plain manifests, one after the other, without hidden files
  find . -name '.?*' -prune -o -type f \( -name '*.yaml' -o -name '*.yml' -o -name '*.json' \) -print \
    | LC_ALL=C sort | while IFS= read -r file; do
      echo "---"
      cat "$file"
      echo
    done > "$manifests"
fi

# an application without manifests is not an error
grep -q '[^[:space:]-]' "$manifests" || exit 0
gpuxlate translate - "$@" < "$manifests"
