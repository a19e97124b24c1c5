#!/bin/sh
# Removes what a running server does not read: types, source maps, documentation, other module formats, tests.
set -eu
cd "$(dirname "$0")/../../node_modules"
rm -rf @opentelemetry/*/build/esm @opentelemetry/*/build/esnext
rm -rf typescript @typescript @types viem/_cjs viem/_types ox/_cjs ox/_types abitype/dist/cjs abitype/dist/types node-linux-*/include node-linux-*/share
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' -o -name '*.test.js' \) -delete
find .. -path ../node_modules -prune -o -type f -name '*.test.ts' -exec rm {} +
rm -rf ../server/src/testing
