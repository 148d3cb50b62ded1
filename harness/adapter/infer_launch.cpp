// Reading launches from host code, and from the indices that a kernel computes.
#include "harness/adapter/infer_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/adapter/arithmetic.h"
#include "harness/adapter/body_indices.h"
#include "harness/adapter/expression.h"
#include "harness/adapter/whole_warps.h"

namespace assay {

Names names_in_kernel(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches) {
  Names names = constants_of(source);
  for (size_t i = 0; i < matches.size(); ++i)
    if (matches[i].binding && !kernel.parameters[i].is_pointer && !kernel.parameters[i].name.empty())
      names[kernel.parameters[i].name] = matches[i].binding->expression;
  return names;
}

std::string rows_of(const Contract& contract) {
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.role != Role::input && tensor.shape.size() == 2 && !contract.dims.empty() &&
        tensor.shape[0] == contract.dims[0].name)
      return contract.dims[0].name;
  return "";
}

namespace {

using Tokens = std::vector<Token>;

bool mentions(const Tokens& tokens, std::string_view word) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& t) { return t.text == word; });
}

bool mentions_axis(const Tokens& tokens, std::string_view builtin, std::string_view axes) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i].text == builtin && axes.find(tokens[i + 2].text) != std::string_view::npos) return true;
  return false;
}

// Template parameters of type: their size is that of the case's elements.
void add_sizes(const KernelSource& kernel, Names& names) {
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i)
    if (kernel.template_kinds[i] == "typename" || kernel.template_kinds[i] == "class")
      names["sizeof " + kernel.template_parameters[i]] = "sizeof(T)";
}

// "dim3(a, b)", "{a, b}", a variable that was defined so, or one extent.
std::vector<Tokens> extents(const Tokens& spelling, const Scope& scope) {
  Tokens tokens = spelling;
  if (tokens.size() == 1 && !scope.names.contains(std::string(tokens[0].text))) {
    const Tokens defined = definition(scope.text, tokens[0].text);
    if (token_is(defined, 0, "dim3")) tokens = defined;
  }
  const size_t open = token_is(tokens, 0, "dim3") ? 1 : 0;
  const bool list = open == 1 || token_is(tokens, 0, "{");
  if (!list || open >= tokens.size() || closing(tokens, open) + 1 != tokens.size()) return {tokens};
  return split_at_commas(tokens, open + 1, tokens.size() - 1);
}

Result<std::vector<std::string>> resolved_extents(const std::vector<Tokens>& all, const Scope& scope) {
  std::vector<std::string> texts;
  for (const Tokens& extent : all) {
    auto text = resolved(extent, scope);
    if (!text) return tl::unexpected(text.error());
    texts.push_back(*text);
  }
  while (texts.size() > 1 && texts.back() == "1") texts.pop_back();
  return texts;
}

// Those that are about the op's sizes alone are what cases must keep to.
void add_conditions(const std::vector<std::string>& conditions, const Scope& scope, InferredLaunch& inferred) {
  for (const std::string& condition : conditions) {
    const auto text = resolved(tokens_of(condition), scope);
    std::vector<std::string>& all = inferred.requirements;
    if (text && std::find(all.begin(), all.end(), *text) == all.end()) all.push_back(*text);
  }
}

// The launch in the file, as far as its names can be followed.
class HostLaunch {
 public:
  HostLaunch(const LaunchSource& host, const CudaSource& source, const KernelSource& kernel,
             const std::vector<Match>& matches, const Contract& contract)
      : host_(host) {
    scope_.names = constants_of(source);
    add_sizes(kernel, scope_.names);
    for (const char* type : {"scalar_t", "T"}) scope_.names.try_emplace(fmt::format("sizeof {}", type), "sizeof(T)");
    for (size_t i = 0; i < std::min(matches.size(), host.arguments.size()); ++i)
      if (matches[i].binding && !kernel.parameters[i].is_pointer) {
        name(host.arguments[i], matches[i].binding->expression);
        for (const auto& [in_host, of_contract] : matches[i].binding->host_names) name(in_host, of_contract);
      }
    for (const std::string& condition : host.conditions) name_by_condition(tokens_of(condition));
    name_by_words(contract);
  }

  void infer(InferredLaunch& inferred) {
    add_conditions(host_.conditions, scope_, inferred);
    if (host_.configuration.size() < 2) return;
    block(inferred);
    if (auto grid = resolve(0)) {
      inferred.launch.grid = *grid;
      keep_whole(*grid, inferred);
      has_grid_ = true;
    } else {
      why_ = fmt::format("the launch in line {} computes it from '{}'", host_.line, grid.error().what);
    }
    if (host_.configuration.size() < 3) return;
    const auto shared = resolve(2);
    inferred.launch.shared = shared ? shared->front() : "?";
    if (!shared)
      inferred.unknown.push_back(
          fmt::format("the number of bytes of dynamic shared memory: the launch in line {} computes it from '{}'",
                      host_.line, shared.error().what));
  }

