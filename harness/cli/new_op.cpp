// `assay new-op`: a header with a contract and its reference, and a kernel, for the user to edit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <set>

#include "harness/base/embedded.h"
#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cli/options.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "new_op_name";  // in templates/new_op.KIND.SUFFIX
constexpr std::string_view kTemplate = "new_op.";

// The texts for ops like `kind`, by suffix. The result is empty if there is no such kind.
std::map<std::string, std::string> templates_of(const std::string& kind) {
  std::map<std::string, std::string> texts;
  const std::string stem = std::string(kTemplate) + kind + ".";
  for (const std::string& file : embedded_files())
    if (file.starts_with(stem)) texts[file.substr(stem.size() - 1)] = embedded_file(file);
  return texts;
}

std::vector<std::string> kinds() {
  std::set<std::string> all;
  for (const std::string& file : embedded_files())
    if (file.starts_with(kTemplate)) all.insert(file.substr(kTemplate.size(), file.rfind('.') - kTemplate.size()));
  return {all.begin(), all.end()};
}

std::string named(std::string text, const std::string& name) {
  for (size_t at = text.find(kPlaceholder); at != std::string::npos; at = text.find(kPlaceholder, at + name.size()))
    text.replace(at, kPlaceholder.size(), name);
  return text;
}

Result<int> run_new_op(const NewOpArguments& arguments) {
  const std::string& name = arguments.name;
  if (!is_identifier(name))
    return fail(fmt::format("'{}' cannot name an op", name),
                "use letters, digits and underscores, with a letter first");
  if (find_op(name)) return fail(fmt::format("there is an op '{}' already", name), "choose another name");
  const auto texts = templates_of(arguments.like);
  if (texts.empty())
    return fail(fmt::format("there is no kind of ops '{}'", arguments.like),
                fmt::format("--like takes {}", fmt::join(kinds(), ", ")));
  const std::string stem = (fs::path(arguments.dir) / name).string();
  std::error_code ignored;
  for (const auto& [suffix, text] : texts)
    if (fs::exists(stem + suffix, ignored) && !arguments.force)
      return fail(stem + suffix + " is there already", "--force overwrites it");
  fs::create_directories(arguments.dir, ignored);
  for (const auto& [suffix, text] : texts)
    if (const auto written = write_file(stem + suffix, named(text, name)); !written)
      return fail(written.error().what, "name another folder with --dir");
  say("wrote {0}.h: a contract and its reference, to be edited\n"
      "wrote {0}.cu and {0}.toml: a kernel for it and how it is launched\n"
      "compile it, and hear what is wrong with it:  assay list ops --ops {1}\n"
      "check the kernel against it:                 assay check {0}.cu --ops {1}\n"
      "check one of yours:                          assay check my_kernel.cu --op {2} --ops {1}\n",
      stem, arguments.dir, name);
  return kExitPass;
}

}  // namespace

Command new_op_command() {
  Command made = command_of<NewOpArguments>(
      "new-op",
      [](CLI::App& command, NewOpArguments& arguments) {
        command.add_option("name", arguments.name)->required();
        command.add_option("--like", arguments.like);
        command.add_option("--dir", arguments.dir);
        command.add_flag("--force", arguments.force);
      },
      [](const NewOpArguments& arguments, const std::vector<std::string>&) { return run_new_op(arguments); });
  made.uses_ops = false;
  return made;
}

}  // namespace assay
