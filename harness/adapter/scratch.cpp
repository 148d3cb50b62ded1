// One folder, made when it is first asked for.
#include "harness/adapter/scratch.h"

#include <cstdlib>
#include <string>

#include "harness/base/check.h"

namespace assay {

namespace fs = std::filesystem;

const fs::path& scratch_folder() {
  struct Folder {
    Folder() {
      std::string pattern = (fs::temp_directory_path() / "assay-kernels-XXXXXX").string();
      ASSAY_CHECK(mkdtemp(pattern.data()), "no folder for compiled kernels in " + fs::temp_directory_path().string());
      path = pattern;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    fs::path path;
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace assay
