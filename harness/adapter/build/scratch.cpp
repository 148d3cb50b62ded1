// One folder, made when it is first asked for.
#include "harness/adapter/build/scratch.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "harness/base/check.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    const char* asked = std::getenv("TMPDIR");  // which the standard library passes over where it is no folder
    std::string pattern = fmt::format("{}/assay-kernels-XXXXXX", asked && *asked ? asked : "/tmp");
    if (mkdtemp(pattern.data())) {
      path = pattern;
    } else {
      error = fmt::format("cannot make a folder for compiled kernels in {}: {}",
                          fs::path(pattern).parent_path().string(), std::strerror(errno));
    }
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
  fs::path path;
  std::string error;
};

const Folder& folder() {
  static const Folder folder;
  return folder;
}

}  // namespace

Result<void> make_scratch_folder() {
  if (folder().error.empty()) return {};
  return fail(folder().error, "set TMPDIR to a folder with space that you may write to");
}

const fs::path& scratch_folder() {
  ASSAY_CHECK(!folder().path.empty(), folder().error);
  return folder().path;
}

}  // namespace assay
