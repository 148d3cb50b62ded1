#!/bin/sh
# finish_object.sh INPUT OUTPUT: makes of a compiled kernel file the object that a module is linked from.
#
# Points every undefined thread-local, which is to say every `extern __shared__` name, at the executor's buffer of dynamic
# shared memory. A module that comes as assembly goes through AWK_PROGRAM (with AWK_TABLE, if any) and is assembled first:
# a checked one gets gaps after its shared arrays, another a table of the stack that its functions need.
# In the environment: COMPILER, COMPILER_ID, READELF, OBJCOPY and these two. Both the build and `assay check FILE.cu` call it.
set -eu
input=$1 output=$2
if [ -n "${AWK_PROGRAM:-}" ]; then
  awk -f "$AWK_PROGRAM" ${AWK_TABLE:+"$AWK_TABLE"} "$input" > "$output.s"
  "$COMPILER" -c -x assembler "$output.s" -o "$output"
  case $COMPILER_ID in
    *Clang*) # checked, then: copies of structs are calls of memcpy here, without a hook
      "$OBJCOPY" --redefine-sym memcpy=__tsan_memcpy --redefine-sym memmove=__tsan_memmove \
        --redefine-sym memset=__tsan_memset "$output" ;;
  esac
else
  cp "$input" "$output"
fi
# "   12: 0000000000000000     0 TLS     GLOBAL DEFAULT  UND name"; the executor's own variables are not shared memory.
"$READELF" --symbols --wide "$output" |
  awk '$4 == "TLS" && $5 == "GLOBAL" && $7 == "UND" && $8 !~ /^(_ZN5assay4simt|assay_simt_)/ { print $8 }' | sort -u |
  while read -r name; do # one at a time: objcopy takes a target only once for each run
    "$OBJCOPY" --redefine-sym "$name=assay_simt_dynamic_shared" "$output"
  done
