// Reading adapters, by toml++. Every key is checked, because a misspelt one would silently run something
// else.
#include "harness/adapter/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "harness/adapter/adapter_keys.h"
#include "harness/adapter/bind/match.h"
#include "harness/adapter/steering.h"
#include "harness/adapter/toml_file.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

const Texts kLaunchKeys = {"entry", "launcher", "args", "grid", "any_grid", "block", "shared"};

class Reader {
 public:
  explicit Reader(Adapter& adapter) : adapter_(adapter) {}

  std::optional<Error> read(const toml::table& table) {
    Texts known;
    for_each_key(adapter_, [&](const char* key, auto& value) {
      known.emplace_back(key_ = key);
      if (const toml::node* node = table.get(key)) take(*node, value);
    });
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end()) unknown(key, node, known);
    if (!error_) whole(table);
    return error_;
  }

 private:
  void complain(const toml::node& node, std::string what, std::string hint) {
    if (error_) return;
    for (char& c : what)  // a text in it may be of several lines
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
    error_ = Error{fmt::format("{}:{}: {}", adapter_.path, node.source().begin.line, what), std::move(hint)};
  }
  void unknown(const toml::key& key, const toml::node& node, const Texts& known) {
    if (error_) return;
    const auto line = key.source().begin.line ? key.source().begin.line : node.source().begin.line;
    error_ =
        Error{fmt::format("{}:{}: unknown key '{}'", adapter_.path, line, key.str()), suggestion(key.str(), known)};
  }

  void text(const toml::node& node, std::string& out) {
    const auto value = node.value_exact<std::string>();
    if (value && !value->empty())
      out = *value;
    else
      complain(node, "expected a text", "write it in quotes");
  }
  void take(const toml::node& node, std::string& out) {
    if (key_ == "workspace") return expression(node, out);
    text(node, out);
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (key_ == "name" && !std::all_of(out.begin(), out.end(), is_word))
      complain(node, fmt::format("a variant cannot be called '{}'", out), "use letters, digits and _");
    if (key_ == "via" && out != "source" && out != "ptx" && out != "auto")
      complain(node, fmt::format("via = '{}'", out), "it is source, ptx or auto");
    if (key_ == "source") out = beside(out);
  }
  void take(const toml::node& node, Texts& out) {
    const toml::array* array = node.as_array();
    if (!array) return complain(node, "expected a list of texts", "write it as [\"…\", \"…\"]");
    out.clear();
    for (const toml::node& item : *array) {
      text(item, out.emplace_back());
      if (key_ == "requires") adapter_.lines.try_emplace(out.back(), static_cast<int>(item.source().begin.line));
      if (key_ == "include") out.back() = beside(out.back());
    }
  }
  // A number may stand for itself: shared = 1024.
  void expression(const toml::node& node, std::string& out) {
    if (const auto number = node.value_exact<int64_t>())
      out = std::to_string(*number);
    else
      text(node, out);
    adapter_.lines.try_emplace(out, static_cast<int>(node.source().begin.line));
  }
  void expressions(const toml::node& node, Texts& out) {
    const toml::array* array = node.as_array();
    if (!array) return complain(node, "expected a list of expressions", "write it as [\"rows\", \"256\"]");
    out.clear();
    for (const toml::node& item : *array) expression(item, out.emplace_back());
  }
  void extents(const toml::node& node, Texts& out) {
    expressions(node, out);
    if (out.empty() || out.size() > 3)
      complain(node, fmt::format("{} extents", out.size()), "give one to three, as in [\"rows\"]");
  }

  std::string beside(const std::string& path) const {
    return (fs::path(adapter_.path).parent_path() / path).lexically_normal().string();
  }
  void take(const toml::node& node, KernelLanguage& out) {
    std::string word;
    text(node, word);
    if (word == "host")
      out = KernelLanguage::host;
    else if (word != "cuda")
      complain(node, fmt::format("there is no language '{}'", word), "write \"cuda\" or \"host\"");
  }
  void take(const toml::node& node, std::vector<DType>& out) {
    Texts words;
    take(node, words);
    for (const std::string& word : words) {
      const auto dtype = dtype_from(word);
      if (!dtype) return complain(node, fmt::format("there is no element type '{}'", word), "use f32, bf16 or f16");
      out.push_back(*dtype);
    }
  }
  void take(const toml::node& node, std::vector<int>& out) {
    constexpr int64_t kThreadsMax = 1024;  // of a block, on every GPU since compute capability 2.0
    const toml::array* array = node.as_array();
    if (!array || array->empty()) return complain(node, "expected a list of block sizes", "write it as [128, 256]");
    for (const toml::node& item : *array) {
      const auto size = item.value_exact<int64_t>();
      if (!size || *size < 1 || *size > kThreadsMax)
        return complain(item, "a block size is a whole number from 1 to 1024", "write them as [128, 256]");
      out.push_back(static_cast<int>(*size));
    }
  }
  void take(const toml::node& node, std::optional<int>& out) {
    constexpr int64_t kAlignmentMax = 256;  // of an allocation
    const auto bytes = node.value_exact<int64_t>();
    if (!bytes || *bytes < 1 || *bytes > kAlignmentMax || (*bytes & (*bytes - 1)) != 0)
      return complain(node, "an alignment is a power of two from 1 to 256", "write aligned = 16, or 1 for none");
    out = static_cast<int>(*bytes);
  }
  void take(const toml::node& node, std::vector<Fixed>& out) {
    const toml::table* table = node.as_table();
    if (!table) return complain(node, "expected a table", "write it as { cols = \"64\", causal = \"1\" }");
    for (const auto& [key, value] : *table)
      expression(value, out.emplace_back(Fixed{std::string(key.str()), ""}).value);
  }
  void take(const toml::node& node, std::vector<Domain>& out) {
    const toml::table* table = node.as_table();
    if (!table) return complain(node, "expected a table", "write it as { cols = [1, 1024], D = [\"64\", \"128\"] }");
    for (const auto& [key, value] : *table) {
      Domain& domain = out.emplace_back(Domain{.name = std::string(key.str())});
      const toml::array* array = value.as_array();
      const bool numbers = array && array->size() == 2 && array->is_homogeneous<int64_t>();
      if (numbers) {
        domain.min = **(*array)[0].as_integer();
        domain.max = **(*array)[1].as_integer();
      } else if (array && !array->empty() && array->is_homogeneous<std::string>()) {
        take(value, domain.values);
      } else {
        complain(value, "expected two numbers, from and to, or a list of texts",
                 "write [1, 1024], or [\"64\", \"128\"] for these values alone");
      }
    }
  }
  void take(const toml::node& node, std::vector<Constant>& out) {
    const toml::table* table = node.as_table();
    if (!table) return complain(node, "expected a table", "write it as { gamma = 1 }");
    for (const auto& [key, value] : *table) {
      const auto number = value.value<double>();
      if (!number || !std::isfinite(*number)) return complain(value, "expected a number", "write it as { gamma = 1 }");
      out.push_back({std::string(key.str()), *number});
    }
  }
  void take(const toml::node& node, std::optional<double>& out) {
    const auto value = node.value<double>();
    if (value && std::isfinite(*value) && *value < 0)
      out = value;
    else
      complain(node, "'mask_value' must be a negative number", "write it as -1e9; minus infinity is what ops mask by");
  }
  void take(const toml::node& node, Accumulate& out) {
    const auto known = parse_accumulate(node.value<std::string>().value_or(""));
    if (known)
      out = *known;
    else
      complain(
          node, "'accumulate' must be \"f32\", \"tf32\", \"bf16_operands\", \"f16_operands\", \"f16\" or \"bf16\"",
          "it is the precision of sums; tf32, bf16_operands and f16_operands are f32 with products of such numbers");
  }
  void take(const toml::node& node, bool& out) {
    if (const auto value = node.value_exact<bool>())
      out = *value;
    else
      complain(node, fmt::format("'{}' must be true or false", key_), "write it without quotes");
  }

  void take(const toml::node& node, std::vector<AdapterLaunch>& out) {
    const toml::array* array = node.as_array();
    if (!array || array->empty() || !array->is_homogeneous<toml::table>())
      return complain(node, "'launch' must be a list of tables", "begin each with [[launch]] on a line of its own");
    for (const toml::node& item : *array) read_launch(*item.as_table(), out.emplace_back());
  }
  void read_launch(const toml::table& table, AdapterLaunch& launch) {
    for (const auto& [key, node] : table) {
      key_ = key.str();
      if (key == "entry" || key == "launcher")
        expression(node, launch.entry);
      else if (key == "args")
        expressions(node, launch.args);
      else if (key == "grid")
        extents(node, launch.grid);
      else if (key == "any_grid")
        take(node, launch.any_grid);
      else if (key == "block")
        extents(node, launch.block);
      else if (key == "shared")
        expression(node, launch.shared);
      else
        unknown(key, node, kLaunchKeys);
    }
    if (launch.entry.empty()) complain(table, "a launch without an entry", "write entry = \"the_kernel\" in it");
    launch.is_launcher = table.contains("launcher");
    if (launch.is_launcher)
      for (const char* key : {"entry", "grid", "any_grid", "block", "shared"})
        if (const toml::node* other = table.get(key))
          complain(*other, fmt::format("'{}' beside 'launcher'", key), "a launcher has its own launches: leave it out");
    if (!table.contains("args"))
      complain(table, "a launch without args", "write args = [\"x\", \"y\", \"rows\"] in it");
  }

  // Checks what only the whole file shows: missing keys, and keys whose meaning depends on the op.
  void whole(const toml::table& table) {
    if (adapter_.launches.empty())
      return complain(table, "no launch", "begin one with [[launch]] on a line of its own");
    if (adapter_.op.empty()) return complain(table, "no op", "write op = \"…\" (`assay list ops`)");
    const Contract* op = find_op(adapter_.op);
    if (!op) {
      Texts known;
      for (const Contract& contract : all_ops()) known.push_back(contract.name);
      return complain(*table.get("op"), fmt::format("there is no op '{}'", adapter_.op),
                      suggestion(adapter_.op, known));
    }
    if (adapter_.name.empty()) adapter_.name = kernel_of(adapter_.launches[0].entry);
    adapter_.all_dtypes = !table.contains("dtypes");
    if (adapter_.all_dtypes) adapter_.dtypes = op->dtypes;
    for (const DType dtype : adapter_.dtypes)
      if (std::find(op->dtypes.begin(), op->dtypes.end(), dtype) == op->dtypes.end())
        complain(*table.get("dtypes"), fmt::format("{} has no cases in {}", op->name, assay::name(dtype)),
                 "`assay list ops` shows its element types");
    if (const auto mistake = steering_mistake(adapter_, *op))
      complain(*table.get(mistake->key), mistake->what, mistake->hint);
    for (const std::string& cleared : adapter_.zero) zeroed(*table.get("zero"), *op, cleared);
    for (const std::string& pair : adapter_.in_place) in_one_place(*table.get("in_place"), *op, pair);
  }
  void in_one_place(const toml::node& node, const Contract& op, const std::string& pair) {
    const auto holds = [&](const TensorSpec& output, const Binding& input) {
      return input.spec && pair == output.name + ":" + input.expression && can_be_in_place(output, *input.spec);
    };
    const std::vector<Binding> inputs = with_parts(bindings_of(op));
    for (const TensorSpec& output : op.tensors)
      if (std::ranges::any_of(inputs, [&](const Binding& input) { return holds(output, input); })) return;
    complain(node, fmt::format("'{}' is no output and an input of its shape in {}", pair, op.name),
             "write OUTPUT:INPUT, as y:x, or y:columns(x, 0, dim)");
  }
  void zeroed(const toml::node& node, const Contract& op, const std::string& tensor) {
    Texts written;
    for (const TensorSpec& spec : op.tensors)
      if (spec.role != Role::input) written.push_back(spec.name);
    if (tensor != "workspace" && std::find(written.begin(), written.end(), tensor) == written.end())
      complain(node, fmt::format("'{}' is no output of {}", tensor, op.name), suggestion(tensor, written));
    const auto is_init = [](const auto& steered) { return steered.name == "init"; };
    const auto asks_for_init = [](const std::string& requirement) {
      return requirement.find("init") != std::string::npos;
    };
    const bool begins_at_zero = std::any_of(adapter_.fixed.begin(), adapter_.fixed.end(), is_init) ||
                                std::any_of(adapter_.ranges.begin(), adapter_.ranges.end(), is_init) ||
                                std::any_of(adapter_.requirements.begin(), adapter_.requirements.end(), asks_for_init);
    for (const TensorSpec& spec : op.tensors)
      if (spec.name == tensor && spec.role == Role::accumulate && !begins_at_zero)
        complain(node, fmt::format("{} is added to, and clearing it loses what it starts from", tensor),
                 "leave it out; fix = { init = \"zero\" } where the kernel can only begin at 0");
  }

  Adapter& adapter_;
  std::string key_;  // that is being read
  std::optional<Error> error_;
};
}  // namespace

