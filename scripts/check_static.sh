#!/usr/bin/env bash
# check_static.sh PROGRAM…: fails, with a line for each reason, unless all programs need glibc alone and export nothing.
#
# Called by bundle. A library that a program loads would be bound to its exports: cuDNN, for instance, to parts of the
# C++ runtime in the program instead of to its own. Names with glibc's version are its variables, which any program has.
set -euo pipefail

[[ $# -gt 0 ]] || { echo "usage: check_static.sh PROGRAM…" >&2 && exit 2; }
glibc='^(linux-vdso\.so\.1|lib(c|m|dl|rt|pthread)\.so\.[0-9]+|/lib.*/ld-linux[^/]*)$'

failed=""
fail() { echo "scripts/check_static.sh: $1" >&2 && failed=1; }

for program in "$@"; do
  if ! header=$(readelf -hd "$program" 2> /dev/null); then
    fail "$program is no program"
    continue
  fi
  [[ $header == *'(NEEDED)'* ]] || continue # nothing is loaded, and nothing can ask for its symbols
  libraries=$(ldd "$program" | awk '{ print $1 }')
  foreign=$(grep -vE "$glibc" <<< "$libraries" || true)
  [[ -z $foreign ]] || fail "$program needs ${foreign//$'\n'/, }, not glibc alone"
  symbols=$(nm -D --defined-only --format=just-symbols "$program")
  exported=$(grep -v '@GLIBC_' <<< "$symbols" || true)
  [[ -z $exported ]] || fail "$program exports $(wc -l <<< "$exported") symbols, among them ${exported%%$'\n'*}"
done
[[ -z $failed ]]
