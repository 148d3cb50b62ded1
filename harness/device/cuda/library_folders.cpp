// Looking for the folders of NVIDIA's Python packages.
#include "harness/device/cuda/library_folders.h"

#include <glob.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/base/command.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPythonLimit{10};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return paths;
}

void add_once(const std::string& path, std::vector<std::string>& paths) {
  if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
}

// The folders above bin/ of the first python3 on PATH: as it is called, which is a virtual environment's, and with its
// links resolved, which is where the environment was made from.
std::vector<std::string> prefixes_of_python(const std::string& path) {
  for (const std::string& folder : split(path, ':')) {
    std::error_code error;
    const fs::path called = fs::path(folder) / "python3";
    const fs::path resolved = fs::canonical(called, error);
    if (!error) return {called.parent_path().parent_path(), resolved.parent_path().parent_path()};
  }
  return {};
}

class Search {
 public:
  explicit Search(const LibrarySearchInputs& inputs) : inputs_(inputs) {}

  LibraryFolders run() && {
    for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) in_prefix(variable(active));
    in_prefix(variable("PYTHONUSERBASE"));
    if (const std::string home = variable("HOME"); !home.empty()) in_prefix(home + "/.local");
    for (const std::string& prefix : prefixes_of_python(variable("PATH"))) in_prefix(prefix);
    for (const char* fixed : {"/usr/local", "/usr"}) in_prefix(inputs_.root + fixed);
    for (const std::string& folder : inputs_.python_path()) in_packages(folder);
    return std::move(found_);
  }

 private:
  std::string variable(const char* name) const {
    const char* value = inputs_.environment(name);
    return value ? value : "";
  }

  // lib64 is Red Hat's, dist-packages and python3 without a version are Debian's.
  void in_prefix(const std::string& prefix) {
    if (prefix.empty()) return;
    for (const char* lib : {"/lib", "/lib64"})
      for (const char* packages : {"site-packages", "dist-packages"})
        for (const std::string& folder : matches(prefix + lib + "/python3*/" + packages)) in_packages(folder);
    if (!matches(prefix + "/lib/libcublas.so*").empty()) add_once(prefix + "/lib", found_.folders);  // Conda's
  }

  void in_packages(const std::string& folder) {
    const std::vector<std::string> own = matches(folder + "/nvidia/*/lib");
    for (const std::string& libraries : own) add_once(libraries, found_.folders);
    if (own.empty() && fs::is_directory(folder)) add_once(folder, found_.without);
  }

  const LibrarySearchInputs& inputs_;
  LibraryFolders found_;
};

std::vector<std::string> ask_python() {
  const auto ran =
      run_process({.words = {"python3", "-c", "import sys; print('\\n'.join(sys.path))"}}, {.limit = kPythonLimit});
  if (!ran || ran->how != ProcessResult::How::ended || !ran->end.ok()) return {};
  return split(ran->output, '\n');
}

}  // namespace

LibrarySearchInputs real_search_inputs() {
  return {.environment = [](const char* name) -> const char* { return std::getenv(name); }, .python_path = ask_python};
}

LibraryFolders library_folders(const LibrarySearchInputs& inputs) { return Search(inputs).run(); }

}  // namespace assay
