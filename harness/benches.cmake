# The speed of parts of this project. A benchmark stands beside what it measures and ends in _bench.cpp.
add_subdirectory(harness/simt/bench)  # the executor

# The references.
file(GLOB reference_benches CONFIGURE_DEPENDS reference/*_bench.cpp)
add_executable(reference_bench ${reference_benches})
target_link_libraries(reference_bench PRIVATE assay_core benchmark::benchmark_main)

# Kernels by PTX beside the same from source; needs nvcc when it runs.
add_executable(routes_bench harness/adapter/build/ptx_route/routes_bench.cpp)
assay_link_layers(routes_bench adapter)
