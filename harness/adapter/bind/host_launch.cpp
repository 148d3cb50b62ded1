// Following the names of a launch, and guessing what those stand for that end at a tensor's method or a caller.
#include "harness/adapter/bind/host_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/adapter/bind/probe.h"
#include "harness/adapter/bind/quotients.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/body_indices.h"
#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;
using Texts = std::vector<std::string>;

constexpr size_t kFilledMax = 12;
constexpr const char* kWarp = "32";
constexpr int64_t kSizeMin = 8;  // a smaller number in a grid may be any other

// Template parameters of type: their size is that of the case's elements.
void add_sizes(const KernelSource& kernel, Names& names) {
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i)
    if (kernel.template_parameters[i].is_type()) names["sizeof " + kernel.template_parameters[i].name] = "sizeof(T)";
}

// "dim3(a, b)", "{a, b}", or one extent.
std::vector<Tokens> extents(const Tokens& tokens) {
  const size_t open = token_is(tokens, 0, "dim3") ? 1 : 0;
  const bool list = open == 1 || token_is(tokens, 0, "{");
  if (!list || open >= tokens.size() || closing(tokens, open) + 1 != tokens.size()) return {tokens};
  return split_at_commas(tokens, open + 1, tokens.size() - 1);
}

void drop_ones(std::vector<std::string>& extents) {
  while (extents.size() > 1 && extents.back() == "1") extents.pop_back();
}

Result<std::vector<std::string>> resolved_extents(const std::vector<Tokens>& all, const Names& names) {
  std::vector<std::string> texts;
  for (const Tokens& extent : all) {
    auto text = resolved(extent, names);
    if (!text) return tl::unexpected(text.error());
    texts.push_back(*text);
  }
  drop_ones(texts);
  return texts;
}

// a, b and c of ((a && b) && c): what one of them says is known where another is about no size, as an address.
std::vector<Tokens> conjuncts(const Tokens& tokens) {
  if (token_is(tokens, 0, "(") && closing(tokens, 0) + 1 == tokens.size())
    return conjuncts({tokens.begin() + 1, tokens.end() - 1});
  std::vector<Tokens> all(1);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (token_is(tokens, i, "|") || token_is(tokens, i, "?")) return {tokens};
    const bool is_and = token_is(tokens, i, "&") && token_is(tokens, i + 1, "&");
    const size_t end = token_is(tokens, i, "(") ? std::min(closing(tokens, i), tokens.size() - 1) : i;
    if (is_and)
      all.emplace_back(), ++i;
    else
      all.back().insert(all.back().end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                        tokens.begin() + static_cast<std::ptrdiff_t>(end) + 1);
    if (!is_and) i = end;
  }
  if (all.size() == 1) return all;
  std::vector<Tokens> parts;
  for (const Tokens& each : all)
    for (Tokens& part : conjuncts(each)) parts.push_back(std::move(part));
  return parts;
}

// Adds conditions that are not there yet.
void require(const std::vector<std::string>& conditions, InferredLaunch& inferred) {
  for (const std::string& condition : conditions)
    if (std::ranges::find(inferred.requirements, condition) == inferred.requirements.end())
      inferred.requirements.push_back(condition);
}

}  // namespace

bool is_of_equals(const std::string& condition) {
  const size_t at = condition.find(" == ");
  return at != std::string::npos && condition.substr(0, at) == condition.substr(at + 4);
}

void add_conditions(const std::vector<std::string>& conditions, const Names& names, InferredLaunch& inferred) {
  for (const std::string& condition : conditions)
    for (const Tokens& part : conjuncts(tokens_of(condition))) {
      const auto text = resolved(part, names);
      if (text && !is_of_equals(*text)) require({*text}, inferred);
    }
}

