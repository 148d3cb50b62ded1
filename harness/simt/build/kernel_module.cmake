# Makes a kernel module of CUDA files: plain CUDA C++, compiled with the host compiler and linked into a shared library.
# CHECKED: every access calls the hooks of checked/. VARIANT: the files include harness/op/variant.h.
#
# The compiler stops at assembly (-S), and assay_finish (finish/) makes of it what is assembled: shared memory becomes plain
# memory, everything that the file defines becomes local to it, and tables say what is known of its kernels and arrays.

function(assay_cpu_kernel_flags result)
  set(cpu_dir ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(flags
      -x c++ -std=c++20 -O2 -g1
      -DASSAY_CPU_KERNEL -UNDEBUG              # assertions in kernels stay on
      -fPIC -fvisibility=hidden
      -S -ftls-model=initial-exec              # what finish/shared_memory.h understands
      -mno-red-zone                            # a switch keeps the frame pointer below the stack pointer
      -fno-strict-aliasing                     # float4 through reinterpret_cast is everyday CUDA
      -fno-math-errno                          # sqrtf as one instruction
      -fomit-frame-pointer                     # one register and one store fewer for each switch
      -ffp-contract=off                        # the same bits on every machine
      -fno-sanitize=undefined                  # a kernel that does wrong is a finding, not the end of the process
      -Wall -Wextra -Wno-unknown-pragmas -Wno-unused-parameter -Wno-unused-function -Wno-attributes -Wno-conversion -Wno-sign-compare
      -Wno-shadow -Wno-error)                  # what people paste is compiled as it is
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # No wrapper functions around extern thread-locals, and no symbols that unify across libraries.
    list(APPEND flags -fno-extern-tls-init -fno-gnu-unique)
    # A loop whose trips can be counted would get a counter, one more value that every barrier in it saves and restores:
    # attention backward 394 -> 346 ms, softmax backward 17.0 -> 15.3 ms (least of 4, alternating).
    list(APPEND flags -fno-tree-loop-ivcanon)
  else()
    # flatten reaches one level only here, and a `ret` between two barriers is always mispredicted
    list(APPEND flags -mllvm -inline-threshold=10000)
    list(APPEND flags -Wno-undefined-internal)  # extern __shared__ in an anonymous namespace
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# Accesses call hooks, indices and alignments call handlers. A hook knows the kernel's line by its return address, so
# none is jumped to.
set(ASSAY_CPU_CHECKED_FLAGS -DASSAY_CPU_CHECKED -fno-sanitize=address -fsanitize=thread
    -fsanitize=alignment -fsanitize-recover=alignment -fno-optimize-sibling-calls)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without -fno-tree-sra a float4 that is read and then used by parts becomes four accesses of 4 bytes, which a GPU does
  # not make: its alignment would go unchecked and its sectors would count four times.
  # -O1, because the hooks are where the time goes: four kernels of checked_bench run as fast as with -O2, and compiling
  # takes two thirds.
  list(APPEND ASSAY_CPU_CHECKED_FLAGS -O1 -fsanitize=bounds -fsanitize-recover=bounds -fno-tree-sra
       --param=tsan-instrument-func-entry-exit=0)
else()
  # Hooks exist for 16 bytes at most, and the read of `a += b` is skipped unless asked for. Lines are looked up by ranges.
  list(APPEND ASSAY_CPU_CHECKED_FLAGS -fsanitize=array-bounds -fsanitize-recover=array-bounds -gdwarf-aranges
       -fno-vectorize -fno-slp-vectorize
       "SHELL:-mllvm -tsan-instrument-func-entry-exit=0"
       "SHELL:-mllvm -tsan-instrument-read-before-write=1")
endif()

# The flags that choose how threads are switched, and that way's name.
function(assay_cpu_switch result_flags result_name)
  set(name ${ARGN})
  if(NOT name)
    set(name thread_local)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set(name r15)
    endif()
  endif()
  set(flags "")
  if(name STREQUAL "r15")
    set(flags -ffixed-r15 -DASSAY_SIMT_R15)
  elseif(name STREQUAL "boost")
    set(flags -DASSAY_SIMT_BOOST)
  endif()
  set(${result_flags} ${flags} PARENT_SCOPE)
  set(${result_name} ${name} PARENT_SCOPE)
endfunction()

# The options of assay_finish for a fast module, and for a checked one. The stack that a kernel's threads need is proven
# for g++ on x86-64, whose unwinding tables say where the stack pointer is at every instruction.
function(assay_finish_options result_fast result_checked switch)
  set(fast "")
  set(checked --checked)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
     AND NOT switch STREQUAL "boost")
    set(fast --prove-stacks)
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND checked --hook-copies)  # clang copies structs by memcpy, g++ calls a hook first
  endif()
  set(${result_fast} ${fast} PARENT_SCOPE)
  set(${result_checked} ${checked} PARENT_SCOPE)
