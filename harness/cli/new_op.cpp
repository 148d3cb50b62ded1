// `assay new-op`: a header with a contract and its reference, for the user to edit.
#include <fmt/format.h>

#include <filesystem>

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

constexpr std::string_view kPlaceholder = "new_op_name";  // in templates/new_op.h

std::string header_of(const std::string& name) {
  std::string text = embedded_file("new_op.h");
  for (size_t at = text.find(kPlaceholder); at != std::string::npos; at = text.find(kPlaceholder, at + name.size()))
    text.replace(at, kPlaceholder.size(), name);
  return text;
}

}  // namespace

int run_new_op(const NewOpArguments& arguments) {
  const std::string& name = arguments.name;
  if (!is_identifier(name))
    return usage_error(
        {fmt::format("'{}' cannot name an op", name), "use letters, digits and underscores, with a letter first"});
  if (find_op(name)) return usage_error({fmt::format("there is an op '{}' already", name), "choose another name"});
  const fs::path path = fs::path(arguments.dir) / (name + ".h");
  std::error_code ignored;
  if (fs::exists(path, ignored) && !arguments.force)
    return usage_error({path.string() + " is there already", "--force overwrites it"});
  fs::create_directories(arguments.dir, ignored);
  if (const auto written = write_file(path, header_of(name)); !written)
    return usage_error({written.error().what, "name another folder with --dir"});
  say("wrote {0}: a contract and its reference, to be edited\n"
      "compile it, and hear what is wrong with it:  assay list ops --ops {1}\n"
      "check a kernel against it:                   assay check my_kernel.cu --op {2} --ops {1}\n",
      path.string(), arguments.dir, name);
  return kExitPass;
}

Command new_op_command() {
  Command made = command_of<NewOpArguments>(
      "new-op",
      [](CLI::App& command, NewOpArguments& arguments) {
        command.add_option("name", arguments.name)->required();
        command.add_option("--dir", arguments.dir);
        command.add_flag("--force", arguments.force);
      },
      [](const NewOpArguments& arguments, const std::vector<std::string>&) { return run_new_op(arguments); });
  made.uses_ops = false;
  return made;
}

}  // namespace assay
