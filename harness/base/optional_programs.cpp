// Hiding programs, and noting who asked for them: an empty file for each test and program, so that tests of several
// processes, several at once, need no lock.
#include "harness/base/optional_programs.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace assay {

bool is_hidden(const std::string& program) {
  depends_on(program);
  const char* without = std::getenv("ASSAY_WITHOUT");
  std::istringstream words(without ? without : "");
  for (std::string word; words >> word;)
    if (word == program) return true;
  return false;
}

void depends_on(const std::string& program) {
  if (const char* asked = std::getenv("ASSAY_ASKED")) std::ofstream(std::string(asked) + "." + program);
}

}  // namespace assay
