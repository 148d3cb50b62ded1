// Finds the places of a vendor's library, and opens it.
#include "reference/vendor/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "harness/base/check.h"
#include "harness/device/cuda/library_folders.h"

namespace assay::vendor {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const char* text) {
  std::vector<std::string> parts;
  std::istringstream in(text ? text : "");
  for (std::string part; std::getline(in, part, ':');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// Once for each process: it asks python3.
const LibraryFolders& folders_to_search() {
  static const LibraryFolders found = [] {
    LibraryFolders folders = library_folders(real_search_inputs());
    folders.folders.insert(folders.folders.begin(), ASSAY_CUDA_LIBRARY_FOLDER);
    return folders;
  }();
  return found;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

Library::Library(std::string package, std::string file) : package_(std::move(package)), file_(std::move(file)) {
  std::vector<std::string> tried = split(std::getenv("ASSAY_CUDA_LIBRARIES"));
  const size_t named = tried.size();
  for (const std::string& folder : folders_to_search().folders) tried.push_back(folder);

  std::string broken;  // the loader's message about a file that is there
  const auto open = [&](const std::string& path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) path_ = path;
    if (!handle_ && path != file_ && fs::exists(path)) broken = dlerror();
  };
  for (size_t i = 0; i < tried.size() && !handle_; ++i) {
    if (i == named) open(file_);  // as the loader finds it
    if (!handle_) open(tried[i] + "/" + file_);
  }
  if (handle_) return;
  const std::vector<std::string>& without = folders_to_search().without;
  const std::string packages = without.empty() ? "" : "; no package of NVIDIA's is in " + joined(without);
  missing_ = broken.empty()
                 ? Error{package_ + " (" + file_ + ") was not found by the loader, nor in " + joined(tried) + packages,
                         "scripts/setup --cuda installs it, or name its folder in ASSAY_CUDA_LIBRARIES"}
                 : Error{package_ + " does not load: " + broken, "install it again, with all its libraries"};
}

void* Library::symbol(const char* name) const {
  ASSAY_CHECK(handle_, package_ + " is used though it is missing");
  void* found = dlsym(handle_, name);
  ASSAY_CHECK(found, path_ + " has no function " + name);
  return found;
}

std::optional<std::string> why_missing(const Library& library) {
  return library.missing() ? std::optional(library.missing()->line()) : std::nullopt;
}

}  // namespace assay::vendor
