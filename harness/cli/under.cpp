// Starts the tools. gdb runs gdb.py, which the program carries.
#include "harness/cli/under.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "harness/base/check.h"
#include "harness/base/command.h"
#include "harness/base/embedded.h"
#include "harness/base/printable.h"
#include "harness/cli/gpu_tools.h"

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
  for (const auto& [option, value] : {std::pair{"--op", &kernels.op}, std::pair{"--kernel", &kernels.kernel},
                                      std::pair{"--entry", &kernels.entry}, std::pair{"--adapter", &kernels.adapter}})
    if (!value->empty()) words.insert(words.end(), {option, *value});
  const auto compile = words_of(kernels.compile);
  words.insert(words.end(), compile.begin(), compile.end());
  words.insert(words.end(), arguments.what.begin(), arguments.what.end());
  return words;
}

}  // namespace

Error replace_by_gdb(const ReplayArguments& arguments) {
  const std::string script = "python exec(open('" + inherited_file(embedded_file("gdb.py")) + "').read())";
  std::vector<std::string> words = {"gdb", "--quiet", "-ex", script, "--args"};
  for (std::string& word : replay_words(arguments)) words.push_back(std::move(word));
  return {replace_process(words).what, "install it (Debian: apt-get install gdb)"};
}

Result<int> run_under_gpu_tool(const ReplayArguments& arguments) {
  const GpuTool* tool = find_gpu_tool(arguments.under);
  ASSAY_CHECK(tool, "no tool is named '" + arguments.under + "'");
  if (find_program(tool->program).empty())
    return fail("cannot start " + tool->program + ": it is not on PATH",
                tool->is_sanitizer ? "it comes with the CUDA toolkit" : "it comes with NVIDIA Nsight");
  // The tool runs in our group and on our input, so that Ctrl-C and typed answers reach it.
  ProcessSpec spec{
      .words = {tool->program}, .input = Redirect::inherited(), .errors = Redirect::merged(), .own_group = false};
  if (tool->is_sanitizer) spec.environment = {{"ASSAY_UNDER", tool->name}};
  for (const std::string& argument : tool->arguments) spec.words.push_back(argument);
  for (std::string& word : replay_words(arguments)) spec.words.push_back(std::move(word));
  std::fflush(nullptr);
  std::string output;
  const auto show = [&](const std::string& text) {
    say("{}", text);
    std::fflush(stdout);
    output += text;
  };
  const auto show_lines = [&](ProcessOutput& come) {
    while (const auto line = come.next_line()) show(*line + "\n");
  };
  const ProcessResult ran = ASSAY_TRY(run_process(spec, {.on_output = show_lines}));
  show(ran.output);  // what ends without a line end
  const int replayed = ran.end.signal == 0 ? ran.end.exit_code : kExitFail;
  const auto summary = tool->read(output);
  if (!summary) {
    usage_error(summary.error());
    return kExitFail;
  }
  say("{}: {}\n", tool->name, summary->text);
  return summary->errors > 0 ? kExitFail : replayed;
}

}  // namespace assay
