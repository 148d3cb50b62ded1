// Kernels of the user's files, for every command that takes them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "harness/adapter/user_kernels.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"
#include "harness/cli/preparing.h"
#include "harness/cli/try_adapters.h"

namespace assay {

namespace {

// A path may hold line ends; messages print it on one line.
std::string on_one_line(const std::string& path) {
  std::string out;
  for (const char c : printable(path)) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

}  // namespace

void take_file_of_adapter(KernelArguments& arguments) {
  if (!arguments.files.empty() || arguments.adapter.empty()) return;
  arguments.files.push_back(std::exchange(arguments.adapter, ""));
}

void take_files(std::vector<std::string>& select, KernelArguments& arguments) {
  std::ranges::copy_if(select, std::back_inserter(arguments.files), names_kernel_file);
  std::erase_if(select, names_kernel_file);
  take_file_of_adapter(arguments);
}

Result<LoadedKernels> load_kernels(const KernelArguments& arguments) {
  std::vector<UserKernel> kernels;
  const auto take = [&](const std::string& file, const std::string& op) {
    kernels.push_back(
        {file, op, arguments.kernel, arguments.entry, arguments.compile, arguments.adapter, arguments.fixed});
  };
  for (const std::string& file : arguments.files) take(file, arguments.op);
  for (const auto& [file, op] : arguments.more) take(file, op);
  const auto loaded = ASSAY_TRY([&] {
    const Preparing preparing;
    return load_user_kernels(kernels, try_adapters);
  }());
  LoadedKernels all;
  for (const UserVariant& variant : loaded) {
    const bool decided = !variant.id.empty();
    if (decided) all.ids.push_back(variant.id);
    if (decided) all.files[variant.id] = variant.path;
    if (!variant.guesses.empty())
      all.guesses[variant.id] = {fmt::format("{}", fmt::join(variant.guesses, ", ")), variant.own_fault};
    else if (!variant.guessed_grid.empty())
      all.guesses[variant.id] = {.assumed = variant.guessed_grid, .of_grid = true};
    if (variant.dtypes_unmade) all.unmade.insert(variant.id);
    if (!variant.seen.empty()) all.seen[variant.id] = variant.seen;
    say("{} from {}\n", decided ? variant.id : "UNDECIDED", on_one_line(variant.path));
    for (const std::string& remark : variant.remarks) say("  {}\n", remark);
    for (const std::string& sentence : variant.scope) {
      say("  {}\n", sentence);
      if (decided) all.scope.push_back(variant.id + ": " + sentence);
    }
    if (!variant.guesses.empty()) say("  'assay adapt' writes the adapter into a file to be corrected.\n");
  }
  std::fflush(stdout);
  return all;
}

}  // namespace assay
