# Puts a gap after each thread-local array of an assembly file, so that an index past its end meets memory that belongs to
# no array. The symbols keep their sizes.
/^[ \t]*\.section[ \t]/ { in_shared = $2 ~ /^\.tbss/ }
/^[ \t]*\.(text|data|bss)([ \t]|$)/ { in_shared = 0 }
{ print }
in_shared && /^[ \t]*\.zero[ \t]/ { print "\t.zero\t256" }
