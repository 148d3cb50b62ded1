// Kernels of the user's files, for every command that takes them.
#include <cstdio>

#include "harness/adapter/user_kernels.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"

namespace assay {

namespace {

// A path may hold line ends; messages print it on one line.
std::string on_one_line(const std::string& path) {
  std::string out;
  for (const char c : printable(path)) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

}  // namespace

Result<std::vector<std::string>> load_kernels(const KernelArguments& arguments) {
  std::vector<UserKernel> kernels;
  for (const std::string& file : arguments.files)
    kernels.push_back({file, arguments.op, arguments.kernel, arguments.entry, arguments.compile, arguments.adapter});
  const auto loaded = load_user_kernels(kernels);
  if (!loaded) return tl::unexpected(loaded.error());
  std::vector<std::string> ids;
  for (const UserVariant& variant : *loaded) {
    ids.push_back(variant.id);
    say("{} from {}\n", variant.id, on_one_line(variant.path));
    for (const std::string& remark : variant.remarks) say("  {}\n", remark);
  }
  std::fflush(stdout);
  return ids;
}

}  // namespace assay
