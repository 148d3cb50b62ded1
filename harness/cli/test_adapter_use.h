// For tests of the command line: a folder with a user's kernel, and assay check of it.
#pragma once

#include <fstream>
#include <string>

#include "harness/selftest/run_program.h"

namespace assay {

class AdapterUse : public selftest::OneInFour<> {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name) << text;
  }
  selftest::Ran check(const std::string& options) const {
    return selftest::run("assay",
                         "check " + scratch_.path + "/k.cu --no-save --out " + scratch_.path + "/out " + options);
  }
  selftest::Scratch scratch_;
};

}  // namespace assay