endfunction()
set(ASSAY_CPU_FAST_FLAGS -fasynchronous-unwind-tables)

# The object with the hooks of checked modules.
function(assay_checked_hooks result switch)
  set(hooks assay_checked_hooks_${switch})
  if(NOT TARGET ${hooks})
    assay_cpu_switch(switch_flags name ${switch})
    add_library(${hooks} OBJECT ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../checked/hooks.cpp)
    target_compile_options(${hooks} PRIVATE -O2 -fPIC -fvisibility=hidden -mno-red-zone
                           -fno-strict-aliasing -fomit-frame-pointer -fno-sanitize=all ${switch_flags})
  endif()
  set(${result} $<TARGET_OBJECTS:${hooks}> PARENT_SCOPE)
endfunction()

function(assay_kernel_headers_are_precompiled result)
  set(${result} TRUE PARENT_SCOPE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The target that precompiles these headers, for all that are compiled with the same flags. The code that comes out is the
# same. Empty where headers are not precompiled.
function(assay_precompiled result core flags)
  set(${result} "" PARENT_SCOPE)
  assay_kernel_headers_are_precompiled(precompiled)
  if(NOT precompiled)
    return()
  endif()
  string(MD5 hash "${flags};${ARGN}")
  set(headers assay_headers_${hash})
  set(${result} ${headers} PARENT_SCOPE)
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${headers}.cpp CONTENT "")
    add_library(${headers} OBJECT ${CMAKE_BINARY_DIR}/generated/${headers}.cpp)
    list(REMOVE_ITEM flags -S)  # which would make assembly of the headers too
    # Not through ccache: asked again after a change, it preprocesses with the old precompiled headers, sees no change,
    # and gives what it gave the first time.
    set_target_properties(${headers} PROPERTIES CXX_COMPILER_LAUNCHER "")
    target_compile_options(${headers} PRIVATE ${flags})
    assay_kernel_include_folders(${headers} ${core})
    target_precompile_headers(${headers} PRIVATE ${ARGN})
  endif()
endfunction()

# The headers that every variant reads, precompiled: half the time of a small one.
function(assay_kernel_headers result core flags)
  cmake_path(SET root_dir NORMALIZE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../..)
  assay_precompiled(headers ${core} "${flags}" ${root_dir}/harness/simt/include/prelude.h ${root_dir}/harness/op/variant.h)
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

