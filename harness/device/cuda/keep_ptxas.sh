#!/bin/sh
# Runs a compiler command. Text that ptxas prints about kernels (-Xptxas -v) goes to a file beside the object, with a
# line that has the hash of the object's code; the rest goes to the terminal. Names that the compiler makes up are made
# of the object's, so the same source gives the same object.
object='' before=''
for word; do
  [ "$before" != -o ] || object=$word
  before=$word
done
messages=$(mktemp)
"$@" ${object:+-frandom-seed="$object"} 2>"$messages"
status=$?
about_kernels='^ptxas info|^ +[0-9]+ bytes stack frame'
grep -Ev "$about_kernels" "$messages" >&2
if [ -n "$object" ] && [ "$status" -eq 0 ]; then
  grep -E "$about_kernels" "$messages" >"$object.ptxas"
  objcopy --strip-debug --discard-all "$object" "$messages" &&
    echo "code of the object: $(md5sum <"$messages" | cut -c -16)" >>"$object.ptxas"
fi
rm -f "$messages"
exit $status
