// An adapter as TOML, as `assay adapt` writes it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <filesystem>
#include <sstream>

#include "harness/adapter/adapter.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

// Strings in double quotes, as in every example of ours.
std::string formatted(const toml::node& node) {
  std::ostringstream out;
  out << toml::toml_formatter{node, toml::format_flags::allow_unicode_strings};
  return out.str();
}
std::string formatted(const std::string& text) { return formatted(toml::value<std::string>(text)); }
template <class T>
std::string formatted(const std::vector<T>& values) {
  toml::array array;
  for (const T& value : values) array.push_back(value);
  return formatted(array);
}

toml::value<std::string> toml_of(const Fixed& fixed) { return toml::value<std::string>(fixed.value); }
toml::value<double> toml_of(const Constant& constant) { return toml::value<double>(constant.value); }
toml::array toml_of(const Domain& range) {
  toml::array array;
  for (const std::string& value : range.values) array.push_back(value);
  if (range.values.empty()) array = toml::array(range.min, range.max);
  return array;
}
template <class T>
const std::string& name_of(const T& named) {
  return named.name;
}
const std::string& name_of(const Constant& constant) { return constant.tensor; }
template <class T>
toml::table table_of(const std::vector<T>& named) {
  toml::table table;
  for (const T& each : named) table.insert_or_assign(name_of(each), toml_of(each));
  table.is_inline(true);
  return table;
}

// A comment ends with its line, and TOML forbids control characters in it.
std::string comment(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  return "# " + text + "\n";
}

std::string print(const AdapterLaunch& launch) {
  const AdapterLaunch usual;
  std::string out = fmt::format("\n[[launch]]\n{} = {}\nargs = {}\n", launch.is_launcher ? "launcher" : "entry",
                                formatted(launch.entry), formatted(launch.args));
  if (launch.is_launcher) return out;
  out += fmt::format("grid = {}\n", formatted(launch.grid));
  if (launch.any_grid) out += "any_grid = true\n";
  if (launch.block != usual.block) out += fmt::format("block = {}\n", formatted(launch.block));
  if (launch.shared != usual.shared) out += fmt::format("shared = {}\n", formatted(launch.shared));
  return out;
}

}  // namespace

std::string print(const Adapter& adapter, const std::vector<std::string>& remarks) {
  std::string out;
  for (const std::string& remark : remarks) out += comment(remark);
  if (!remarks.empty()) out += '\n';
  out += fmt::format("op = {}\n", formatted(adapter.op));
  if (!adapter.source.empty()) {
    const fs::path source = fs::path(adapter.source);
    const fs::path folder = fs::path(adapter.path).parent_path();
    const fs::path beside = adapter.path.empty() ? source.filename() : source.lexically_proximate(folder);
    out += fmt::format("source = {}\n", formatted(beside.string()));
  }
  if (!adapter.name.empty()) out += fmt::format("name = {}\n", formatted(adapter.name));
  if (adapter.language == KernelLanguage::host) out += "language = \"host\"\n";
  Texts dtypes;
  for (const DType dtype : adapter.dtypes) dtypes.emplace_back(name(dtype));
  if (!dtypes.empty()) out += fmt::format("dtypes = {}\n", formatted(dtypes));
  if (!adapter.blocks.empty()) out += fmt::format("blocks = {}\n", formatted(adapter.blocks));
  if (!adapter.fixed.empty()) out += fmt::format("fix = {}\n", formatted(table_of(adapter.fixed)));
  if (!adapter.ranges.empty()) out += fmt::format("range = {}\n", formatted(table_of(adapter.ranges)));
  if (!adapter.requirements.empty()) out += fmt::format("requires = {}\n", formatted(adapter.requirements));
  if (!adapter.skip_fills.empty()) out += fmt::format("skip_fills = {}\n", formatted(adapter.skip_fills));
  if (adapter.finite) out += "finite = true\n";
  if (!adapter.omits.empty()) out += fmt::format("omits = {}\n", formatted(adapter.omits));
  if (!adapter.constants.empty()) out += fmt::format("constant = {}\n", formatted(table_of(adapter.constants)));
  if (adapter.mask_value) out += fmt::format("mask_value = {}\n", formatted(toml::value<double>(*adapter.mask_value)));
  if (!adapter.rounds.empty()) out += fmt::format("rounds = {}\n", formatted(adapter.rounds));
  if (adapter.accumulate != Accumulate::f32) out += fmt::format("accumulate = \"{}\"\n", name(adapter.accumulate));
  if (adapter.ftz) out += "ftz = true\n";
  if (adapter.fast_math) out += "fast_math = true\n";
  if (adapter.aligned) out += fmt::format("aligned = {}\n", *adapter.aligned);
  if (!adapter.zero.empty()) out += fmt::format("zero = {}\n", formatted(adapter.zero));
  if (!adapter.in_place.empty()) out += fmt::format("in_place = {}\n", formatted(adapter.in_place));
  if (adapter.workspace != Adapter{}.workspace) out += fmt::format("workspace = {}\n", formatted(adapter.workspace));
  if (!adapter.deterministic) out += "deterministic = false\n";
  Texts folders;
  for (const std::string& folder : adapter.compile.include)
    folders.push_back(fs::path(folder).lexically_proximate(fs::path(adapter.path).parent_path()).string());
  if (!folders.empty()) out += fmt::format("include = {}\n", formatted(folders));
  if (!adapter.compile.define.empty()) out += fmt::format("define = {}\n", formatted(adapter.compile.define));
  if (!adapter.compile.flags.empty()) out += fmt::format("flags = {}\n", formatted(adapter.compile.flags));
  if (!adapter.compile.nvcc_flags.empty())
    out += fmt::format("nvcc_flags = {}\n", formatted(adapter.compile.nvcc_flags));
  if (!adapter.compile.arch.empty()) out += fmt::format("arch = {}\n", formatted(adapter.compile.arch));
  if (!adapter.compile.via.empty()) out += fmt::format("via = {}\n", formatted(adapter.compile.via));
  if (!adapter.guesses.empty()) out += fmt::format("guesses = {}\n", formatted(adapter.guesses));
  if (!adapter.declaration.empty()) out += fmt::format("declaration = {}\n", formatted(adapter.declaration));
  for (const AdapterLaunch& launch : adapter.launches) out += print(launch);
  return out;
}

}  // namespace assay