HostLaunch::HostLaunch(const LaunchSource& host, const CudaSource& source, const KernelSource& kernel,
                       const std::vector<Match>& matches, const Contract& contract)
    : host_(host),
      configuration_(host.configuration),
      shares_memory_(!kernel.facts.dynamic_shared.empty()),
      by_warps_(kernel.facts.numbers.contains(32) || kernel.facts.builtins.contains("warpSize")),
      reads_block_(kernel.facts.uses("blockDim")),
      is_of_one_axis_(!kernel.facts.uses("threadIdx", "yz")) {
  const FunctionSource* around = function_of(source, host);
  of_one_run_ = around && (around->parameters.empty() || around->name == "main");
  names_ = constants_of(source);
  add_sizes(kernel, names_);
  for (const char* type : {"scalar_t", "T"}) names_.try_emplace(fmt::format("sizeof {}", type), "sizeof(T)");
  const std::set<std::string> guarding = guarding_names(kernel.facts);
  for (size_t i = 0; i < std::min(matches.size(), host.arguments.size()); ++i)
    if (matches[i].binding && !kernel.parameters[i].is_pointer) {
      if (guarding.contains(kernel.parameters[i].name)) guarded_.insert(matches[i].binding->expression);
      name(host.arguments[i], matches[i].binding->expression);
      if (const auto value = i < host.values.size() ? number_value(host.values[i]) : std::nullopt;
          value && matches[i].binding->kind == Binding::dim)
        values_of_sizes_.emplace(matches[i].binding->expression, *value);
      if (matches[i].binding->kind == Binding::dim && number_value(host.arguments[i]))
        numbers_for_sizes_.emplace(host.arguments[i], matches[i].binding->expression);
      for (const auto& [in_host, of_contract] : matches[i].binding->host_names) name(in_host, of_contract);
      if (!matches[i].binding->host_names.empty()) computed_.push_back(matches[i].binding->expression);
    }
  for (const std::string& condition : host.conditions) name_by_condition(tokens_of(condition));
  replace_computed();
  for (const DimSpec& dim : contract.dims) {
    if (!is_extent(contract, dim)) continue;
    const bool is_taken = std::ranges::any_of(matches, [&](const Match& match) {
      return match.binding && mentions(tokens_of(match.binding->expression), dim.name);
    });
    (is_taken ? others_ : untaken_).push_back(dim.name);
  }
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.role != Role::input && tensor.shape.size() > 1 && elements_.empty())
      elements_ = fmt::format("{}", fmt::join(tensor.shape, " * "));
  name_by_words(contract);
}

void HostLaunch::infer(InferredLaunch& inferred) {
  add_conditions(host_.conditions, names_, inferred);
  require(whole_parts_of(computed_, {}), inferred);
  if (host_.configuration.size() < 2) return;
  block(inferred);
  keep_to_threads(inferred);
  if (auto grid = resolve(0)) {
    only_size_ = size_covered(*grid, inferred.launch.block);
    const bool is_open = is_of_a_number(*grid, inferred.launch.block) || !only_size_.empty();
    auto sizes = numbers_for_sizes_;
    std::erase_if(sizes, [&](const auto& size) {
      return *number_value(size.first) < kSizeMin || (size.first == kWarp && by_warps_);
    });
    for (std::string& extent : *grid) extent = rounded_up(with_tokens(extent, sizes));
    inferred.launch.grid = *grid;
    require(whole_parts_of(*grid, guarded_), inferred);
    has_grid_ = true;
    const std::string& block = inferred.launch.block.front();
    const bool is_any = block == "block";
    if (block != "?" && !is_open && !(is_any && by_words_))
      (by_words_ ? inferred.filled_line : is_any ? inferred.any_block_line : inferred.authors_line) = host_.line;
  } else {
    why_ = fmt::format("the launch in line {} computes it from '{}'", host_.line, grid.error().what);
  }
  if (host_.configuration.size() < 3) return;
  const auto shared = resolve(2);
  inferred.launch.shared = shared ? shared->front() : shares_memory_ ? "?" : "0";
  if (!shared && shares_memory_)
    inferred.unknown.push_back(
        fmt::format("the number of bytes of dynamic shared memory: the launch in line {} computes it from '{}'",
                    host_.line, shared.error().what));
}

