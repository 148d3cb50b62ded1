// Starting the tools. gdb is told what to do by gdb.py, which travels in the program.
#include "harness/cli/under.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "harness/base/check.h"
#include "harness/base/embedded.h"

namespace assay {
namespace {

// A file without a name that the tool inherits.
std::string inherited_file(const std::string& text) {
  const int file = memfd_create("assay", 0);
  ASSAY_CHECK(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
              std::string("no memory for a script: ") + std::strerror(errno));
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

}  // namespace

Error replace_by_tool(const ReplayArguments& arguments) {
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  ASSAY_CHECK(length > 0, "this program has no path");
  program[length] = '\0';
  const std::string script = "python exec(open('" + inherited_file(embedded_file("gdb.py")) + "').read())";
  std::vector<std::string> words = {"gdb",   "--quiet", "-ex",          script,     "--args",
                                    program, "replay",  "--in-process", "--device", arguments.device};
  words.insert(words.end(), arguments.what.begin(), arguments.what.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execvp("gdb", argv.data());
  return {std::string("cannot start gdb: ") + std::strerror(errno), "install it (Debian: apt-get install gdb)"};
}

}  // namespace assay
