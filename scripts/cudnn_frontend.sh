#!/usr/bin/env bash
# Fetches NVIDIA's cudnn-frontend, headers only, into .cuda/cudnn_frontend, where the build finds them.
#
# Instant when they are there. Without them everything builds, and cuDNN's attention and RMSNorm are unsupported: so a
# failure is one line, and no error.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
target=.cuda/cudnn_frontend
[[ -f $target/include/cudnn_frontend.h && -f $target/LICENSE.txt ]] && exit 0
missing() { echo "scripts/cudnn_frontend.sh: no cudnn-frontend, so none of cuDNN's graphs: $1" >&2 && exit 0; }

command -v python3 > /dev/null || missing "there is no python3"
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
said=$(python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$wheels" \
  nvidia-cudnn-frontend==1.32.0 2>&1) || missing "pip says: $(tail -n 1 <<< "$said")"
mkdir -p "$target"
said=$(python3 -m zipfile -e "$wheels"/*.whl "$wheels/unpacked" 2>&1) || missing "$said"
cp -r "$wheels/unpacked/include" "$target/" || missing "its wheel has no include folder"
cp "$wheels"/unpacked/*.dist-info/licenses/{LICENSE,NOTICE}* "$target/" || true
