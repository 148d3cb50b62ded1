// Kernels of as_found/ in a folder of a test: as they were found, or corrected by the .fix beside them.
#pragma once

#include <filesystem>
#include <string>

#include "harness/selftest/run_program.h"

namespace assay::selftest {

inline const std::string kAsFound = ASSAY_SOURCE_DIR "/harness/selftest/as_found";

// Copies a file of as_found/ and the adapter beside it to a folder, corrected or not, and returns the copy's path. A
// .fix that does not apply is a failure of the test.
inline std::string take_as_found(const std::filesystem::path& name, const std::string& folder, bool corrected) {
  namespace fs = std::filesystem;
  fs::create_directories(folder);
  for (fs::path file : {name, fs::path(name).replace_extension(".toml")})
    if (fs::exists(kAsFound / file))
      fs::copy_file(kAsFound / file, folder / file, fs::copy_options::overwrite_existing);
  if (corrected) {
    const std::string fix = (kAsFound / fs::path(name).replace_extension(".fix")).string();
    const Ran ran =
        run_command("cd '" + folder + "' && GIT_CEILING_DIRECTORIES=$PWD/.. git apply --verbose '" + fix + "'");
    EXPECT_EQ(ran.exit_code, 0) << fix << ": " << ran.err;
    EXPECT_NE(read_text(folder / name), read_text(kAsFound / name)) << fix << " changes nothing";
  }
  return folder / name;
}

}  // namespace assay::selftest
