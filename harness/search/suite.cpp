// Reading suites, by toml++. Every key is checked, because a misspelt one would silently run something else.
#include "harness/search/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/adapter/toml_file.h"
#include "harness/base/program_files.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  explicit Reader(Suite& suite) : suite_(suite) {}

  std::optional<Error> read(const toml::table& table) {
    const std::vector<std::string> known = {"about",        "select", "cases", "checked", "elements_max",
                                            "case_limit_s", "pinned", "bench", "op",      "huge"};
    for (const auto& [key, node] : table) {
      if (key == "about")
        text(node, suite_.about);
      else if (key == "select")
        texts(node, suite_.select);
      else if (key == "case_limit_s")
        number(node, key, suite_.case_limit_s);
      else if (key == "pinned")
        texts(node, suite_.pinned);
      else if (key == "bench")
        bench(node);
      else if (key == "op")
        per_op(node);
      else if (key == "huge")
        flag(node, key, suite_.huge);
      else if (!count(node, key, suite_.counts))
        unknown(key, node, known);
    }
    for (auto& [op, counts] : suite_.per_op) fill_in(counts);
    return error_;
  }

 private:
  void complain(const toml::node& node, std::string what, std::string hint) {
    if (error_) return;
    error_ = Error{fmt::format("{}:{}: {}", suite_.path, node.source().begin.line, what), std::move(hint)};
  }
  void unknown(const toml::key& key, const toml::node& node, const std::vector<std::string>& known) {
    if (error_) return;
    error_ = Error{fmt::format("{}:{}: unknown key '{}'", suite_.path,
                               key.source().begin.line ? key.source().begin.line : node.source().begin.line, key.str()),
                   suggestion(key.str(), known)};
  }
  void text(const toml::node& node, std::string& out) {
    if (const auto value = node.value<std::string>())
      out = *value;
    else
      complain(node, "expected a text", "write it in quotes");
  }
  void texts(const toml::node& node, std::vector<std::string>& out) {
    const toml::array* array = node.as_array();
    if (!array) return complain(node, "expected a list of texts", "write it as [\"…\", \"…\"]");
    out.clear();
    for (const toml::node& item : *array) {
      out.emplace_back();
      text(item, out.back());
    }
  }
  void number(const toml::node& node, const toml::key& key, double& out) {
    const auto value = node.value<double>();
    if (value && *value > 0)
      out = *value;
    else
      complain(node, fmt::format("'{}' must be a number above 0", key.str()), "give it in seconds, as in 10");
  }
  void flag(const toml::node& node, const toml::key& key, bool& out) {
    if (const auto value = node.value_exact<bool>())
      out = *value;
    else
      complain(node, fmt::format("'{}' must be true or false", key.str()), "write it without quotes");
  }
  void bench(const toml::node& node) {
    const toml::array* tables = node.as_array();
    if (!tables || !tables->is_homogeneous<toml::table>())
      return complain(node, "'bench' must be a list of tables", "write [[bench]] on a line of its own before each");
    for (const toml::node& table : *tables) bench_line(*table.as_table());
  }
  void bench_line(const toml::table& table) {
    std::string line;
    BenchLine entry;
    for (const auto& [key, node] : table) {
      if (key == "line")
        text(node, line);
      else if (key == "from")
        text(node, entry.from);
      else
        unknown(key, node, {"line", "from"});
    }
    if (line.empty()) return complain(table, "a bench without a line", "add line = \"op/* dtype dim=1 …\"");
    if (entry.from.empty())
      return complain(table, "a bench without its origin", "add from = \"the model and layer that has this shape\"");
    auto c = read_case(line);
    if (!c) return complain(*table.get("line"), c.error().what, c.error().hint);
    if (c->variant == kEveryVariant && c->block)
      return complain(*table.get("line"), fmt::format("block= with every variant: '{}'", line),
                      "leave it out, or name one variant: not every variant leaves its block size open");
    entry.c = std::move(*c);
    suite_.bench.push_back(std::move(entry));
  }
  bool count(const toml::node& node, const toml::key& key, SuiteCounts& counts) {
    int64_t* out = nullptr;
    if (key == "cases") out = &counts.cases;
    if (key == "checked") out = &counts.checked;
    if (key == "elements_max") out = &counts.elements_max;
    if (key == "flops_max") out = &counts.flops_max;
    if (key == "threads_max") out = &counts.threads_max;
    if (out == nullptr) return false;
    const auto value = node.value_exact<int64_t>();
    const bool of_cases = out == &counts.cases || out == &counts.checked;
    if (value && *value >= 0 && (!of_cases || *value <= kCasesMax))
      *out = *value;
    else
      complain(node,
               fmt::format("'{}' must be a whole number from 0{}", key.str(),
                           of_cases ? fmt::format(" to {}", kCasesMax) : ""),
               "as in cases = 60");
    return true;
  }
  void per_op(const toml::node& node) {
    const toml::table* ops_table = node.as_table();
    if (!ops_table) return complain(node, "'op' must be a table", "write [op.NAME] on a line of its own");
    for (const auto& [op, settings] : *ops_table) {
      std::vector<std::string> known;
      for (const Contract& contract : all_ops()) known.push_back(contract.name);
      if (!find_op(op.str())) return unknown(op, settings, known);
      SuiteCounts& counts = suite_.per_op[std::string(op.str())];
      counts = {-1, -1, -1, -1, -1};
      if (const toml::table* entries = settings.as_table()) {
        for (const auto& [key, value] : *entries)
          if (key == "case_limit_s")
            number(value, key, suite_.case_limit_s_of[std::string(op.str())]);
          else if (!count(value, key, counts))
            unknown(key, value, {"cases", "checked", "elements_max", "flops_max", "threads_max", "case_limit_s"});
      } else {
        complain(settings, "expected a table", fmt::format("write [op.{}] on a line of its own", op.str()));
      }
    }
  }
  // Counts that an op's table leaves open are those of the whole suite.
  void fill_in(SuiteCounts& counts) const {
    if (counts.cases < 0) counts.cases = suite_.counts.cases;
    if (counts.checked < 0) counts.checked = suite_.counts.checked;
    if (counts.elements_max < 0) counts.elements_max = suite_.counts.elements_max;
    if (counts.flops_max < 0) counts.flops_max = suite_.counts.flops_max;
    if (counts.threads_max < 0) counts.threads_max = suite_.counts.threads_max;
  }

  Suite& suite_;
  std::optional<Error> error_;
};

