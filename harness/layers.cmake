# The layers of the harness, a target each, and what a program links to get them.
#
# Layers are found by their folders, files by their place in them: adding a file is a plain `ninja`. Object libraries,
# not archives: an archive would drop the fills, sinks and devices, which do nothing but register themselves.
#
# Several files of a layer are compiled as one (CMake's unity build), because most of what a file costs is what it
# includes: a third of the time when everything is built, and a file that is touched still takes seconds. Files that
# register themselves all have the same names inside, so folders of such files are compiled file by file.
set(ASSAY_CORE_LAYERS base tensor case op device)  # what kernel modules link to
set(ASSAY_LAYERS ptx program adapter cxx result judge search mutate bench report compare history cli)
set(ASSAY_UNITY_BATCH 10 CACHE STRING "How many files of a layer are compiled as one; 1: each on its own")

# assay_layer(NAME SOURCES…): the object library assay_NAME.
function(assay_layer name)
  list(FILTER ARGN EXCLUDE REGEX "_test\\.cpp$|_bench\\.cpp$|/cli/main\\.cpp$")
  add_library(assay_${name} OBJECT ${ARGN})
  set_target_properties(assay_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT name IN_LIST ASSAY_HOT_LAYERS AND NOT name MATCHES "_ops?$")
    target_compile_options(assay_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
  if(ASSAY_UNITY_BATCH GREATER 1 AND NOT name IN_LIST ASSAY_SELF_REGISTERING)
    set_target_properties(assay_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ASSAY_UNITY_BATCH})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(assay_${name} PRIVATE -Wno-shadow -Wshadow=local)  # what shadows is another file's, then
    endif()
  endif()
endfunction()
set(ASSAY_SELF_REGISTERING fills sinks)
set(ASSAY_HOT_LAYERS ${ASSAY_CORE_LAYERS} fills judge search)  # what runs for every case; the others compile in less time

# Ops: one generated file per kernels/<op>/contract.h. What an op takes to compile is its headers for a third, so several
# are compiled as one; assay_op(TARGET OPS…) makes an object library of some, for a program that needs no more. Beyond -O2,
# references ran no faster.
set(ASSAY_OP_FLAGS -O2)
function(assay_op target)
  set(sources "")
  foreach(op IN LISTS ARGN)
    list(APPEND sources ${CMAKE_BINARY_DIR}/generated/ops/${op}.cpp)
  endforeach()
  assay_layer(${target} ${sources})
  target_compile_options(assay_${target} PRIVATE ${ASSAY_OP_FLAGS})
  target_link_libraries(assay_${target} PRIVATE ${ASSAY_FMT})
