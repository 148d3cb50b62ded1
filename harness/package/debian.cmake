# The installation as a Debian package, for the Debian release that it is made on: the target assay_package, which
# scripts/package builds.
#
# dpkg-shlibdeps finds the libraries that the programs are linked with. Named here is what compiles the users' kernels and
# ops there: the compiler of this build, which brings binutils, and what the installed headers include.
execute_process(COMMAND dpkg --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE no_dpkg ERROR_QUIET)
if(no_dpkg)
  return()
endif()
cmake_path(GET CMAKE_CXX_COMPILER FILENAME compiler)  # c++, g++-13 or clang++-16
string(REGEX REPLACE "^c\\+\\+$" "g++" compiler ${compiler})
string(REPLACE "clang++" "clang" compiler ${compiler})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Assay maintainers <maintainers@assay.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tests CUDA kernels for language models without a GPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Assay generates cases from the contract of an op, runs a kernel on them in a
SIMT executor on the CPU, compares every element with a double-precision
reference under an error budget that it computes itself, and shrinks each
failure to one line that replays.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${compiler}, libfmt-dev, libexpected-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, gdb")
if(ASSAY_REGIONS)
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", clang-19")  # splits users' kernels
endif()
set(CPACK_PRE_BUILD_SCRIPTS ${package_dir}/debian_files.cmake)
set(CPACK_PACKAGE_FILE_NAME assay_${PROJECT_VERSION}_${architecture})
set(package ${CMAKE_BINARY_DIR}/${CPACK_PACKAGE_FILE_NAME}.deb)
include(CPack)

set(packed assay assay_core assay_cuda ${cudart_stand_ins} assay_ops ${kernel_modules} ${split_modules} assay_finish ${hooks_object} ${kernel_build_files} ${suites}
    ${CMAKE_BINARY_DIR}/CPackConfig.cmake ${CMAKE_BINARY_DIR}/installed/kernel_build.json CHANGELOG.md scripts/notices.sh)
if(ASSAY_REGIONS)
  list(APPEND packed assay_regions)
endif()
if(TARGET assay_gpu)
  list(APPEND packed assay_gpu assay_gpu_vendor ${CMAKE_BINARY_DIR}/kernel_resources.txt)
endif()
file(GLOB package_files CONFIGURE_DEPENDS ${package_dir}/*)
add_custom_command(OUTPUT ${package} COMMAND ${CMAKE_CPACK_COMMAND} DEPENDS ${packed} ${package_files}
                   WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMENT "Packing ${package}" USES_TERMINAL VERBATIM)
add_custom_target(assay_package DEPENDS ${package})
