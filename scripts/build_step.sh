# shellcheck shell=bash
# Sourced by the scripts that build: configure a preset once, then let ninja see to the rest.

# build_step PRESET FOLDER [TARGET…]: builds the targets (default: everything).
build_step() {
  local preset=$1 folder=$2
  shift 2
  local launchers=()
  if command -v ccache > /dev/null; then
    launchers=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  if [[ ! -f $folder/build.ninja ]]; then
    cmake --preset "$preset" "${launchers[@]}"
  fi
  cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
