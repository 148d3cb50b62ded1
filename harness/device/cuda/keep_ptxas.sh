#!/bin/sh
# Runs a compiler command; what ptxas prints about kernels (-Xptxas -v) goes to a file beside the object, the rest to the terminal.
object='' before=''
for word; do
  [ "$before" != -o ] || object=$word
  before=$word
done
messages=$(mktemp)
"$@" 2>"$messages"
status=$?
about_kernels='^ptxas info|^ +[0-9]+ bytes stack frame'
grep -Ev "$about_kernels" "$messages" >&2
[ -z "$object" ] || grep -E "$about_kernels" "$messages" >"$object.ptxas"
rm -f "$messages"
exit $status
