# The planted bugs and their twins as files to compile: each includes some of planted/*/*.cu twice, once with the bug and
# once without, each time in a namespace of its own. Most of what a kernel file costs is what it includes, and that is
# read once here.
#
# Sets planted_sources. The files that they include begin with the same headers, which are therefore included first.
set(planted_batch 5)
file(GLOB planted_kernels CONFIGURE_DEPENDS harness/selftest/planted/*/*.cu)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${planted_kernels})  # their headers may change
set(planted_sources "")
list(LENGTH planted_kernels count)
math(EXPR last "(${count} - 1) / ${planted_batch}")
foreach(batch RANGE ${last})
  math(EXPR first "${batch} * ${planted_batch}")
  list(SUBLIST planted_kernels ${first} ${planted_batch} kernels)
  set(headers "")
  set(body "")
  foreach(kernel IN LISTS kernels)
    file(STRINGS ${kernel} includes REGEX "^#include ")
    list(APPEND headers ${includes})
    cmake_path(GET kernel STEM name)
    foreach(planted 1 0)
      string(APPEND body "#define ASSAY_PLANTED ${planted}\nnamespace ${name}_${planted} {\nnamespace {\n#include \"${kernel}\"\n}\n}\n#undef ASSAY_PLANTED\n")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(source ${CMAKE_BINARY_DIR}/generated/planted/${batch}.cu)
  file(CONFIGURE OUTPUT ${source} CONTENT "@headers@\n@body@" @ONLY)
  list(APPEND planted_sources ${source})
endforeach()
