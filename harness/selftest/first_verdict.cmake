# What scripts/demo builds first: the program with one op and one planted bug, build/first/assay. It shares every object
# with the whole program, so nothing of it is compiled twice.
set(first_op softmax_forward)
set(first_kernel missing_barrier_barrier_missing)
assay_op_library(assay_first_op assay_op_${first_op})
set(first_modules planted_harness_selftest_broken_${first_kernel})
if(TARGET planted_checked_harness_selftest_broken_${first_kernel})
  list(APPEND first_modules planted_checked_harness_selftest_broken_${first_kernel})
endif()
add_executable(assay_first EXCLUDE_FROM_ALL harness/cli/main.cpp)
assay_link_program(assay_first assay_first_op ${first_modules})
set_target_properties(assay_first PROPERTIES OUTPUT_NAME assay RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/first)
