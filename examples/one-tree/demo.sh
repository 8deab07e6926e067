#!/bin/sh
# The example from beginning to end, in a copy: make demo-tree
set -e
exec 2>&1
cd "$(dirname "$0")"
say() { echo; echo "# $1"; }

say "gpuxlate sync: each folder of clusters/ is written from base/"
rm -rf clusters
gpuxlate sync
cp -r clusters before

say "gpuxlate sync --check: a second run changes nothing"
gpuxlate sync --check && echo "in step"

say "bert asks for 5000 MiB in place of 4000: what was decided for qGPU holds no longer"
sed -i.old 's/memory-mib: 4000/memory-mib: 5000/' base/bert/deployment.yaml && rm base/bert/*.old
gpuxlate sync || true

say "gpuxlate sync --write-decisions: one new entry, which somebody reads and accepts"
gpuxlate sync --write-decisions decisions/tencent.yaml >/dev/null 2>&1 || true
sed -i.old -e 's/accept: false/accept: true/' -e 's/reason: ""/reason: the new model needs it/' decisions/tencent.yaml
rm decisions/*.old
gpuxlate sync --prune-decisions

say "one line of each cloud's tree is another one"
diff -r -x .gpuxlate-sync.json before clusters || true
rm -rf before
