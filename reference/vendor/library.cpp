// Where a vendor's library may lie, and opening it.
#include "reference/vendor/library.h"

#include <dlfcn.h>
#include <glob.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "harness/base/check.h"

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

void add_matches(const std::string& pattern, std::vector<std::string>& folders) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) folders.emplace_back(found.gl_pathv[i]);
  globfree(&found);
}

// The folder above bin/ of the first python3 on PATH, links followed: where its packages are installed.
std::optional<fs::path> python_prefix() {
  for (const std::string& folder : split(std::getenv("PATH"))) {
    std::error_code error;
    const fs::path python = fs::canonical(fs::path(folder) / "python3", error);
    if (!error) return python.parent_path().parent_path();
  }
  return std::nullopt;
}

// A virtual environment's python3 is a link out of it, so the environment variable gives the folder.
std::vector<std::string> wheel_folders() {
  std::vector<std::string> prefixes = {"/usr/local"};
  if (const auto prefix = python_prefix()) prefixes.insert(prefixes.begin(), prefix->string());
  if (const char* home = std::getenv("HOME")) prefixes.insert(prefixes.begin(), std::string(home) + "/.local");
  if (const char* env = std::getenv("VIRTUAL_ENV")) prefixes.insert(prefixes.begin(), env);
  std::vector<std::string> folders;
  for (const std::string& prefix : prefixes)
    for (const char* packages : {"site-packages", "dist-packages"})
      add_matches(prefix + "/lib/python3*/" + packages + "/nvidia/*/lib", folders);
  return folders;
}

std::vector<std::string> folders_to_search() {
  std::vector<std::string> folders = {ASSAY_CUDA_LIBRARY_FOLDER};
  for (std::string& folder : wheel_folders()) folders.push_back(std::move(folder));
  return folders;
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
  for (std::string& folder : folders_to_search()) tried.push_back(std::move(folder));

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
  missing_ = broken.empty() ? Error{package_ + " (" + file_ + ") was not found by the loader, nor in " + joined(tried),
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
