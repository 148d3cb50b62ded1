// Following pointers through the text of a body, assignment by assignment.
#include "harness/adapter/pointer_use.h"

#include <algorithm>
#include <optional>

#include "harness/adapter/cuda_text.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

class Follower {
 public:
  explicit Follower(const KernelSource& kernel) : tokens_(tokens_of(kernel.body)) {
    for (const Parameter& parameter : kernel.parameters)
      if (parameter.is_pointer && !parameter.name.empty()) roots_[parameter.name] = parameter.name;
  }

  std::map<std::string, PointerUse> follow() {
    for (const auto& [name, root] : roots_) uses_[root];
    for (size_t i = 0; i < tokens_.size(); ++i) {
      go_to(i);
      const auto root = roots_.find(std::string(tokens_[i].text));
      if (root == roots_.end() || token_is(tokens_, i - 1, ".")) continue;
      if (alias(i, root->second)) continue;
      use(i, uses_[root->second]);
    }
    return std::move(uses_);
  }

 private:
  // Keeps what stands before token i: where its statement begins and assigns first, and what is open around it.
  void go_to(size_t i) {
    if (i > 0 && is_one_of(tokens_[i - 1].text, {";", "{", "}"})) {
      statement_ = i;
      assigned_.reset();
      open_.clear();
    }
    if (i > 0 && token_is(tokens_, i - 1, "(")) open_.push_back(i - 1);
    if (i > 0 && token_is(tokens_, i - 1, ")") && !open_.empty()) open_.pop_back();
    if (!assigned_ && i >= statement_ + 2 && token_is(tokens_, i - 1, "=") && !token_is(tokens_, i, "=") &&
        tokens_[i - 2].is_word())
      assigned_ = i - 2;
  }

  // float* row = p + …: `row` is p from here on.
  bool alias(size_t i, const std::string& root) {
    if (!assigned_) return false;
    const bool pointer = *assigned_ > statement_ + 1 && is_one_of(tokens_[*assigned_ - 1].text, {"*", "__restrict__"});
    const bool element = token_is(tokens_, i + 1, "[") && !token_is(tokens_, i - 1, "&");
    if (!pointer || element) return false;
    roots_.try_emplace(std::string(tokens_[*assigned_].text), root);
    return true;
  }

  // The token behind the element that the pointer at i stands in: p[i], p[i].x, FLOAT4(p[i]), cast<float4*>(p)[i].
  size_t behind(size_t i) const {
    size_t at = i + 1;
    while (at < tokens_.size()) {
      if (token_is(tokens_, at, "["))
        at = closing(tokens_, at) + 1;
      else if (token_is(tokens_, at, "."))
        at += 2;
      else if (token_is(tokens_, at, ")"))
        ++at;
      else
        break;
    }
    return at;
  }

  bool is_number_in_brackets(size_t open) const {
    const bool number =
        open + 1 < tokens_.size() && tokens_[open + 1].text[0] >= '0' && tokens_[open + 1].text[0] <= '9';
    return number && token_is(tokens_, open + 2, "]");
  }

  bool overwritten(size_t at) const { return token_is(tokens_, at, "=") && !token_is(tokens_, at + 1, "="); }

  bool assigned(size_t at) const {
    if (token_is(tokens_, at, "=")) return overwritten(at);
    return at + 1 < tokens_.size() && is_one_of(tokens_[at].text, {"+", "-", "*", "/", "|", "&", "^"}) &&
           token_is(tokens_, at + 1, "=") && tokens_[at + 1].at == tokens_[at].at + 1;
  }

  // The function whose argument token i begins, behind an & perhaps; "" when it begins none.
  std::string_view called_with(size_t i) const {
    size_t at = i;
    if (at > 0 && token_is(tokens_, at - 1, "&")) --at;
    if (at < 2 || !is_one_of(tokens_[at - 1].text, {"(", ","}) || open_.empty() || open_.back() == 0) return "";
    return tokens_[open_.back() - 1].is_word() ? tokens_[open_.back() - 1].text : "";
  }