function(assay_kernel_include_folders target core)
  cmake_path(SET root_dir NORMALIZE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../..)
  target_include_directories(${target} BEFORE PRIVATE ${root_dir}/harness/simt/include ${root_dir})
  # Only to find the headers of the libraries that variant.h needs.
  target_include_directories(${target} PRIVATE $<TARGET_PROPERTY:${core},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

# assay_cpu_kernel_objects(RESULT TARGET SOURCE …): one file, compiled and finished; RESULT is the object.
function(assay_cpu_kernel_object result target source)
  cmake_parse_arguments(PARSE_ARGV 3 MODULE "CHECKED;VARIANT" "CORE;SWITCH" "")
  set(cpu_dir ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  assay_cpu_kernel_flags(flags)
  if(NOT MODULE_CORE)
    set(MODULE_CORE assay_core)
  endif()
  assay_cpu_switch(switch_flags MODULE_SWITCH ${MODULE_SWITCH})
  assay_finish_options(finish checked_finish ${MODULE_SWITCH})
  if(MODULE_CHECKED)
    list(APPEND flags ${ASSAY_CPU_CHECKED_FLAGS})
    set(finish ${checked_finish})
  else()
    list(APPEND flags ${ASSAY_CPU_FAST_FLAGS})
  endif()

  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
  add_library(${target}_object OBJECT ${source})
  list(APPEND flags ${switch_flags})
  assay_kernel_include_folders(${target}_object ${MODULE_CORE})
  set(headers "")
  if(MODULE_VARIANT)
    assay_kernel_headers(headers ${MODULE_CORE} "${flags}")
  endif()
  if(headers)
    target_precompile_headers(${target}_object REUSE_FROM ${headers})
  else()
    # A path without "..": source_lines.cpp knows our headers by it.
    cmake_path(SET root_dir NORMALIZE ${cpu_dir}/../../..)
    list(APPEND flags -include ${root_dir}/harness/simt/include/prelude.h)
  endif()
  target_compile_options(${target}_object PRIVATE ${flags})

  set(finished ${CMAKE_CURRENT_BINARY_DIR}/finished/${target})
  add_custom_command(
    OUTPUT ${finished}.o
    BYPRODUCTS ${finished}.s
    COMMAND assay_finish ${finish} $<TARGET_OBJECTS:${target}_object> ${finished}.s
    COMMAND ${CMAKE_CXX_COMPILER} -c -x assembler ${finished}.s -o ${finished}.o
    DEPENDS ${target}_object $<TARGET_OBJECTS:${target}_object> assay_finish
    COMMENT "Finishing ${target}"
    VERBATIM)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/finished)
  set_source_files_properties(${finished}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${result} ${finished}.o PARENT_SCOPE)
endfunction()

# assay_cpu_kernel_module(TARGET SOURCES… [CHECKED] [VARIANT] [CORE library] [SWITCH r15|thread_local|boost]): a module of
# these files. Files may define equal names: everything that one defines is local to it.
function(assay_cpu_kernel_module target)
  cmake_parse_arguments(PARSE_ARGV 1 MODULE "CHECKED;VARIANT" "CORE;SWITCH" "")
  if(NOT MODULE_CORE)
    set(MODULE_CORE assay_core)
  endif()
  assay_cpu_switch(switch_flags MODULE_SWITCH ${MODULE_SWITCH})
  set(options CORE ${MODULE_CORE} SWITCH ${MODULE_SWITCH})
  foreach(option CHECKED VARIANT)
    if(MODULE_${option})
      list(APPEND options ${option})
    endif()
  endforeach()
  set(hooks "")
  if(MODULE_CHECKED)
    assay_checked_hooks(hooks ${MODULE_SWITCH})
  endif()
  set(objects "")
  foreach(source IN LISTS MODULE_UNPARSED_ARGUMENTS)
    set(name ${target})
    list(LENGTH MODULE_UNPARSED_ARGUMENTS count)
    if(count GREATER 1)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
      file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${name})
      string(REGEX REPLACE "\\.cu$" "" name ${name})
      string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name ${target}_${name})
    endif()
    assay_cpu_kernel_object(object ${name} ${source} ${options})
    list(APPEND objects ${object})
  endforeach()
  add_library(${target} SHARED ${objects} ${hooks})
  # A change in the core library alone, and in no header, is no reason to link modules again.
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/modules
                        LINK_DEPENDS_NO_SHARED ON)
  target_link_libraries(${target} PRIVATE ${MODULE_CORE})
  # Functions are bound when the module is loaded: the binder, at a function's first call, needs kilobytes of stack.
  target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,now)
endfunction()

# assay_json_object(RESULT STRINGS NAMES… LISTS NAMES…): the caller's variables of these names as an object in JSON. LISTS
# are options: one and its argument, with a blank between, are two words.
function(assay_json_object result)
  cmake_parse_arguments(PARSE_ARGV 1 OF "" "" "STRINGS;LISTS")
  set(members "")
  set(comma "")
  foreach(name IN LISTS OF_STRINGS OF_LISTS)
    string(REGEX REPLACE "[\"\\]" "\\\\\\0" value "${${name}}")
    if(name IN_LIST OF_STRINGS)
      set(value "\"${value}\"")
    else()
      string(REPLACE " " ";" value "${value}")
      list(TRANSFORM value REPLACE "^SHELL:" "")
      list(TRANSFORM value REPLACE ".+" "\"\\0\"")
      list(JOIN value ", " value)
      set(value "[${value}]")
    endif()
    string(APPEND members "${comma}\n  \"${name}\": ${value}")
    set(comma ",")
  endforeach()
  set(${result} "{${members}\n}\n" PARENT_SCOPE)
