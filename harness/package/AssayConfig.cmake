# find_package(Assay): the program as the target Assay::assay, and assay_add_kernels().
include(${CMAKE_CURRENT_LIST_DIR}/AssayTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/assay_add_kernels.cmake)
