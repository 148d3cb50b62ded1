# The libraries that a static build links to instead of the system's shared libraries.
#
# glibc alone stays shared: the driver (libcuda.so) is only to be had as a shared library, cuBLAS and cuDNN are loaded
# where they are installed, and loading anything takes glibc's own loader, with the one glibc that all share.
list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)  # for every find_library from here on
set(ASSAY_PUGIXML pugixml::static)
find_package(SQLite3 REQUIRED)
set(ASSAY_SQLITE SQLite::SQLite3)

# Debian has these as shared libraries only. For two of them the headers are enough.
set(ASSAY_FMT fmt::fmt-header-only)
find_path(ASSAY_TOMLPLUSPLUS toml++/toml.h REQUIRED)
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
target_include_directories(tomlplusplus::tomlplusplus INTERFACE ${ASSAY_TOMLPLUSPLUS})

# The third is built from its sources.
set(benchmark_sources ${CMAKE_BINARY_DIR}/google-benchmark)
if(NOT EXISTS ${benchmark_sources}/CMakeLists.txt)
  message(FATAL_ERROR "${benchmark_sources} is missing; run scripts/google_benchmark.sh ${benchmark_sources}")
endif()
foreach(part TESTING INSTALL WERROR)
  set(BENCHMARK_ENABLE_${part} OFF)
endforeach()
set(BUILD_SHARED_LIBS OFF)
add_subdirectory(${benchmark_sources} ${benchmark_sources}/build EXCLUDE_FROM_ALL)
# As Debian builds it: our warnings are not its, and without NDEBUG it would call its timings unreliable.
target_compile_options(benchmark PRIVATE -w)
target_compile_definitions(benchmark PRIVATE NDEBUG)
