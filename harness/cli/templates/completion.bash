# Completion of assay's words in bash: assay itself knows them.
_assay() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _assay assay