  void use(size_t i, PointerUse& use) {
    const bool element = token_is(tokens_, i + 1, "[") || token_is(tokens_, i + 1, ")");
    const bool starred = i > 0 && token_is(tokens_, i - 1, "*");
    use.indexed |= element || starred;
    use.many |= token_is(tokens_, i + 1, "[") && !is_number_in_brackets(i + 1);
    use.written |= element && assigned(behind(i));
    use.written |= starred && assigned(i + 1);
    const bool summed = i > 1 && token_is(tokens_, i - 1, "(") && token_is(tokens_, i - 2, "*");  // *(p + i) = …
    const size_t after = summed ? std::min(closing(tokens_, i - 1) + 1, tokens_.size()) : element ? behind(i) : i + 1;
    use.indexed |= summed;
    use.written |= summed && assigned(after);
    const std::string_view function = called_with(i);
    const bool address = token_is(tokens_, i - 1, "&") || !token_is(tokens_, i + 1, "[");
    use.read |= (element || starred || summed) && !overwritten(after) && (function.empty() || !address);
    if (function.empty() || !address) return;
    if (function.starts_with("atomic")) {
      use.added_to |= function == "atomicAdd";
      use.written = true;
    } else if (function.starts_with("__st") || function.starts_with("store")) {
      use.written = true;
    } else if (function.starts_with("__ld") || function.starts_with("load")) {
      use.read = true;
    } else if (!function.ends_with("_cast")) {
      use.passed = true;
    }
  }

  Tokens tokens_;
  std::map<std::string, std::string> roots_;  // of every pointer: the parameter that it was made from
  std::map<std::string, PointerUse> uses_;
  size_t statement_ = 0;            // where the one of this token begins
  std::optional<size_t> assigned_;  // the word before its first =
  std::vector<size_t> open_;        // its ( that are open
};

}  // namespace

// Every op that a kernel is compared with asks for the same.
std::map<std::string, PointerUse> pointer_uses(const KernelSource& kernel) {
  if (!kernel.uses.empty()) return kernel.uses;
  thread_local std::string asked_before;
  thread_local std::map<std::string, PointerUse> answer;
  std::string asked = kernel.body;
  for (const Parameter& parameter : kernel.parameters)
    if (parameter.is_pointer) asked += "\n" + parameter.name;
  if (asked != asked_before) {
    answer = Follower(kernel).follow();
    asked_before = std::move(asked);
  }
  return answer;
}

std::map<std::string, PointerUse> uses_in_kernels(const CudaSource& source, const FunctionSource& launcher) {
  std::map<std::string, PointerUse> uses;
  for (const LaunchSource& launch : source.launches) {
    if (function_of(source, launch) != &launcher) continue;
    const std::string name = launch.kernel.substr(0, launch.kernel.find_first_of("< "));
    for (const KernelSource& kernel : source.kernels) {
      if (kernel.name != name) continue;
      const auto inner = pointer_uses(kernel);
      for (size_t i = 0; i < std::min(launch.arguments.size(), kernel.parameters.size()); ++i) {
        const std::vector<Token> argument = tokens_of(launch.arguments[i]);  // (floatX*)losses is losses
        const auto use = inner.find(kernel.parameters[i].name);
        if (argument.empty() || use == inner.end()) continue;
        PointerUse& outer = uses[std::string(argument.back().text)];
        outer.indexed |= use->second.indexed;
        outer.written |= use->second.written;
        outer.added_to |= use->second.added_to;
        outer.read |= use->second.read;
        outer.passed |= use->second.passed;
        outer.many |= use->second.many;
      }
    }
  }
  return uses;
}

std::map<std::string, PointerUse> pointer_uses(const CudaSource& source, const FunctionSource& launcher) {
  std::map<std::string, PointerUse> uses = pointer_uses(launcher);
  for (const auto& [name, inner] : uses_in_kernels(source, launcher))
    if (const auto outer = uses.find(name); outer != uses.end()) outer->second.many |= inner.many;
  return uses;
}

Shown shown_role(const std::map<std::string, PointerUse>& uses, const std::string& parameter) {
  const auto found = uses.find(parameter);
  if (found == uses.end()) return Shown::nothing;
  if (found->second.written) return Shown::output;
  const bool another = std::any_of(uses.begin(), uses.end(), [](const auto& use) { return use.second.written; });
  return another && found->second.indexed && !found->second.passed ? Shown::input : Shown::nothing;
}

}  // namespace assay
