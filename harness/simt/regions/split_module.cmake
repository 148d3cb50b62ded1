# Makes a kernel module whose kernels are split (harness/simt/regions): as build/kernel_module.cmake, but by clang 19 with
# the pass, whatever compiles the rest.

# Flags are clang's, and threads that are not split switch through a variable.
function(assay_split_kernel_flags result)
  set(CMAKE_CXX_COMPILER_ID Clang)
  assay_cpu_kernel_flags(flags)
  assay_cpu_switch(switch name thread_local)
  # Lines are looked up by ranges of addresses, as in a checked module.
  set(${result} ${flags} ${switch} -gdwarf-aranges -w PARENT_SCOPE)
endfunction()

# Indices out of arrays of constant size, and pointers that lack their type's alignment, end at a trap, of which the
# pass makes a call.
set(ASSAY_SIEVE_FLAGS -O3 -fno-sanitize=address -fsanitize=array-bounds,alignment -fsanitize-trap=array-bounds,alignment
    -fstrict-flex-arrays=3)  # the last array of a structure has its size, too

# assay_split_headers(OUTPUT FLAGS HEADERS OF_CORE): the start of all files of variants that are compiled with these flags.
function(assay_split_headers output flags headers of_core)
  get_property(is_made GLOBAL PROPERTY made_${output})
  if(is_made)
    return()
  endif()
  set_property(GLOBAL PROPERTY made_${output} ON)
  list(REMOVE_ITEM flags -S)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${ASSAY_REGIONS_CLANG} ${flags} "${of_core}" ${headers} -MD -MF ${output}.d -MT ${output}
            -fpch-instantiate-templates -x c++-header -o ${output} ${CMAKE_SOURCE_DIR}/harness/op/variant.h
    DEPENDS ${CMAKE_SOURCE_DIR}/harness/op/variant.h
    DEPFILE ${output}.d
    COMMENT "Headers of split kernels"
    COMMAND_EXPAND_LISTS
    VERBATIM)
endfunction()

# assay_split_kernel_module(TARGET SOURCES… [VARIANT] [SIEVE] [CORE library] [FLAGS …]). SIEVE: with checks
# inside (../sieve). VARIANT: the files include harness/op/variant.h, and begin with headers that are compiled once for
# all of them, which halves the time that a split file takes.
function(assay_split_kernel_module target)
  cmake_parse_arguments(PARSE_ARGV 1 MODULE "VARIANT;SIEVE" "CORE" "FLAGS")
  if(NOT MODULE_CORE)
    set(MODULE_CORE assay_core)
  endif()
  assay_split_kernel_flags(flags)
  list(APPEND flags ${MODULE_FLAGS})
  set(headers -include ${CMAKE_SOURCE_DIR}/harness/simt/include/prelude.h
              -include ${CMAKE_SOURCE_DIR}/harness/simt/regions/kernel_prelude.h)
  set(finish "")
  if(MODULE_SIEVE)
    list(APPEND flags ${ASSAY_SIEVE_FLAGS})
    list(APPEND headers -include ${CMAKE_SOURCE_DIR}/harness/simt/sieve/checks.h)
    set(finish --checked)
  endif()
  set(include "$<TARGET_PROPERTY:${MODULE_CORE},INTERFACE_INCLUDE_DIRECTORIES>")
  set(of_core "$<$<BOOL:${include}>:-idirafter;$<JOIN:${include},;-idirafter;>>")
  list(APPEND flags -I ${CMAKE_SOURCE_DIR}/harness/simt/include -I ${CMAKE_SOURCE_DIR})
  set(compiled_headers "")
  if(MODULE_VARIANT)
    set(variant variant)
    if(MODULE_SIEVE)
      string(APPEND variant _sieve)
    endif()
    set(compiled_headers ${CMAKE_CURRENT_BINARY_DIR}/split/${variant}.pch)
    assay_split_headers(${compiled_headers} "${flags}" "${headers}" "${of_core}")
    set(headers -include-pch ${compiled_headers})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/split/${target})
  file(MAKE_DIRECTORY ${folder})
  set(objects "")
  foreach(source IN LISTS MODULE_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${source})
    string(REGEX REPLACE "[^A-Za-z0-9_]" "_" name ${name})
    set(out ${folder}/${name})
    add_custom_command(
      OUTPUT ${out}.o
      BYPRODUCTS ${out}.s ${out}.finished.s ${out}.txt
      COMMAND ${CMAKE_COMMAND} -E rm -f ${out}.txt
      COMMAND ${CMAKE_COMMAND} -E env ASSAY_REGIONS_REPORT=${out}.txt ${ASSAY_REGIONS_CLANG} ${flags}
              -fpass-plugin=$<TARGET_FILE:assay_regions> -MD -MF ${out}.d -MT ${out}.o
              "${of_core}" ${headers} -o ${out}.s ${source}
      COMMAND assay_finish ${finish} ${out}.s ${out}.finished.s
      COMMAND ${ASSAY_REGIONS_CLANG} -c -Wa,--no-warn -x assembler ${out}.finished.s -o ${out}.o
      DEPENDS ${source} ${compiled_headers} assay_regions assay_finish
      DEPFILE ${out}.d
      COMMENT "Splitting ${name}"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    set_source_files_properties(${out}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    list(APPEND objects ${out}.o)
  endforeach()
  add_library(${target} SHARED ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/modules
                        LINK_DEPENDS_NO_SHARED ON)
  target_link_libraries(${target} PRIVATE ${MODULE_CORE})
  target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,now)
endfunction()
