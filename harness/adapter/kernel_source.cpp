// Finding kernels and launches among the tokens of a CUDA file.
#include "harness/adapter/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/function_source.h"
#include "harness/adapter/launch_syntax.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

constexpr size_t kInstancesMax = 256;  // of a kernel, at most

class Reader {
 public:
  explicit Reader(std::string_view code) : code_(code), tokens_(tokens_of(code)) {}

  Result<CudaSource> read() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const std::string_view text = tokens_[at_].text;
      if (text == "template" && is(at_ + 1, "<")) {
        template_open_ = at_ + 1;
        at_ = end_of_template_head(tokens_, at_ + 1);
      } else if (text == "template") {
        instance();
      } else if (text == "namespace") {
        open_namespace();
      } else if (text == "__global__") {
        if (auto error = kernel()) return tl::unexpected(*error);
      } else if (is_launch(tokens_, at_)) {
        launch();
      } else if (text == "{" || text == "}" || text == ";") {
        template_open_ = 0;
        if (auto error = brace(text)) return tl::unexpected(*error);
      }
    }
    if (!scopes_.empty())
      return fail(fmt::format("line {}: this {{ is never closed", scopes_.back().line), "balance the file's braces");
    for (const auto& [kernel, arguments] : instances_) add_instance(kernel, arguments);
    return std::move(source_);
  }

 private:
  struct Scope {
    std::string name;  // of a namespace
    int line;
  };

  bool is(size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }

  std::optional<Error> brace(std::string_view text) {
    if (text == "{") scopes_.push_back({"", tokens_[at_].line});
    if (text != "}") return std::nullopt;
    if (scopes_.empty())
      return Error{fmt::format("line {}: this }} closes nothing", tokens_[at_].line), "balance the file's braces"};
    scopes_.pop_back();
    return std::nullopt;
  }

  // namespace a::b {, namespace {; not namespace a = b; nor using namespace a;
  void open_namespace() {
    size_t i = at_ + 1;
    std::string name;
    for (; i < tokens_.size() && (tokens_[i].is_word() || is(i, "::")); ++i) name += tokens_[i].text;
    if (!is(i, "{")) return;
    scopes_.push_back({name, tokens_[i].line});
    at_ = i;
  }

  std::string qualified(const std::string& name) const {
    std::string all;
    for (const Scope& scope : scopes_)
      if (!scope.name.empty()) all += scope.name + "::";
    return all + name;
  }

  // From __global__ to the name, over what may stand between: void, __launch_bounds__(256), attributes.
  size_t kernel_name() const {
    for (size_t i = at_ + 1; i < tokens_.size() && !is_one_of(tokens_[i].text, {";", "{", "__global__"}); ++i) {
      if (!is(i, "(") || !tokens_[i - 1].is_word()) continue;
      const size_t close = closing(tokens_, i);
      const bool more = close + 1 < tokens_.size() && tokens_[close + 1].is_word();
      const bool annotation =
          tokens_[i - 1].text.starts_with("__") || (more && !tokens_[close + 1].text.starts_with("__"));
      if (!annotation) return i - 1;
      i = close;
    }
    return tokens_.size();
  }

  // Prototypes, specialisations and names made by macros are passed over.
  std::optional<Error> kernel() {
    const size_t name = kernel_name();
    if (name == tokens_.size()) return std::nullopt;
    const size_t close = closing(tokens_, name + 1);
    size_t open_body = close;
    while (open_body < tokens_.size() && !is_one_of(tokens_[open_body].text, {"{", ";", "__global__"})) ++open_body;
    if (!is(open_body, "{") || is(close + 1, "(")) return std::nullopt;
    const size_t close_body = closing(tokens_, open_body);
    if (close_body == tokens_.size())
      return Error{fmt::format("line {}: this {{ is never closed", tokens_[open_body].line),
                   "balance the file's braces"};
    KernelSource kernel;
    kernel.name = tokens_[name].text;
    kernel.qualified_name = qualified(kernel.name);
    kernel.line = tokens_[name].line;
    kernel.parameters = read_parameters(tokens_, name + 1, close);
    if (kernel.parameters.size() > kParametersMax)
      return Error{
          fmt::format("line {}: kernel '{}' has {} parameters", kernel.line, kernel.name, kernel.parameters.size()),
          fmt::format("give it {} at most, or a struct", kParametersMax)};
    for (const Parameter& parameter : kernel.parameters)
      if (parameter.type.ends_with("&"))
        return Error{fmt::format("line {}: parameter '{}' of kernel '{}' is a reference", parameter.line,
                                 parameter.name, kernel.name),
                     "kernels take numbers and pointers"};
    if (template_open_ > 0) read_template_head(tokens_, template_open_, kernel);
    const size_t begin = tokens_[open_body].at + 1;
    kernel.body = code_.substr(begin, tokens_[close_body].at - begin);
    keep(std::move(kernel));
    return std::nullopt;
  }

  // template __global__ void a::k<float, 8>(…); with or without extern.
  void instance() {
    size_t end = at_ + 1, open = tokens_.size();
    bool is_kernel = false;
    for (; end < tokens_.size() && !is(end, ";") && !is(end, "{"); ++end) {
      is_kernel |= is(end, "__global__");
      if (!is(end, "<") || open != tokens_.size()) continue;
      open = end;
      end = closing(tokens_, open);
    }
    if (!is_kernel || !is(end, ";") || open == tokens_.size()) return;
    std::vector<std::string> arguments;
    for (const Tokens& argument : split_at_commas(tokens_, open + 1, closing(tokens_, open)))
      arguments.push_back(spelled(argument));
    instances_.emplace_back(tokens_[open - 1].text, std::move(arguments));
    at_ = end;
  }

  // Arguments that it leaves out are the template's defaults; where one is missing, nothing is known of the instance.
  void add_instance(const std::string& name, const std::vector<std::string>& arguments) {
    for (KernelSource& kernel : source_.kernels) {
      if (kernel.name != name || arguments.size() > kernel.template_parameters.size()) continue;
      std::vector<std::string> all = arguments;
      for (size_t i = all.size(); i < kernel.template_parameters.size(); ++i)
        all.push_back(kernel.template_defaults[i]);
      const auto same = [&](const KernelInstance& other) { return other.arguments == all; };
      if (std::find(all.begin(), all.end(), "") == all.end() && kernel.instances.size() < kInstancesMax &&
          std::none_of(kernel.instances.begin(), kernel.instances.end(), same))
        kernel.instances.push_back({.arguments = all});
    }
  }

  // A kernel that both branches of an #if define counts once.
  void keep(KernelSource kernel) {
    const auto same = [&](const KernelSource& other) {
      return other.qualified_name == kernel.qualified_name &&
             std::equal(other.parameters.begin(), other.parameters.end(), kernel.parameters.begin(),
                        kernel.parameters.end(),
                        [](const Parameter& a, const Parameter& b) { return a.type == b.type && a.name == b.name; });
    };
    if (std::none_of(source_.kernels.begin(), source_.kernels.end(), same))
      source_.kernels.push_back(std::move(kernel));
  }

  void launch() {
    const size_t end = end_of_configuration(tokens_, at_);
    if (end == tokens_.size()) return;
    const size_t close = closing(tokens_, end + 3);
    if (close == tokens_.size()) return;
    LaunchSource launch;
    launch.line = tokens_[at_].line;
    launch.at = tokens_[at_].at;
    const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(begin_of_callee(tokens_, at_));
    launch.kernel = spelled({begin, tokens_.begin() + static_cast<std::ptrdiff_t>(at_)});
    for (const Tokens& part : split_at_commas(tokens_, at_ + 3, end)) launch.configuration.push_back(spelled(part));
    for (const Tokens& part : split_at_commas(tokens_, end + 4, close)) launch.arguments.push_back(spelled(part));
    source_.launches.push_back(std::move(launch));
    at_ = close;
  }

  std::string_view code_;
  Tokens tokens_;
  size_t at_ = 0;
  size_t template_open_ = 0;  // the < of the template head that the next kernel has; 0: none
  std::vector<Scope> scopes_;
  std::vector<std::pair<std::string, std::vector<std::string>>> instances_;  // kernel and template arguments
  CudaSource source_;
};

