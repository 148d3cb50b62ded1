// A vendor's shared library, opened when it is first used.
//
// Nothing links to these libraries, because the program has to start on machines that lack them. It
// looks in the folders that ASSAY_CUDA_LIBRARIES names (separated by colons), then where the loader looks by itself,
// in the folder of the CUDA toolkit that built this module, and in NVIDIA's Python packages
// (harness/device/cuda/library_folders.h).
#pragma once

#include <optional>
#include <string>

#include "harness/base/error.h"

namespace assay::vendor {

class Library {
 public:
  // file: "libcublas.so.13", with the version of its interface. package: what a user installs, "cuBLAS".
  Library(std::string package, std::string file);

  // Why it cannot be used, where it was looked for and what to do; nothing when it is there.
  const std::optional<Error>& missing() const { return missing_; }

  void* handle() const { return handle_; }           // of dlopen; null when it is missing
  const std::string& path() const { return path_; }  // what was opened

  // The function `name`, which the library must have; aborts when it has not, or when the library is missing:
  //   const auto geam = cublas().function<decltype(&cublasSgeam)>("cublasSgeam");
  template <class F>
  F function(const char* name) const {
    return reinterpret_cast<F>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::string package_, file_, path_;
  void* handle_ = nullptr;
  std::optional<Error> missing_;
};

// "cuBLAS (libcublas.so.13) was not found; …": what a variant's `unsupported` returns while its library is missing.
std::optional<std::string> why_missing(const Library& library);

}  // namespace assay::vendor
