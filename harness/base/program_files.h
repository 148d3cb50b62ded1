// Files that the program finds by its own place: beside it in a build folder, or, when it is installed as
// PREFIX/bin/assay, in PREFIX/share/assay.
#pragma once

#include <filesystem>
#include <string_view>

namespace assay {

// The folder of the running program.
std::filesystem::path program_folder();

// PREFIX/share/assay, if the program is installed.
std::filesystem::path share_folder();

// The file `name` that the build left beside the program (a test program is one folder further down) or that was
// installed with it; where it would be beside the program when there is none.
std::filesystem::path program_file(std::string_view name);

// libassay_cuda.so, which answers CUDA's calls; empty: there is none.
std::filesystem::path cuda_runtime_library();

}  // namespace assay
