#!/bin/sh
# What the plug-in runs in the folder of an application: its manifests on stdout, nothing else.
#
# GPUXLATE_TO      the target (of the application: plugin.env, which Argo CD calls ARGOCD_ENV_GPUXLATE_TO)
# GPUXLATE_FLAGS   further options of gpuxlate translate, as in "--round up --drop policy"
# GPUXLATE_SOURCE  the command that prints the manifests; found by the files in the folder otherwise
set -eu

to=${ARGOCD_ENV_GPUXLATE_TO:-${GPUXLATE_TO:-}}
flags=${ARGOCD_ENV_GPUXLATE_FLAGS:-${GPUXLATE_FLAGS:-}}
source=${GPUXLATE_SOURCE:-}
if [ -z "$to" ]; then
  echo "gpuxlate: no target: set GPUXLATE_TO in spec.source.plugin.env of the application" >&2
  exit 2
fi

manifests=$(mktemp)
trap 'rm -f "$manifests"' EXIT
if [ -n "$source" ]; then
  sh -c "$source" > "$manifests"
elif [ -e kustomization.yaml ] || [ -e kustomization.yml ] || [ -e Kustomization ]; then
  kustomize build . > "$manifests"
elif [ -e Chart.yaml ]; then
  helm template "${ARGOCD_APP_NAME:-release}" . --namespace "${ARGOCD_APP_NAMESPACE:-default}" --include-crds > "$manifests"
else
  # plain manifests, one after the other
  find . -name '.*' ! -name . -prune -o -type f \( -name '*.yaml' -o -name '*.yml' -o -name '*.json' \) -print \
    | LC_ALL=C sort | while IFS= read -r file; do
      echo "---"
      cat "$file"
      echo
    done > "$manifests"
fi

# an application without manifests is no mistake
grep -q '[^[:space:]-]' "$manifests" || exit 0
# shellcheck disable=SC2086 - the flags are words
gpuxlate translate - --to "$to" $flags < "$manifests"