// Several blocks by a number, beside a number for a size, are those for that size; and in a grid whose block has the
// same number, nobody knows which of the two a number is, nor of 32 in that of a kernel which counts warps.
bool HostLaunch::is_of_a_number(const std::vector<std::string>& grid, const std::vector<std::string>& block) const {
  const auto is_number = [](const std::string& text) { return number_value(text).has_value(); };
  const auto is_threads = [&](const auto& size) { return std::ranges::find(block, size.first) != block.end(); };
  const auto has_warp = [](const std::string& text) { return mentions(tokens_of(text), kWarp); };
  if (by_warps_ && numbers_for_sizes_.contains(kWarp) && std::ranges::any_of(grid, has_warp)) return true;
  return !numbers_for_sizes_.empty() &&
         ((std::ranges::all_of(grid, is_number) &&
           std::ranges::any_of(grid, [](const std::string& text) { return text != "1"; })) ||
          std::ranges::any_of(numbers_for_sizes_, is_threads));
}

// A grid that counts one size along two axes, and another one, which indices are compared with as well, along none:
// with the numbers of a main() it is right, as N by N is for N = 1024 rows of 64, and says nothing of others.
std::string HostLaunch::sizes_counted_by_another(const std::vector<std::string>& grid) const {
  std::vector<std::string> all;
  bool is_twice = false, is_missed = false;
  for (const auto& [size, value] : values_of_sizes_) {
    const auto count = std::ranges::count_if(grid, [&](const auto& each) { return mentions(tokens_of(each), size); });
    is_twice |= count > 1;
    is_missed |= count == 0 && guarded_.contains(size);
    all.push_back(fmt::format("{} = {}", size, value));
  }
  return is_twice && is_missed ? fmt::format("{}", fmt::join(all, " and ")) : "";
}

// A grid and block by numbers that have a thread for each element of the one size that is passed say nothing of other
// sizes.
std::string HostLaunch::size_covered(const std::vector<std::string>& grid,
                                     const std::vector<std::string>& block) const {
  int64_t threads = 1, of_block = 1;
  for (const auto* extents : {&grid, &block})
    for (const std::string& extent : *extents) {
      const auto number = number_value(extent);
      if (!number) return sizes_counted_by_another(grid);
      threads *= *number;
      if (extents == &block) of_block *= *number;
    }
  const auto known = std::ranges::find_if(values_of_sizes_, [&](const auto& size) {
    return is_guarded(size.first, guarded_) && size.second <= threads && threads < size.second + of_block;
  });
  if (known != values_of_sizes_.end()) return fmt::format("{} = {}", known->first, known->second);
  const bool is_known = std::ranges::any_of(
      guarded_, [&](const std::string& size) { return values_of_sizes_.contains(size) || number_value(size); });
  return of_one_run_ && !guarded_.empty() && !is_known ? "the sizes of its function" : "";
}

// N / 16 of a launch for N = 2048 alone, of a kernel that compares its indices with N: as well (N + 15) / 16.
std::string HostLaunch::rounded_up(const std::string& extent) const {
  const auto quotient = quotient_of(extent);
  if (!quotient || !is_guarded(quotient->size, guarded_)) return extent;
  const auto known = values_of_sizes_.find(quotient->size);
  const int64_t divisor = number_value(quotient->divisor).value_or(0);
  return divisor > 0 && known != values_of_sizes_.end() && known->second % divisor == 0
             ? fmt::format("ceil_div({}, {})", quotient->size, divisor)
             : extent;
}

// The names that are a number wherever the launch is reached: those of `name == 128`, alone or among others.
void HostLaunch::name_by_condition(const Tokens& tokens) {
  if (mentions(tokens, "|") || mentions(tokens, "!") || mentions(tokens, "?")) return;
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!token_is(tokens, i + 1, "=") || !token_is(tokens, i + 2, "=")) continue;
    const bool begins = i == 0 || is_one_of(tokens[i - 1].text, {"(", "&"});
    const bool ends = i + 4 == tokens.size() || is_one_of(tokens[i + 4].text, {")", "&"});
    const Token &left = tokens[i], &right = tokens[i + 3];
    const bool name_first = left.is_word() && number_value(right.text),
               number_first = number_value(left.text) && right.is_word();
    if (begins && ends && (name_first || number_first))
      names_.try_emplace(std::string((name_first ? left : right).text), (name_first ? right : left).text);
  }
}