endfunction()
set(ops "")
file(GLOB contracts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} kernels/*/contract.h)
foreach(contract IN LISTS contracts)
  string(REGEX REPLACE "kernels/(.*)/contract.h" "\\1" op ${contract})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/ops/${op}.cpp CONTENT
"#include \"@contract@\"
#include \"harness/op/registry.h\"
namespace { const assay::RegisterOp kOp_@op@(assay::ops::@op@::contract()); }
" @ONLY)
  list(APPEND ops ${op})
endforeach()
assay_op(builtin_ops ${ops})

# Core: the nouns, the registries, the devices, the executor.
set(core_parts "")
foreach(layer IN LISTS ASSAY_CORE_LAYERS)
  file(GLOB sources CONFIGURE_DEPENDS harness/${layer}/*.cpp)
  if(layer STREQUAL "device")
    file(GLOB devices CONFIGURE_DEPENDS harness/device/cpu/*.cpp harness/device/cuda/*.cpp)
    list(APPEND sources ${devices})
  endif()
  assay_layer(${layer} ${sources})
  list(APPEND core_parts ${layer})
endforeach()
file(GLOB sources CONFIGURE_DEPENDS harness/tensor/fills/*.cpp)
assay_layer(fills ${sources})
list(APPEND core_parts fills)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/core.cpp CONTENT "")
add_library(assay_core ${ASSAY_CORE_KIND} ${CMAKE_BINARY_DIR}/generated/core.cpp)
target_link_libraries(assay_core PUBLIC ${ASSAY_FMT} Threads::Threads PRIVATE assay_simt)
foreach(part IN LISTS core_parts)
  target_link_libraries(assay_${part} PRIVATE ${ASSAY_FMT} Threads::Threads)
  target_link_libraries(assay_core PRIVATE assay_${part})
endforeach()

# assay_op_library(TARGET OBJECTS): a shared library of the ops in this object library.
function(assay_op_library target objects)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${target}.cpp CONTENT "")
  add_library(${target} SHARED ${CMAKE_BINARY_DIR}/generated/${target}.cpp)
  target_link_libraries(${target} PRIVATE assay_core ${objects})
endfunction()
if(ASSAY_STATIC)
  # Objects come from an object library only to what links it directly: a program links every part itself.
  list(TRANSFORM core_parts PREPEND assay_ OUTPUT_VARIABLE ASSAY_STATIC_PARTS)
  list(APPEND ASSAY_STATIC_PARTS assay_builtin_ops)
else()
  assay_op_library(assay_ops assay_builtin_ops)
endif()

# Texts that the program carries: help pages, files that it writes for users and around their kernels, the script for
# gdb, the report's template, Chart.js.
file(GLOB embedded CONFIGURE_DEPENDS harness/cli/help/*.md harness/cli/templates/* harness/cli/*.py harness/adapter/build/*.in
     reports/template/*)
set(embedded_source ${CMAKE_BINARY_DIR}/generated/embedded.cpp)
add_custom_command(
  OUTPUT ${embedded_source}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${embedded_source} "-DFILES=${embedded};${CHARTJS}" -P ${CMAKE_SOURCE_DIR}/harness/base/embed.cmake
  DEPENDS ${embedded} ${CHARTJS} harness/base/embed.cmake
  VERBATIM)
assay_layer(texts ${embedded_source})

# The layers that judge, search and report.
foreach(layer IN LISTS ASSAY_LAYERS)
  file(GLOB sources CONFIGURE_DEPENDS harness/${layer}/*.cpp)
  if(layer STREQUAL "adapter")
    file(GLOB_RECURSE parts CONFIGURE_DEPENDS harness/adapter/*/*.cpp)
    list(APPEND sources ${parts})
  elseif(layer STREQUAL "cxx")
    list(APPEND sources harness/simt/build/finish/assembly.cpp)  # it reads assembly as assay_finish does
  endif()
  assay_layer(${layer} ${sources})
endforeach()
file(GLOB sources CONFIGURE_DEPENDS harness/report/sinks/*.cpp)
assay_layer(sinks ${sources})
add_library(assay_libraries INTERFACE)
target_link_libraries(assay_libraries INTERFACE assay_core nlohmann_json::nlohmann_json CLI11::CLI11 ${ASSAY_PUGIXML} ${ASSAY_SQLITE}
                      tomlplusplus::tomlplusplus benchmark::benchmark ${RAPIDCHECK_LIBRARY} ${ASSAY_ZSTD} ${ASSAY_LZ4})
foreach(layer IN LISTS ASSAY_LAYERS ITEMS sinks texts)
  target_link_libraries(assay_${layer} PRIVATE assay_libraries)
  target_compile_definitions(assay_${layer} PRIVATE ASSAY_VERSION="${PROJECT_VERSION}")
endforeach()

# Which nvcc compiled the kernels: run.json says it, and a comparison of what is counted asks for the same one.
set_source_files_properties(harness/cli/environment.cpp PROPERTIES COMPILE_DEFINITIONS ASSAY_NVCC="${CMAKE_CUDA_COMPILER_VERSION}")

# assay_link_layers(TARGET [LAYER]): gives it the layers up to LAYER (default: all) and what they need.
function(assay_link_layers target)
  set(last cli)
  if(ARGC GREATER 1)
    set(last ${ARGV1})
  endif()
  set(parts "")
  if(NOT last IN_LIST ASSAY_CORE_LAYERS)
    set(parts assay_texts)
    foreach(layer IN LISTS ASSAY_LAYERS)
      list(APPEND parts assay_${layer})
      if(layer STREQUAL "report")
        list(APPEND parts assay_sinks)
      endif()
      if(layer STREQUAL last)
        break()
      endif()
    endforeach()
  endif()
  target_link_libraries(${target} PRIVATE ${parts} assay_libraries)
endfunction()

# assay_link_program(TARGET OPS [MODULES…]): the whole harness, a library of ops, and these modules, which register what
# they have.
function(assay_link_program target)
  assay_link_layers(${target})
  target_link_libraries(${target} PRIVATE -Wl,--no-as-needed ${ARGN})
endfunction()
