# The programs of a static build: assay with every kernel that nvcc compiled and the vendors' variants, assay_selftest
# with the planted bugs alone.
#
# Objects, not archives, or the linker would drop whatever does nothing but register itself. Nothing is exported: a
# library that a program loads comes with a C++ runtime of its own, and must not be bound to parts of this one.
set(common assay_core ${ASSAY_STATIC_PARTS} assay_simt assay_gpu_runtime)
set(assay_parts assay_gpu_kernels assay_gpu_vendor_objects assay_gpu_vendor_frontend)
set(assay_selftest_parts assay_gpu_planted)
foreach(program assay assay_selftest)
  target_link_libraries(${program} PRIVATE ${common} ${${program}_parts})
  target_link_options(${program} PRIVATE -static-libstdc++ -static-libgcc)
endforeach()