std::vector<std::pair<std::string, std::string>> constants(std::string_view code) {
  std::vector<std::pair<std::string, std::string>> all;
  const Tokens tokens = tokens_of(code);
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    const Token &name = tokens[i + 2], &first = tokens[i + 3];
    const bool object_like = first.text != "(" || first.at > name.at + name.text.size();
    if (tokens[i].text != "#" || tokens[i + 1].text != "define" || first.line != name.line || !object_like) continue;
    size_t end = i + 3;
    while (end < tokens.size() && tokens[end].line == name.line) ++end;
    all.emplace_back(name.text, spelled({tokens.begin() + static_cast<std::ptrdiff_t>(i) + 3,
                                         tokens.begin() + static_cast<std::ptrdiff_t>(end)}));
  }
  return all;
}

}  // namespace

const FunctionSource* function_of(const CudaSource& source, const LaunchSource& launch) {
  for (const FunctionSource& function : source.functions)
    if (function.begin <= launch.at && launch.at < function.end) return &function;
  return nullptr;
}

Result<CudaSource> read_cuda(std::string_view text) {
  const auto code = without_comments(text);
  if (!code) return tl::unexpected(code.error());
  Result<CudaSource> source;
  for (const Branches branches : {Branches::all, Branches::first}) {
    // Braces that #else opens a second time balance only in one branch.
    std::string read = without_directives(*code, branches);
    source = Reader(read).read();
    if (!source) continue;
    source->constants = constants(*code);
    source->functions = functions_of(read);
    source->code = std::move(read);
    break;
  }
  return source;
}

}  // namespace assay
