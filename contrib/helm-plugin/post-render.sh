#!/bin/sh
# A post-renderer for Helm: manifests on stdin, the same on stdout in the dialect of the cluster.
#
#   helm install web ./chart --post-renderer gpuxlate-post-renderer \
#     --post-renderer-args --to=tencent-qgpu --post-renderer-args --round=up
#
# In Helm 4, a post-renderer is a plug-in: --post-renderer gpuxlate. The arguments are those of gpuxlate
# translate; GPUXLATE_TO names the target if --to is missing.
set -eu

for argument in "$@"; do
  case $argument in
    --to | --to=*) exec gpuxlate translate - "$@" ;;
  esac
done
if [ -z "${GPUXLATE_TO:-}" ]; then
  echo "gpuxlate: no target: pass --post-renderer-args --to=TARGET, or set GPUXLATE_TO" >&2
  exit 2
fi
exec gpuxlate translate - --to "$GPUXLATE_TO" "$@"
