// Starts the tools. gdb runs gdb.py, which the program carries.
#include "harness/cli/under.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "harness/base/check.h"
#include "harness/base/embedded.h"
#include "harness/cli/gpu_tools.h"
#include "harness/report/text.h"

namespace assay {
namespace {

// A file without a name that the tool inherits.
std::string inherited_file(const std::string& text) {
  const int file = memfd_create("assay", 0);
  ASSAY_CHECK(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
              std::string("no memory for a script: ") + std::strerror(errno));
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
}

// This replay again, without the tool and in one process.
std::vector<std::string> replay_words(const ReplayArguments& arguments) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<std::string> words = {program, "replay", "--in-process", "--device", arguments.device};
  const KernelArguments& kernels = arguments.kernels;
  for (const std::string& file : kernels.files) words.insert(words.end(), {"--source", file});
  for (const auto& [option, value] :
       {std::pair{"--op", &kernels.op}, std::pair{"--kernel", &kernels.kernel}, std::pair{"--entry", &kernels.entry}})
    if (!value->empty()) words.insert(words.end(), {option, *value});
  words.insert(words.end(), arguments.what.begin(), arguments.what.end());
  return words;
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

Error replace_by_gdb(const ReplayArguments& arguments) {
  const std::string script = "python exec(open('" + inherited_file(embedded_file("gdb.py")) + "').read())";
  std::vector<std::string> words = {"gdb", "--quiet", "-ex", script, "--args"};
  for (std::string& word : replay_words(arguments)) words.push_back(std::move(word));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execvp("gdb", argv.data());
  return {std::string("cannot start gdb: ") + std::strerror(errno), "install it (Debian: apt-get install gdb)"};
}

int run_under_gpu_tool(const ReplayArguments& arguments) {
  const GpuTool* tool = find_gpu_tool(arguments.under);
  ASSAY_CHECK(tool, "no tool is named '" + arguments.under + "'");
  if (!is_on_path(tool->program))
    return usage_error({"cannot start " + tool->program + ": it is not on PATH",
                        tool->is_sanitizer ? "it comes with the CUDA toolkit" : "it comes with NVIDIA Nsight"});
  std::string command = tool->is_sanitizer ? "ASSAY_UNDER=" + tool->name + " " + tool->program : tool->program;
  for (const std::string& argument : tool->arguments) command += " " + shell_quoted(argument);
  for (const std::string& word : replay_words(arguments)) command += " " + shell_quoted(word);
  std::fflush(nullptr);
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return usage_error({std::string("cannot start a shell: ") + std::strerror(errno), ""});
  std::string output;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe)) {
    std::fputs(buffer, stdout);
    output += buffer;
  }
  const int status = pclose(pipe);
  const int replayed = WIFEXITED(status) ? WEXITSTATUS(status) : kExitFail;
  const auto summary = tool->read(output);
  if (!summary) {
    usage_error(summary.error());
    return kExitFail;
  }
  fmt::print("{}: {}\n", tool->name, summary->text);
  return summary->errors > 0 ? kExitFail : replayed;
}

}  // namespace assay
