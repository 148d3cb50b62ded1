// Looking beside the program, and where `cmake --install` puts things.
#include "harness/base/program_files.h"

namespace assay {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path share_folder() { return program_folder().parent_path() / "share/assay"; }

fs::path program_file(std::string_view name) {
  for (const fs::path& folder : {program_folder(), share_folder(), program_folder().parent_path()})
    if (fs::exists(folder / name)) return folder / name;
  return program_folder() / name;
}

std::filesystem::path cuda_runtime_library() {
  constexpr const char* kName = "libassay_cuda.so";
  for (const std::filesystem::path& path : {program_folder() / kName, program_folder().parent_path() / kName,
                                            program_folder().parent_path() / "lib/assay" / kName})
    if (std::filesystem::exists(path)) return path;
  return {};
}

}  // namespace assay
