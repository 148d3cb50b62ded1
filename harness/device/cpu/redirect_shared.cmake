# Points every undefined thread-local of the object INPUT, which is to say every `extern __shared__` name, at the
# executor's buffer of dynamic shared memory, and writes the result to OUTPUT.
# A module that comes as assembly goes through AWK_PROGRAM and is assembled: a checked one gets gaps after its shared
# arrays, another a table of the stack that its functions need.
if(AWK_PROGRAM)
  execute_process(COMMAND awk -f ${AWK_PROGRAM} ${AWK_TABLE} ${INPUT} OUTPUT_FILE ${OUTPUT}.s COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${COMPILER} -c -x assembler ${OUTPUT}.s -o ${OUTPUT}.o COMMAND_ERROR_IS_FATAL ANY)
  if(COMPILER_ID MATCHES "Clang")  # checked, then: copies of structs are calls of memcpy here, without a hook
    execute_process(COMMAND ${OBJCOPY} --redefine-sym memcpy=__tsan_memcpy --redefine-sym memmove=__tsan_memmove
                            --redefine-sym memset=__tsan_memset ${OUTPUT}.o COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(INPUT ${OUTPUT}.o)
endif()
execute_process(COMMAND ${READELF} --symbols --wide ${INPUT} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
# "   12: 0000000000000000     0 TLS     GLOBAL DEFAULT  UND name"; the executor's own variables are not shared memory.
string(REGEX MATCHALL "TLS +GLOBAL +[A-Z]+ +UND +[^ \n]+" undefined "${symbols}")
list(TRANSFORM undefined REPLACE ".* " "")
list(FILTER undefined EXCLUDE REGEX "^_ZN5assay4simt|^assay_simt_")
list(REMOVE_DUPLICATES undefined)
execute_process(COMMAND ${CMAKE_COMMAND} -E copy ${INPUT} ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
foreach(name IN LISTS undefined)  # one at a time: objcopy takes a target only once for each run
  execute_process(COMMAND ${OBJCOPY} --redefine-sym ${name}=assay_simt_dynamic_shared ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
