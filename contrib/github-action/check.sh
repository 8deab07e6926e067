#!/usr/bin/env bash
# What the action runs: SARIF for code scanning, annotations for the pull request, then the verdict.
set -euo pipefail

sarif=${SARIF:-gpuxlate.sarif}
paths=()
while IFS= read -r line; do
  if [ -e "$line" ]; then # its name may have spaces
    paths+=("$line")
  else
    read -r -a words <<< "$line"
    paths+=("${words[@]}")
  fi
done <<< "${GPUXLATE_PATHS:-.}"
read -r -d '' -a more <<< "${GPUXLATE_ARGS:-}" || true

# findings do not end this one: the file is wanted first
gpuxlate lint "${paths[@]}" "${more[@]}" --allow-empty --fail-on never --format sarif > "$sarif"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "sarif=$sarif" >> "$GITHUB_OUTPUT"
fi

code=0
gpuxlate lint "${paths[@]}" --allow-empty --fail-on "${GPUXLATE_FAIL_ON:-error}" "${more[@]}" --format github || code=$?
if [ -n "${GPUXLATE_TRANSLATE_TO:-}" ]; then
  read -r -d '' -a options <<< "${GPUXLATE_TRANSLATE_ARGS:-}" || true
  report="$sarif.report.json"
  gpuxlate translate "${paths[@]}" --to "$GPUXLATE_TRANSLATE_TO" "${options[@]}" --diff --exit-zero --report "$report" > /dev/null || code=$?
  if [ -n "${GITHUB_OUTPUT:-}" ] && [ -f "$report" ]; then
    echo "leftovers=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["leftovers"]))' "$report")" >> "$GITHUB_OUTPUT"
  fi
fi
exit "$code"
