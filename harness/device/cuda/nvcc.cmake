# How nvcc is called: for a folder that includes this, its language, standard, warnings and launcher, and in
# assay_cuda_options what a target of it compiles with.
enable_language(CUDA)
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25, which Debian 12 has, does not know nvcc's C++20 yet
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_FLAGS_RELWITHDEBINFO "-O2")
set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/keep_ptxas.sh)
if(CCACHE)
  list(APPEND CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)

# The host's warning flags are not nvcc's; no -Wconversion, which the code that nvcc generates does not survive.
set_property(DIRECTORY PROPERTY COMPILE_OPTIONS "")
set(assay_cuda_options --expt-relaxed-constexpr -lineinfo -Xptxas=-v -Xcudafe=--display_error_number
    -Xcompiler=-Wall,-Wextra)
if(ASSAY_WERROR)
  list(APPEND assay_cuda_options -Werror=all-warnings -Xcompiler=-Werror)
endif()
