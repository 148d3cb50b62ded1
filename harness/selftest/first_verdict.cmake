# scripts/demo builds this first: the program with one op and one planted bug, build/first/assay. It shares its
# objects with the whole program; the one kernel is compiled again.
set(first_op softmax_forward)
set(first_kernel harness/selftest/planted/missing_barrier/barrier_missing.cu)
assay_op_library(assay_first_op assay_op_${first_op})
assay_cpu_kernel_module(first_fast ${first_kernel} VARIANT)
assay_cpu_kernel_module(first_checked ${first_kernel} VARIANT CHECKED)
target_compile_definitions(first_fast_object PRIVATE ASSAY_PLANTED=1)
target_compile_definitions(first_checked_object PRIVATE ASSAY_PLANTED=1)
add_executable(assay_first EXCLUDE_FROM_ALL harness/cli/main.cpp)
assay_link_program(assay_first assay_first_op first_fast first_checked)
set_target_properties(assay_first PROPERTIES OUTPUT_NAME assay RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/first)
set_target_properties(first_fast first_checked PROPERTIES EXCLUDE_FROM_ALL ON)
