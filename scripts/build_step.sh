# shellcheck shell=bash
# Sourced by the scripts that build: configure a preset once, then let ninja do the rest.

# build_step PRESET FOLDER [TARGET…]: builds the targets (default: everything).
build_step() {
  local preset=$1 folder=$2
  shift 2
  if [[ ! -f $folder/build.ninja ]]; then
    cmake --preset "$preset"
  fi
  cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
