// An adapter as TOML, as `assay adapt` writes it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <filesystem>
#include <sstream>
#include <utility>

#include "harness/adapter/adapter_keys.h"

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

std::string launch_text(const AdapterLaunch& launch) {
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

// One key; "" where its value is what a file without it means.
class Printer {
 public:
  std::string out;

  void print(const char* key, const std::string& value) {
    if (!value.empty() && !(std::string_view(key) == "workspace" && value == Adapter{}.workspace))
      line(key, formatted(value));
  }
  void print(const char* key, bool value) {
    if (value != (std::string_view(key) == "deterministic")) line(key, value ? "true" : "false");
  }
  void print(const char* key, KernelLanguage language) {
    if (language == KernelLanguage::host) line(key, "\"host\"");
  }
  void print(const char* key, Accumulate accumulate) {
    if (accumulate != Accumulate::f32) line(key, formatted(std::string(name(accumulate))));
  }
  void print(const char* key, std::optional<int> value) {
    if (value) line(key, std::to_string(*value));
  }
  void print(const char* key, std::optional<double> value) {
    if (value) line(key, formatted(toml::value<double>(*value)));
  }
  template <class T>
  void print(const char* key, const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, AdapterLaunch>)
      for (const AdapterLaunch& launch : values) out += launch_text(launch);
    else if (values.empty())
      return;
    else if constexpr (std::is_same_v<T, DType>)
      print(key, names_of(values));
    else if constexpr (requires { toml_of(values[0]); })
      line(key, formatted(table_of(values)));
    else
      line(key, formatted(values));
  }

 private:
  static Texts names_of(const std::vector<DType>& dtypes) {
    Texts names;
    for (const DType dtype : dtypes) names.emplace_back(name(dtype));
    return names;
  }
  void line(const char* key, const std::string& value) { out += fmt::format("{} = {}\n", key, value); }
};

}  // namespace

std::string print(const Adapter& given, const std::vector<std::string>& remarks) {
  Printer printer;
  for (const std::string& remark : remarks) printer.out += comment(remark);
  if (!remarks.empty()) printer.out += '\n';
  Adapter adapter = given;
  const fs::path source = given.source, folder = fs::path(given.path).parent_path();
  if (!given.source.empty())
    adapter.source = (given.path.empty() ? source.filename() : source.lexically_proximate(folder)).string();
  for (std::string& each : adapter.compile.include) each = fs::path(each).lexically_proximate(folder).string();
  for_each_key(std::as_const(adapter), [&](const char* key, const auto& value) { printer.print(key, value); });
  return printer.out;
}

}  // namespace assay