const std::vector<int>& swept_blocks() {
  static const std::vector<int> sizes = {32, 64, 128, 256, 512, 1024, 96, 160, 33, 100, 257};
  return sizes;
}

std::vector<std::string> words_of(const CompileOptions& options) {
  std::vector<std::string> words;
  for (const std::string& folder : options.include) words.insert(words.end(), {"-I", folder});
  for (const std::string& macro : options.define) words.insert(words.end(), {"-D", macro});
  if (!options.flags.empty()) words.push_back("--flags=" + options.flags);
  if (!options.nvcc_flags.empty()) words.push_back("--nvcc-flags=" + options.nvcc_flags);
  if (!options.arch.empty()) words.push_back("--arch=" + options.arch);
  if (!options.via.empty()) words.push_back("--via=" + options.via);
  if (!options.build.empty()) words.insert(words.end(), {"-p", options.build});
  return words;
}

CompileOptions merged(CompileOptions first, const CompileOptions& second) {
  first.include.insert(first.include.end(), second.include.begin(), second.include.end());
  first.define.insert(first.define.end(), second.define.begin(), second.define.end());
  if (!second.flags.empty()) first.flags += (first.flags.empty() ? "" : " ") + second.flags;
  if (!second.nvcc_flags.empty()) first.nvcc_flags += (first.nvcc_flags.empty() ? "" : " ") + second.nvcc_flags;
  if (first.arch.empty()) first.arch = second.arch;
  if (first.via.empty()) first.via = second.via;
  if (first.build.empty()) first.build = second.build;
  first.counts = first.counts || second.counts;
  first.coverage = first.coverage || second.coverage;
  return first;
}

