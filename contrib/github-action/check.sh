#!/usr/bin/env bash
# What the action runs: SARIF for code scanning, annotations for the pull request, then the verdict.
set -euo pipefail

sarif=${SARIF:-gpuxlate.sarif}
read -r -d '' -a paths <<< "${GPUXLATE_PATHS:-.}" || true
read -r -d '' -a more <<< "${GPUXLATE_ARGS:-}" || true

# findings do not end this one: the file is wanted first
gpuxlate lint "${paths[@]}" "${more[@]}" --allow-empty --format sarif > "$sarif"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "sarif=$sarif" >> "$GITHUB_OUTPUT"
fi

code=0
gpuxlate lint "${paths[@]}" "${more[@]}" --allow-empty --format github --fail-on "${GPUXLATE_FAIL_ON:-error}" || code=$?
if [ -n "${GPUXLATE_TRANSLATE_TO:-}" ]; then
  gpuxlate translate "${paths[@]}" --to "$GPUXLATE_TRANSLATE_TO" --diff > /dev/null || code=$?
fi
exit "$code"
