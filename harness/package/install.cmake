# `cmake --install`: the program with its libraries, what it needs to compile kernel files, and the CMake package.
#
#   PREFIX/bin/assay               and assay-nvcc, which is `assay c++` as the path of a compiler
#   PREFIX/lib/assay/              the program's libraries, with the built-in kernels, for the GPU too where those were built;
#                                  the hooks of the checked build, and assay_finish; what `assay run` loads into programs;
#                                  with ASSAY_REGIONS clang's plugin that splits kernels, and the built-in ones split
#   PREFIX/lib/cmake/Assay/        find_package(Assay)
#   PREFIX/share/assay/            kernel_build.json; the headers that it leads to; cases/; scripts/find_nvcc
#   PREFIX/share/man/man1/         the help as manual pages; beside it, what shells complete with
#
# The folders are fixed because the program finds each from its own place, so PREFIX can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_CURRENT_LIST_DIR})
set(package_cmake_dir lib/cmake/Assay)

install(TARGETS assay EXPORT assay_package RUNTIME DESTINATION bin)
set_target_properties(assay PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/assay")
install(TARGETS assay_core assay_ops ${kernel_modules} LIBRARY DESTINATION lib/assay)
set_target_properties(assay_ops ${kernel_modules} PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS assay_cuda LIBRARY DESTINATION lib/assay)
set_target_properties(assay_cuda PROPERTIES INSTALL_RPATH "$ORIGIN")
install(PROGRAMS ${CMAKE_SOURCE_DIR}/harness/cxx/assay-nvcc DESTINATION bin)
install(TARGETS ${cudart_stand_ins} LIBRARY DESTINATION lib/assay/cudart)
foreach(module assay_gpu assay_gpu_vendor)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib/assay OPTIONAL)
    set_target_properties(${module} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endforeach()
if(ASSAY_REGIONS)
  set(split_modules kernels_regions kernels_sieve)
  install(TARGETS assay_regions ${split_modules} LIBRARY DESTINATION lib/assay)
  set_target_properties(${split_modules} PROPERTIES INSTALL_RPATH "$ORIGIN")
  file(GLOB split_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} harness/simt/regions/kernel_prelude.h
       harness/simt/sieve/checks.h harness/simt/sieve/state.h)
endif()
if(TARGET assay_gpu)
  install(FILES ${CMAKE_BINARY_DIR}/kernel_resources.txt DESTINATION share/assay OPTIONAL)
endif()

# The headers that kernel files include, below the folder from which they include it.
file(GLOB_RECURSE kernel_build_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
     harness/base/*.h harness/tensor/*.h harness/case/*.h harness/op/*.h harness/device/*.h harness/adapter/*.h
     harness/cxx/include/*.h harness/program/runtime/abi*.h harness/program/libraries/abi*.h harness/program/philox.h
     harness/reader/shim.h harness/reader/*_stubs.h harness/simt/include/*.h harness/simt/include/*.inc
     harness/simt/include/*.cuh harness/simt/include/cuda/*
     kernels/*.h kernels/*.cuh reference/*.h)
list(FILTER kernel_build_files EXCLUDE REGEX "/tests/|/cuda/module/|/cuda/simulated/|/test_")
list(APPEND kernel_build_files ${split_headers})
foreach(file IN LISTS kernel_build_files)
  cmake_path(GET file PARENT_PATH folder)
  install(FILES ${file} DESTINATION share/assay/${folder})
endforeach()

install(PROGRAMS ${CMAKE_SOURCE_DIR}/scripts/find_nvcc DESTINATION share/assay/scripts)

set(hooks lib/assay/checked_hooks.o)
install(TARGETS assay_finish RUNTIME DESTINATION lib/assay)
assay_write_kernel_build(${CMAKE_BINARY_DIR}/installed/kernel_build.json . ../../lib/assay/libassay_core.so ../../${hooks}
                         ../../lib/assay/assay_finish)
install(FILES ${CMAKE_BINARY_DIR}/installed/kernel_build.json DESTINATION share/assay)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  assay_cpu_switch(switch_flags switch)
  assay_checked_hooks(hooks_object ${switch})
  cmake_path(GET hooks PARENT_PATH folder)
  cmake_path(GET hooks FILENAME file)
  install(FILES ${hooks_object} DESTINATION ${folder} RENAME ${file})
endif()

file(GLOB suites CONFIGURE_DEPENDS cases/*.toml)
install(FILES ${suites} DESTINATION share/assay/cases)

# For shells and man, as the program prints them.
function(assay_install_output folder file)
  list(JOIN ARGN "\" \"" words)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${folder}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:assay>\" \"${words}\" OUTPUT_FILE \"\${folder}/${file}\" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${folder}/${file}\")")
endfunction()
assay_install_output(bash-completion/completions assay completion bash)
assay_install_output(zsh/site-functions _assay completion zsh)
assay_install_output(fish/vendor_completions.d assay.fish completion fish)
assay_install_output(man/man1 assay.1 man)
file(GLOB pages CONFIGURE_DEPENDS harness/cli/help/*.md)
foreach(page IN LISTS pages)
  cmake_path(GET page STEM command)
  if(NOT command STREQUAL "assay")
    assay_install_output(man/man1 assay-${command}.1 man ${command})
  endif()
endforeach()

install(EXPORT assay_package NAMESPACE Assay:: DESTINATION ${package_cmake_dir} FILE AssayTargets.cmake)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/AssayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_dir}/AssayConfig.cmake ${package_dir}/assay_add_kernels.cmake ${package_dir}/assay_run_test.cmake
              ${CMAKE_BINARY_DIR}/AssayConfigVersion.cmake DESTINATION ${package_cmake_dir})
