// Compiled modules, kept between runs: a second `assay check FILE.cu` compiles nothing.
//
// A module is found by its recipe (everything that the caller decided: compiler, flags, generated text) and by the
// content of every file that the compiler read, as its dependency file lists them. So a header that changes, wherever
// it lies, makes another module. Keeping is done under a temporary name and finished by a rename, so several processes
// may share a folder, and a process that is killed leaves no half module.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay {

// $XDG_CACHE_HOME/assay, or ~/.cache/assay. Nothing where there is neither.
std::optional<std::filesystem::path> user_cache_folder();

class ModuleCache {
 public:
  // The cache is in `folder`, which is made when something is kept; at most `bytes_max` of modules, the longest unused
  // go first.
  explicit ModuleCache(std::filesystem::path folder, uintmax_t bytes_max = uintmax_t{1} << 30);

  // That in user_cache_folder(). Nothing where there is none; then nothing is kept.
  static std::optional<ModuleCache> of_user();

  std::optional<std::filesystem::path> find(const std::string& recipe) const;

  // Keeps a copy of `module`, which was made from these files; where it is now. When it cannot be kept, as on a full
  // disk, that is `module` itself.
  std::filesystem::path keep(const std::string& recipe, const std::filesystem::path& module,
                             const std::vector<std::filesystem::path>& files) const;

 private:
  void make_room() const;

  std::filesystem::path folder_;
  uintmax_t bytes_max_;
};

// The files in a dependency file, as -MD writes it; without those below `temporary`, a folder that is gone tomorrow.
std::vector<std::filesystem::path> files_read(const std::filesystem::path& dependency_file,
                                              const std::filesystem::path& temporary);

}  // namespace assay
