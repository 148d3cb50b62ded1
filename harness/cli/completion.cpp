// Walks the tree of commands and options, so that no list of them is kept for shells.
#include "harness/cli/completion.h"

#include <algorithm>
#include <filesystem>

#include "harness/base/scanner.h"
#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/search/suite.h"

namespace assay {
namespace {

using Words = std::vector<std::string>;

// CLI11 describes the values of an option that takes one of a few as "{text,github}".
Words choices(const CLI::Option& option) {
  Words words;
  std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return words;
  Scanner scan(std::string_view(type).substr(open + 1, close - open - 1));
  while (!scan.at_end()) {
    words.emplace_back(scan.take([](char c) { return c != ','; }));
    scan.skip(",");
  }
  return words;
}

Words values(const CLI::Option& option) {
  Words words = choices(option);
  if (option.check_lname("op"))
    for (const Contract& op : all_ops()) words.push_back(op.name);
  if (option.check_lname("device"))
    for (const DeviceKind& kind : device_kinds()) words.push_back(kind.name);
  if (option.check_lname("suite"))
    for (const std::string& path : suite_paths()) words.push_back(std::filesystem::path(path).stem());
  if (option.get_name() == "select") {
    for (const Contract& op : all_ops()) words.push_back(op.name);
    for (const Variant* variant : variants()) words.push_back(variant->op + "/" + variant->name);
  }
  return words;
}

const CLI::Option* find_option(const CLI::App& app, const std::string& typed) {
  for (const CLI::Option* option : app.get_options())
    if (typed.starts_with("-") && option->check_name(typed)) return option;
  return nullptr;
}

Words of_command(const CLI::App& command, const CLI::App& app, const std::string& before, const std::string& last) {
  for (const CLI::App* each : {&command, &app})
    if (const CLI::Option* option = find_option(*each, before); option && option->get_items_expected_max() > 0)
      return values(*option);
  Words words;
  if (last.starts_with('-')) {
    words = option_names(command);
    if (&command != &app)
      for (std::string& name : option_names(app)) words.push_back(std::move(name));
    return words;
  }
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      for (std::string& value : values(*option)) words.push_back(std::move(value));
  return words;
}

}  // namespace

Words option_names(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Words command_names(const CLI::App& app) {
  Words names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

Words completions(const CLI::App& app, const Words& words) {
  if (words.empty()) return {};
  const std::string& last = words.back();
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([&](const CLI::App* each) { return words.size() > 1 && each->get_name() == words[0]; });
  Words found = of_command(commands.empty() ? app : *commands[0], app, before, last);
  if (words.size() == 1 && !last.starts_with('-')) found = command_names(app);
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(last); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace assay