// Parameters of the launching function that the kernel is not given: what their words say, where that is one dim that
// nothing takes. A letter says so of a block alone: C threads for a row of C.
void HostLaunch::name_by_words(const Contract& contract) {
  for (size_t i = 0; i < configuration_.size(); ++i)
    for (const Token& token : tokens_of(configuration_[i])) {
      const std::string word(token.text);
      const bool is_dim = std::ranges::find(untaken_, word) != untaken_.end();
      if (!token.is_word() || (word.size() < 2 && !is_dim && i != 1) || names_.contains(word)) continue;
      std::vector<std::string> dims;
      for (const Binding& binding : bindings_of(contract))
        if (binding.kind == Binding::dim && is_called_like(word, binding) &&
            std::ranges::find(others_, binding.name) == others_.end())
          dims.push_back(binding.name);
      if (dims.size() != 1) continue;
      const bool is_part = std::ranges::any_of(names_, [&](const auto& each) { return each.second == dims[0]; });
      names_[word] = is_part ? "1" : dims[0];  // batches * tokens are all tokens
      by_words_ = true;
    }
}

// The N of (rows * cols + 255) / 256, where the launch passes rows * cols for N.
void HostLaunch::replace_computed() {
  for (const auto& [argument, expression] : named_) {
    if (argument.find(' ') == std::string::npos) continue;
    replace(argument, expression);
  }
}

// Has a name for `expression` wherever grid, block and shared memory have `text`.
void HostLaunch::replace(std::string text, const std::string& expression) {
  const std::string name = fmt::format("argument_{}", names_.size());
  names_[name] = expression;
  for (std::string& part : configuration_)
    for (size_t at = part.find(text); at != std::string::npos; at = part.find(text, at))
      part.replace(at, text.size(), name);
}

// A name that the launch passes for two of the op's sizes stands for neither.
void HostLaunch::name(const std::string& argument, const std::string& expression) {
  const auto [known, is_new] = named_.try_emplace(argument, expression);
  names_[argument] = is_new || known->second == expression ? expression : "";
}

Result<std::vector<std::string>> HostLaunch::resolve(size_t which) const {
  return resolved_extents(extents(tokens_of(configuration_.at(which))), names_);
}

// Leaves the block size to be swept where the host's caller chooses it.
void HostLaunch::block(InferredLaunch& inferred) {
  auto block = resolve(1);
  const std::vector<Tokens> spelling = extents(tokens_of(configuration_[1]));
  if (!block && spelling.size() == 1) {
    const bool one_name = spelling[0].size() == 1 && spelling[0][0].is_word();
    names_[one_name ? std::string(spelling[0][0].text) : block.error().what] = "block";
    block = resolve(1);
  }
  // dim3(block_x, block_y, block_z) of a caller's numbers
  if (!block && is_of_one_axis_ && spelling.size() > 1 && spelling[0].size() == 1 && spelling[0][0].is_word())
    block = std::vector<std::string>{"block"};
  if (spelling.size() == 1 && mentions(spelling[0], "[")) block = std::vector<std::string>{"block"};  // of a table
  if (!block && reads_block_ && is_of_one_axis_) {  // by a function of the host's, say
    inferred.guesses.emplace_back("blocks have any size");
    block = std::vector<std::string>{"block"};
    if (spelling.size() == 1) replace(configuration_[1], "block");
  }
  inferred.launch.block = block ? *block : std::vector<std::string>{"?"};
  if (!block)
    inferred.unknown.push_back(
        fmt::format("the block: the launch in line {} computes it from '{}'", host_.line, block.error().what));
}