  bool has_grid() const { return has_grid_; }
  const std::string& why() const { return why_; }

  std::string remark() const { return fmt::format("The launch is that of line {}.", host_.line); }

 private:
  // The names that are a number wherever the launch is reached: those of `name == 128`, alone or among others.
  void name_by_condition(const Tokens& tokens) {
    if (mentions(tokens, "|") || mentions(tokens, "!") || mentions(tokens, "?")) return;
    for (size_t i = 0; i + 3 < tokens.size(); ++i) {
      if (!token_is(tokens, i + 1, "=") || !token_is(tokens, i + 2, "=")) continue;
      const bool begins = i == 0 || is_one_of(tokens[i - 1].text, {"(", "&"});
      const bool ends = i + 4 == tokens.size() || is_one_of(tokens[i + 4].text, {")", "&"});
      const Token &left = tokens[i], &right = tokens[i + 3];
      const bool name_first = left.is_word() && number_value(right.text),
                 number_first = number_value(left.text) && right.is_word();
      if (begins && ends && (name_first || number_first))
        scope_.names.try_emplace(std::string((name_first ? left : right).text), (name_first ? right : left).text);
    }
  }

  // Parameters of the launching function that the kernel is not given: what their words say, where that is one dim.
  void name_by_words(const Contract& contract) {
    for (const std::string& part : host_.configuration)
      for (const Token& token : tokens_of(part)) {
        const std::string word(token.text);
        if (!token.is_word() || scope_.names.contains(word)) continue;
        std::vector<std::string> dims;
        for (const Binding& binding : bindings_of(contract))
          if (binding.kind == Binding::dim && is_called_like(word, binding)) dims.push_back(binding.name);
        if (dims.size() == 1) scope_.names[word] = dims[0];
      }
  }

  // A grid of rows / 4 is its author's word that there are whole fours; one of (rows + 3) / 4 is rounded up.
  static void keep_whole(const std::vector<std::string>& grid, InferredLaunch& inferred) {
    for (const std::string& extent : grid) {
      const Tokens tokens = tokens_of(extent);
      if (tokens.size() < 3 || !token_is(tokens, tokens.size() - 2, "/") || !number_value(tokens.back().text)) continue;
      const std::string whole = extent.substr(0, tokens[tokens.size() - 2].at);
      if (whole.find_first_of("+-") != std::string::npos) continue;
      inferred.requirements.push_back(fmt::format("{}% {} == 0", whole, tokens.back().text));
    }
  }

  // A name that the launch passes for two of the op's sizes stands for neither.
  void name(const std::string& argument, const std::string& expression) {
    const auto [known, is_new] = named_.try_emplace(argument, expression);
    scope_.names[argument] = is_new || known->second == expression ? expression : "";
  }

  Result<std::vector<std::string>> resolve(size_t which) const {
    return resolved_extents(extents(tokens_of(host_.configuration[which]), scope_), scope_);
  }

  // Leaves the block size to be swept where the host's caller chooses it.
  void block(InferredLaunch& inferred) {
    auto block = resolve(1);
    const std::vector<Tokens> spelling = extents(tokens_of(host_.configuration[1]), scope_);
    if (!block && spelling.size() == 1) {
      const bool one_name = spelling[0].size() == 1 && spelling[0][0].is_word();
      scope_.names[one_name ? std::string(spelling[0][0].text) : block.error().what] = "block";
      block = resolve(1);
    }
    if (spelling.size() == 1 && mentions(spelling[0], "[")) block = std::vector<std::string>{"block"};  // of a table
    inferred.launch.block = block ? *block : std::vector<std::string>{"?"};
    if (!block)
      inferred.unknown.push_back(
          fmt::format("the block: the launch in line {} computes it from '{}'", host_.line, block.error().what));
  }

  const LaunchSource& host_;
  Scope scope_;
  Names named_;  // by the launch's own arguments
  bool has_grid_ = false;
  std::string why_;
};

// blockDim.x in an adapter's terms: the host's number where that is known, else what is swept.
std::string threads_of(const InferredLaunch& inferred) {
  const std::string& threads = inferred.launch.block.front();
  return threads == "?" ? "block" : threads;
}

