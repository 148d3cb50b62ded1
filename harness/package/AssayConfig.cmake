# find_package(Assay): the program as the target Assay::assay, assay_add_kernels() and assay_run_test().
include(${CMAKE_CURRENT_LIST_DIR}/AssayTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/assay_add_kernels.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/assay_run_test.cmake)
