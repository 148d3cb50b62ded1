#!/usr/bin/env bash
# Puts a CUDA toolkit into .cuda, from the wheels that cuda_wheels.txt lists; does nothing, at once, when it is there.
#
# Called by `scripts/setup --cuda`. Nothing outside the project's folder changes. Every wheel stays in .cuda/wheels until
# all are there, so that an interrupted download goes on where it stopped.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
wheels=scripts/cuda_wheels.txt
toolkit=.cuda/nvidia/cu13
kib_needed=$((5 << 20)) # 1.1 GB of wheels, and twice what is in them while it moves into place

quit() { echo "scripts/setup: $1" >&2 && exit 1; }

# run WHAT COMMAND…: prints nothing unless the command fails, and then the reason in one line.
run() {
  local what=$1 output reason
  shift
  output=$("$@" 2>&1) && return
  reason=$(grep -i -m 1 'no space left' <<< "$output" || grep -m 1 '^ERROR' <<< "$output" || tail -n 1 <<< "$output")
  quit "$what failed: $reason; check the network and the disk, then run it again"
}

install_toolkit() {
  python3 -m pip --version > /dev/null 2>&1 || quit "python3 has no pip; on Debian: apt-get install python3-pip"
  mkdir -p .cuda/wheels
  [[ $(df --output=avail .cuda | tail -n 1) -ge $kib_needed ]] ||
    quit "$PWD/.cuda needs $((kib_needed >> 20)) GiB while it is filled, and its disk has less"
  local pip=(python3 -m pip --disable-pip-version-check --no-input) requirement
  while read -r requirement _; do
    echo "scripts/setup: fetching $requirement"
    run "fetching $requirement" \
      "${pip[@]}" download --quiet --no-deps --only-binary :all: --dest .cuda/wheels "$requirement"
  done < <(sed -e 's/#.*//' -e '/^ *$/d' "$wheels")
  echo "scripts/setup: unpacking"
  rm -rf .cuda/nvidia .cuda/new
  run unpacking \
    "${pip[@]}" install --quiet --no-deps --no-index --find-links .cuda/wheels --target .cuda/new -r "$wheels"
  mv .cuda/new/nvidia .cuda/nvidia
  rm -rf .cuda/new
}

# Makes what compilers and linkers look for in a toolkit and wheels do not have: one folder for all libraries, called
# lib64 too, and names without a version.
complete_toolkit() {
  local library
  ln -sfn lib "$toolkit/lib64"
  ln -sfr .cuda/nvidia/cudnn/include/* -t "$toolkit/include"
  ln -sfr .cuda/nvidia/cudnn/lib/* -t "$toolkit/lib"
  for library in "$toolkit"/lib/*.so.*; do
    library=${library##*/}
    ln -sf "$library" "$toolkit/lib/${library%%.so.*}.so"
  done
}

if ! cmp -s "$wheels" .cuda/installed; then
  install_toolkit
  complete_toolkit
  cp "$wheels" .cuda/installed
  rm -rf .cuda/wheels
  echo "scripts/setup: a CUDA toolkit is in $PWD/$toolkit"
fi