std::string kernel_of(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find_first_of("<("));
  const size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string function_of(const std::string& entry) {
  const size_t types = entry.ends_with(')') ? entry.find('(') : std::string::npos;
  if (types == std::string::npos) return entry;
  return fmt::format("static_cast<void (*){}>({})", entry.substr(types), entry.substr(0, types));
}

// `assay adapt` writes a comment for each thing that it could not infer: with one left, nobody knows what runs.
static std::optional<Error> unknown_left(const std::string& path) {
  constexpr std::string_view kMark = "# UNKNOWN";
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line.erase(0, line.find_first_not_of(" \t"));
    if (!line.starts_with(kMark)) continue;
    const size_t begin = line.find_first_not_of(" :", kMark.size());
    return Error{
        fmt::format("{}:{}: still open: {}", path, number,
                    begin == std::string::npos ? "what `assay adapt` did not know" : line.substr(begin)),
        "say it in the adapter (a `?` becomes an expression, an attribute or dim goes into `fix`), then delete "
        "this line"};
  }
  return std::nullopt;
}

Result<Adapter> read_adapter(const std::string& path) {
  Adapter adapter;
  adapter.path = path;
  if (std::error_code none; !fs::is_regular_file(path, none))
    return fail(fmt::format("no adapter file {}", path), "`assay adapt KERNELS.cu` writes one beside the kernels");
  const auto table = ASSAY_TRY(read_toml(path, "`assay adapt --help` shows the format of adapters"));
  if (auto error = Reader(adapter).read(table)) return tl::unexpected(*error);
  if (auto open = unknown_left(path)) return tl::unexpected(*open);
  return adapter;
}

}  // namespace assay
