# Tests: every *_test.cpp below harness/ and reference/, beside what it tests. One program for each layer, which links
# this layer and those below it, the ops, and the kernels where its tests run some; and one for what tests whole programs
# (selftest, cli).
#
# build/tests/LAYER runs a layer's tests; ctest runs each test in a process of its own, except a few programs. What
# tests have compiled is kept in build/test_cache, by content, and not in the user's cache: a second run is twice as fast.
set(test_definitions ASSAY_BUILD_DIR="${CMAKE_BINARY_DIR}" ASSAY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
set(test_options -O0)  # compiling them takes far longer than running them
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Garbage is first looked for at 512 MB, not at 128: on large tests that took a fifth of the time, to save 100 MB. The
  # other option is what ccache needs for precompiled headers.
  list(APPEND test_options --param=ggc-min-heapsize=524288 -fpch-preprocess)
endif()
# The headers that most tests include, read once: a third of their time. Headers that few include, as nlohmann/json.hpp,
# would cost the others more than they save. Tests include what they need all the same, which the preset dev checks: it
# precompiles nothing.
set(CMAKE_PCH_PROLOGUE "")  # CMake's would make system headers of them all, and our own would lose their warnings
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/test_headers.cpp CONTENT "")
add_library(assay_test_headers OBJECT ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
set_target_properties(assay_test_headers PROPERTIES CXX_COMPILER_LAUNCHER "")  # see assay_kernel_headers
target_link_libraries(assay_test_headers PRIVATE assay_libraries GTest::gmock_main)
target_compile_definitions(assay_test_headers PRIVATE ${test_definitions})
target_compile_options(assay_test_headers PRIVATE ${test_options})
target_precompile_headers(assay_test_headers PRIVATE <algorithm> <filesystem> <fstream> <map> <set> <fmt/format.h>
                          <gmock/gmock.h> ${CMAKE_SOURCE_DIR}/harness/op/registry.h)

# Programs whose tests run in two processes: those of report share a browser, those of search the random cases of every
# variant, both of which take longer than any test.
set(ASSAY_SHARDED_TESTS report search)

# Programs whose tests run no kernel: they are there before all kernels are compiled.
set(ASSAY_TESTS_WITHOUT_KERNELS base tensor case ptx program cxx result mutate compare history)

# assay_test(NAME LAYER SOURCES…)
function(assay_test name layer)
  add_executable(test_${name} ${ARGN})
  assay_link_layers(test_${name} ${layer})
  target_link_libraries(test_${name} PRIVATE GTest::gmock_main -Wl,--no-as-needed assay_ops)
  if(NOT name IN_LIST ASSAY_TESTS_WITHOUT_KERNELS)
    target_link_libraries(test_${name} PRIVATE ${kernel_modules})
  endif()
  target_compile_definitions(test_${name} PRIVATE ${test_definitions})
  target_compile_options(test_${name} PRIVATE ${test_options})
  target_precompile_headers(test_${name} REUSE_FROM assay_test_headers)
  # As layers are. Names of helpers must differ between the files of a folder then.
  if(ASSAY_UNITY_BATCH GREATER 1)
    set_target_properties(test_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ASSAY_UNITY_BATCH})
  endif()
  set_target_properties(test_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(name IN_LIST ASSAY_SHARDED_TESTS)
    set(shards ${CMAKE_BINARY_DIR}/test_${name}_shards.cmake)  # a list for ctest, as the other programs have one
    file(CONFIGURE OUTPUT ${shards} CONTENT [[
foreach(shard RANGE 1 2)
  math(EXPR index "${shard} - 1")
  set(test @name@.${shard})
  add_test(${test} "@CMAKE_BINARY_DIR@/tests/@name@")
  set_tests_properties(${test} PROPERTIES TIMEOUT 300 COST 30  # among the longest: not to run on alone
                       WORKING_DIRECTORY "@CMAKE_SOURCE_DIR@"
                       ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${index};XDG_CACHE_HOME=@CMAKE_BINARY_DIR@/test_cache")
  list(APPEND test_@name@_TESTS ${test})
endforeach()
]] @ONLY)
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${shards})
    return()
  endif()
  set(cost 0)
  if(name STREQUAL "selftest")
    set(cost 60)  # they run whole programs: started last, as a fresh clone without times may do, one would run on alone
  endif()
  gtest_discover_tests(test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 COST ${cost}
                       ENVIRONMENT XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/test_cache)
endfunction()

foreach(layer IN LISTS ASSAY_CORE_LAYERS ASSAY_LAYERS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS harness/${layer}/*_test.cpp)
  if(sources)
    assay_test(${layer} ${layer} ${sources})
  endif()
endforeach()
file(GLOB_RECURSE sources CONFIGURE_DEPENDS reference/*_test.cpp)
assay_test(reference search ${sources})
file(GLOB sources CONFIGURE_DEPENDS harness/selftest/*_test.cpp)
assay_test(selftest cli ${sources})

# A program of tests that this configuration does not have would stay as it was.
file(GLOB programs ${CMAKE_BINARY_DIR}/tests/*)
foreach(program IN LISTS programs)
  cmake_path(GET program FILENAME name)
  if(NOT TARGET test_${name} AND NOT TARGET ${name})
    file(REMOVE ${program})
  endif()
endforeach()

# The programs that each test asks for.
set(asked ${CMAKE_BINARY_DIR}/asked)
file(MAKE_DIRECTORY ${asked})
get_property(test_lists DIRECTORY PROPERTY TEST_INCLUDE_FILES)
list(TRANSFORM test_lists REPLACE ".*/(test_[a-z]+).*" "\\1_TESTS")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_optional_programs.cmake @ONLY CONTENT [[
set(TEST_LISTS "@test_lists@")
set(ASKED "@asked@")
include("@CMAKE_SOURCE_DIR@/harness/optional_programs.cmake")
]])
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/test_optional_programs.cmake)

# These start programs.
foreach(name adapter cxx search mutate bench cli reference selftest)
  add_dependencies(test_${name} assay assay_selftest assay_gpu_simulated assay_gpu_inside)
endforeach()
