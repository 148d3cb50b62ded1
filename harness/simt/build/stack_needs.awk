# Appends to a module's assembly (g++, x86-64) a table of its functions and of the bytes of stack that each is proven to
# need at most, its return address and all that it calls included (simt/launch.h reads the table). Functions that will get
# dense stacks (simt/dense_stacks.h) lose the lines of a switch that are marked `# far stacks`.
#
# The proof: unwinding needs the distance from the stack pointer to a function's frame at every instruction, so the
# compiler states it in .cfi directives; the largest is the function's own need. Calls and jumps to other functions are
# in the text. What functions of other libraries need comes from the first file, stack_needs_of_callees.txt. Whatever is
# not understood here has no proof: frames of variable size, recursion, calls through pointers, callees that are not
# listed or that another library may replace, jump tables, inline assembly that moves the stack pointer. A function
# without proof is not in the table.

FNR == NR {
  if ($1 ~ /^[^#]/) listed[$1] = $2
  next
}
{ text[++lines] = $0 }

$1 == ".type" && $3 == "@function" { is_function[name_of($2)] = 1 }
$1 == ".weak" || $1 == ".globl" { replaceable[$2] = 1 }
$1 == ".hidden" { hidden[$2] = 1 }
$1 == ".cfi_startproc" { in_procedure = 1 }
$1 == ".cfi_endproc" {
  in_procedure = 0
  current = ""
}
$1 == ".cfi_def_cfa_offset" { needs($2) }
$1 == ".cfi_def_cfa" && $2 == "7," { needs($3) }
$1 == ".cfi_def_cfa" && $2 != "7," { no_proof() }
$1 ~ /^\.cfi_(def_cfa_register|adjust_cfa_offset|escape)$/ { no_proof() }
$1 == "#APP" { in_asm = 1 }
$1 == "#NO_APP" { in_asm = 0 }
in_asm && ($1 ~ /^\./ && $1 != ".long" || /;/) { no_proof() }

/^[A-Za-z_$][^ \t]*:/ {
  label = substr($1, 1, length($1) - 1)
  if (part_of(label) in is_function) {
    # A part that is rarely run (x.cold) is jumped to by local labels: it counts as the function itself.
    current = part_of(label)
    is_own[current] = 1
  }
}

/^[ \t]+[a-z]/ && current != "" {
  if (!in_procedure) no_proof()
  operation = $1
  operand = $2
  if (operation ~ /^(lock|rep|repe|repz|repne|repnz|notrack|bnd|data16)$/) {
    operation = $2
    operand = $3
  }
  if (match($0, /-[0-9]+\(%rsp\)/)) below(substr($0, RSTART + 1, RLENGTH - 7))
  if (operand == "__x86_return_thunk") {
    # a return
  } else if (operation ~ /^call/) {
    calls(operand)
  } else if (operation ~ /^j/) {
    if (operand !~ /^\.L/ && !(in_asm && operand ~ /^([0-9]+[bf]|\*8\(%r[0-9a-z]+\))$/)) calls(operand)
  } else if (operation ~ /^(leave|enter)/ || operation ~ /^xchg/ && /%[re]?sp/) {
    no_proof()
  } else if (in_asm && operation ~ /^(push|pop|ret)/) {
    no_proof()
  } else if (/[^(]%(rsp|esp|sp|spl)[ \t]*$/) {
    # The stack pointer is changed: by a constant, which the directives tell, or by the switch to another thread.
    constant = operation ~ /^(add|sub)q$/ && operand ~ /^\$/ && !in_asm
    switched = in_asm && $0 ~ /^[ \t]+mov \(%r[0-9a-z]+\), %rsp$/
    pushed = operation ~ /^push/
    if (!constant && !switched && !pushed) no_proof()
  }
}

{ owner[lines] = current }

function name_of(word) {
  sub(/,$/, "", word)
  return word
}
function part_of(label) {
  sub(/\.cold(\.[0-9]+)?$/, "", label)
  return label
}
function no_proof() { refused[current] = 1 }
function needs(bytes) {
  if (bytes + 0 > own[current]) own[current] = bytes + 0
}
# Below the stack pointer only the switch keeps something.
function below(bytes) {
  if (bytes + 0 > under[current]) under[current] = bytes + 0
}
function calls(target) {
  if (target ~ /^\*[^(]+@GOTPCREL\(%rip\)$/) {
    target = substr(target, 2)
    sub(/@GOTPCREL.*/, "", target)
  }
  sub(/@PLT$/, "", target)
  # What a thread begins with makes one call through a pointer: the kernel, which is counted apart.
  if (target ~ /^\*/ && current ~ /^_ZN5assay4simt12thread_entryI/ && ++through_pointers[current] == 1) return
  callees[current] = callees[current] " " target
}

# The proven need of a function, or 0.
function proven(name,    targets, count, i, most, bytes) {
  if (name in result) return result[name]
  result[name] = 0  # stands while the functions that it calls are looked at, so that recursion is refused
  if (!(name in is_own)) return result[name] = listed[name] + 0
  if (name in refused || name in replaceable && !(name in hidden)) return 0
  count = split(callees[name], targets, " ")
  most = under[name] + 0
  for (i = 1; i <= count; ++i) {
    bytes = proven(targets[i])
    if (bytes == 0) return 0
    if (bytes > most) most = bytes
  }
  return result[name] = (own[name] > 8 ? own[name] : 8) + most
}

END {
  dense = 2048 # DenseStacks::kBytesMax
  for (i = 1; i <= lines; ++i) {
    bytes = owner[i] == "" ? 0 : proven(owner[i])
    if (text[i] !~ /# far stacks$/ || bytes == 0 || bytes > dense) print text[i]
  }
  print "\t.section\tassay_stack_needs,\"aw\",@progbits"
  print "\t.balign\t8"
  for (name in is_own)
    if (proven(name) > 0) print "\t.quad\t" name ", " proven(name)
}