std::vector<fs::path> suite_folders() {
  return {fs::path("cases"), program_folder().parent_path() / "cases", share_folder() / "cases"};
}

}  // namespace

const SuiteCounts& Suite::counts_of(const std::string& op) const {
  const auto at = per_op.find(op);
  return at == per_op.end() ? counts : at->second;
}

bool Suite::has_checked() const {
  return counts.checked > 0 || std::ranges::any_of(per_op, [](const auto& op) { return op.second.checked > 0; });
}

Result<Suite> read_suite(const std::string& path) {
  Suite suite;
  suite.path = path;
  suite.name = fs::path(path).stem().string();
  const auto table = ASSAY_TRY(read_toml(path, "see cases/README.md for the format of suites"));
  if (auto error = Reader(suite).read(table)) return tl::unexpected(*error);
  return suite;
}

Result<std::string> find_suite(const std::string& name) {
  if (name.ends_with(".toml")) {
    std::error_code no_file;
    if (fs::is_regular_file(name, no_file)) return name;
    return fail(fmt::format("no suite file {}", name),
                "give the path of a .toml file, or a name of `assay list suites`");
  }
  std::vector<std::string> known;
  for (const std::string& path : suite_paths()) {
    if (fs::path(path).stem() == name) return path;
    known.push_back(fs::path(path).stem().string());
  }
  return fail(fmt::format("no suite '{}'", name),
              known.empty() ? "no cases/*.toml here: run assay from its repository, or give the path of a .toml file"
                            : suggestion(name, known));
}

std::vector<std::string> suite_paths() {
  std::error_code ignored;
  std::map<std::string, std::string> by_name;  // emplace keeps the first: a project's own suite hides an installed one
  for (const fs::path& folder : suite_folders())
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".toml") by_name.emplace(entry.path().stem(), entry.path());
  std::vector<std::string> paths;
  paths.reserve(by_name.size());
  for (const auto& [name, path] : by_name) paths.push_back(path);
  return paths;
}

}  // namespace assay