// A block of a dim's threads is refused by every GPU where the dim is 0 or more than 1024, which its author knows.
void HostLaunch::keep_to_threads(InferredLaunch& inferred) const {
  const std::vector<std::string>& extents = inferred.launch.block;
  const auto is_extent = [&](const std::string& dim) { return extents.size() == 1 && extents[0] == dim; };
  if (std::ranges::any_of(others_, is_extent) || std::ranges::any_of(untaken_, is_extent))
    for (const char* limit : {" > 0", " <= 1024"}) inferred.requirements.push_back(extents[0] + limit);
}

namespace {

struct Guess {
  std::string extent, sentence;  // "": nothing was guessed
  int cost = 0;
};

// An extent with values where a name means nothing: in the place of that name, or else of the whole. `is_first`: of the
// grid's extents, which counts rows; a name beside others and a second extent mostly count one batch.
std::vector<Guess> guesses_of(const Tokens& extent, const Names& names, bool is_first, const Texts& untaken,
                              const Texts& others, const std::string& elements) {
  const auto text = resolved(extent, names);
  if (text) return {{*text, ""}};
  const std::string& unknown = text.error().what;
  const auto with = [&](const std::string& value) {
    Names known = names;
    known[unknown] = value;
    return resolved(extent, known);
  };
  const bool is_whole = !with("1") || extent.size() == 1;
  if (is_whole && mentions(extent, "/")) return {};  // of several unknowns, which no size stands for
  Texts values = untaken;
  if (const auto one = with("1"))  // B of B * NH * T is neither of the heads nor of the tokens
    std::erase_if(values, [&](const std::string& value) { return mentions(tokens_of(*one), value); });
  values.insert(is_first ? values.end() : values.begin(), "1");
  values.insert(is_first && is_whole ? values.end() - 1 : values.end(), others.begin(), others.end());
  if (!elements.empty() && !is_whole)  // n / cols counts rows
    values.insert(mentions(extent, "/") ? values.begin() : values.end(), elements);
  std::vector<Guess> all;
  for (const std::string& value : values)
    all.push_back({is_whole ? value : with(value).value_or(value),
                   fmt::format("{} is {}", is_whole ? spelled(extent) : unknown, value), static_cast<int>(all.size())});
  return all;
}

}  // namespace

std::vector<InferredLaunch> HostLaunch::filled(const InferredLaunch& inferred, const std::string& shared) const {
  if (has_grid_ || host_.configuration.size() < 2) return {};
  InferredLaunch first = inferred;
  first.unknown.clear();
  if (first.launch.block.front() == "?") first.launch.block = {"block"};
  if (first.launch.shared == "?") {
    first.launch.shared = shared;
    first.guesses.push_back(fmt::format("{} bytes of dynamic shared memory suffice", shared));
  }
  first.launch.grid.clear();
  first.filled_line = host_.line;
  first.remarks.push_back(remark());
  std::vector<InferredLaunch> all = {std::move(first)};
  for (const Tokens& extent : extents(tokens_of(configuration_[0]))) {
    const bool is_first = all.front().launch.grid.empty();
    std::vector<InferredLaunch> more;
    for (const InferredLaunch& launch : all)
      for (const Guess& guess : guesses_of(extent, names_, is_first, untaken_, others_, elements_)) {
        InferredLaunch one = launch;
        one.launch.grid.push_back(guess.extent);
        if (!guess.sentence.empty()) one.row_guesses.push_back(guess.sentence);
        one.cost += guess.cost;
        if (!guess.sentence.empty() && !launch.row_guesses.empty()) ++one.cost;  // one more hole
        more.push_back(std::move(one));
      }
    std::ranges::stable_sort(more, {}, &InferredLaunch::cost);
    if (more.size() > kFilledMax) more.resize(kFilledMax);
    if (more.empty()) return {};
    all = std::move(more);
  }
  for (InferredLaunch& launch : all) drop_ones(launch.launch.grid);
  return all;
}

std::string HostLaunch::remark() const {
  const std::string file = std::filesystem::path(host_.file).filename();
  const std::string of = host_.function || file.empty() ? "" : " of " + file;
  return fmt::format("The launch is that of line {}{}.", host_.line, of);
}

}  // namespace assay