// The grid that the kernel's indices need; the error is why it is unknown.
Result<std::string> grid_of_body(const BodyIndices& indices, const Contract& contract, InferredLaunch& inferred) {
  const Tokens& tokens = indices.tokens();
  const std::string threads = threads_of(inferred);
  if (mentions_axis(tokens, "blockIdx", "yz")) return fail("the kernel counts blocks along more than one axis");
  if (mentions_axis(tokens, "threadIdx", "yz")) return fail("the kernel counts threads along more than one axis");
  const auto bound = [&](const BodyIndices::Index& index) -> Result<std::string> {
    if (index.bound) return *index.bound;
    if (!index.bound.error().what.empty())
      return fail(fmt::format("'{}' is compared with '{}'", index.name, index.bound.error().what));
    const std::string rows = rows_of(contract);
    if (rows.empty()) return fail(fmt::format("'{}' is compared with nothing", index.name));
    return rows;
  };
  if (const auto warp = indices.find(IndexKind::warp)) {
    inferred.whole_warps = true;
    auto rows = bound(*warp);
    if (!rows) return rows;
    return "ceil_div(" + (rows->find(' ') == std::string::npos ? *rows : "(" + *rows + ")") + " * 32, " + threads + ")";
  }
  if (const auto thread = indices.find(IndexKind::thread)) {
    if (!thread->bound && thread->bound.error().what.empty())
      return fail(fmt::format("'{}' is compared with nothing", thread->name));
    auto count = bound(*thread);
    return count ? "ceil_div(" + *count + ", " + threads + ")" : count;
  }
  if (!mentions(tokens, "blockIdx")) return std::string("1");
  if (!indices.unknown_index().empty())
    return fail(fmt::format("'{}' is no thread, warp or block that is known here", indices.unknown_index()));
  if (const auto block = indices.find(IndexKind::block)) return bound(*block);
  const std::string rows = rows_of(contract);
  if (rows.empty()) return fail("what a block works on is not one row");
  return rows;
}

// A kernel that uses threadIdx and never reads blockDim is written for one block size, which its text does not show.
void ask_for_block(const KernelSource& kernel, const Tokens& body, InferredLaunch& inferred) {
  const bool open = inferred.launch.block == AdapterLaunch{}.block;
  const bool groups = mentions(body, "meta_group_size");  // a cooperative group asks for it
  if (!open || groups || mentions(body, "blockDim") || !mentions(body, "threadIdx")) return;
  inferred.launch.block = {"?"};
  inferred.unknown.push_back(fmt::format(
      "the block of {}: it has a number of threads built in, because it never reads blockDim", kernel.name));
}

void ask_for_shared(const Tokens& body, InferredLaunch& inferred) {
  for (size_t i = 0; i + 2 < body.size(); ++i) {
    if (!token_is(body, i, "extern") || !token_is(body, i + 1, "__shared__") || inferred.launch.shared != "0") continue;
    size_t end = i;
    while (end < body.size() && !token_is(body, end, ";")) ++end;
    inferred.launch.shared = "?";
    inferred.unknown.push_back(fmt::format(
        "the number of bytes of dynamic shared memory: the kernel has `{}`",
        spelled({body.begin() + static_cast<std::ptrdiff_t>(i), body.begin() + static_cast<std::ptrdiff_t>(end)})));
  }
}

}  // namespace

const LaunchSource* own_launch(const CudaSource& source, const KernelSource& kernel, const TemplateValues& values) {
  const auto has_values = [&](const LaunchSource& launch) {
    if (!kernel.specialised_for.empty()) return launch.template_arguments == kernel.specialised_for;
    for (size_t i = 0; i < std::min(launch.template_arguments.size(), kernel.template_parameters.size()); ++i)
      if (const auto value = values.find(kernel.template_parameters[i]);
          value != values.end() && value->second != launch.template_arguments[i])
        return false;
    return true;
  };
  for (const LaunchSource& launch : source.launches)
    if (kernel_of(launch.kernel) == kernel.name && has_values(launch)) return &launch;
  return nullptr;
}

InferredLaunch infer_launch(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches,
                            const Contract& contract, const TemplateValues& template_values) {
  InferredLaunch inferred;
  inferred.whole_warps = works_by_warps(kernel);
  std::string why = "the file does not launch it";
  add_conditions(kernel.requirements, {names_in_kernel(source, kernel, matches), {}}, inferred);
  if (const LaunchSource* host = own_launch(source, kernel, template_values)) {
    HostLaunch launch(*host, source, kernel, matches, contract);
    launch.infer(inferred);
    if (launch.has_grid()) {
      inferred.remarks.push_back(launch.remark());
      return inferred;
    }
    if (!launch.why().empty()) why = launch.why();
  }
  const BodyIndices indices(kernel, names_in_kernel(source, kernel, matches));
  const auto grid = grid_of_body(indices, contract, inferred);
  if (grid) {
    inferred.launch.grid = {*grid};
    inferred.remarks.push_back(fmt::format("The grid is what the indices of {} ask for: {}.", kernel.name, why));
  } else {
    inferred.launch.grid = {"?"};
    inferred.unknown.push_back(fmt::format("the grid of {}: {}, and {}", kernel.name, why, grid.error().what));
  }
  ask_for_block(kernel, indices.tokens(), inferred);
  ask_for_shared(indices.tokens(), inferred);
  return inferred;
}

}  // namespace assay