endfunction()

# assay_write_kernel_build(OUTPUT ROOT CORE [HOOKS FINISH]) writes the file from which a program compiles kernel files and ops
# itself (harness/adapter/build/build.cpp): compiler and flags as above, the flags ASSAY_OP_FLAGS that ops have here, and where
# the project's headers, its core library, assay_finish and the hooks' object are. Relative paths are below the file's own
# folder; without the last two they are the build's.
function(assay_write_kernel_build output root core)
  # An op from outside has not been tested here: what it reads beyond a tensor ends the process instead of passing for
  # data. Functions are bound to the module's own, or it would share those of built-in ops that have no such check;
  # variables, such as the precision that is tracked, stay shared.
  set(compiled_op_flags -std=c++20 -g1 -fPIC -fno-omit-frame-pointer ${ASSAY_OP_FLAGS} -D_GLIBCXX_ASSERTIONS)
  set(op_flags ${compiled_op_flags} -Wl,-Bsymbolic-functions)
  assay_cpu_kernel_flags(flags)
  assay_cpu_switch(switch_flags switch)
  assay_finish_options(fast_finish checked_finish ${switch})
  set(hooks "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    assay_checked_hooks(hooks ${switch})
  endif()
  set(finish $<TARGET_FILE:assay_finish>)
  if(ARGC GREATER 3)
    set(finish ${ARGV4})
    if(hooks)
      set(hooks ${ARGV3})
    endif()
  endif()
  # The start of every op from outside, where the build has it precompiled.
  assay_precompiled(headers assay_core "${compiled_op_flags}" ${CMAKE_SOURCE_DIR}/harness/op/contract.h)
  if(headers AND ARGC EQUAL 3)
    add_dependencies(assay ${headers})
    list(APPEND op_flags -include $<TARGET_PROPERTY:${headers},BINARY_DIR>/CMakeFiles/${headers}.dir/cmake_pch.hxx)
  endif()
  # The start of every kernel file: the variants' precompiled headers, in the folder where they were made.
  set(fast_flags ${ASSAY_CPU_FAST_FLAGS})
  set(checked_flags ${ASSAY_CPU_CHECKED_FLAGS})
  foreach(build fast checked)
    set(${build}_headers @root@/harness/simt/include/prelude.h)
    assay_kernel_headers(headers assay_core "${flags};${${build}_flags};${switch_flags}")
    if(headers AND ARGC EQUAL 3)
      set(${build}_headers $<TARGET_PROPERTY:${headers},BINARY_DIR>/CMakeFiles/${headers}.dir/cmake_pch.hxx)
    endif()
  endforeach()
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${nvcc}" nvcc_is_fetched)
  if(nvcc_is_fetched AND ARGC GREATER 3)
    set(nvcc "")  # an installation may outlive the folder of the sources
  endif()
  set(compiler ${CMAKE_CXX_COMPILER})
  # The pass that splits kernels, where this build has it (regions/).
  foreach(word splitter plugin split_flags sieve_flags)
    set(${word} "")
  endforeach()
  if(ASSAY_REGIONS)
    set(splitter ${ASSAY_REGIONS_CLANG})
    set(plugin $<TARGET_FILE:assay_regions>)
    if(ARGC GREATER 3)
      cmake_path(GET finish PARENT_PATH plugin)
      set(plugin ${plugin}/assay_regions.so)
    endif()
    assay_split_kernel_flags(split_flags)
    set(sieve_flags ${ASSAY_SIEVE_FLAGS})
  endif()
  assay_json_object(json STRINGS nvcc compiler fast_headers checked_headers finish root core hooks splitter plugin
                    LISTS flags switch_flags fast_flags checked_flags fast_finish checked_finish op_flags split_flags
                          sieve_flags)
  file(GENERATE OUTPUT ${output} CONTENT "${json}")
endfunction()
