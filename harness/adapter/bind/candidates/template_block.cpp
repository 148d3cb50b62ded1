// A template argument that is the block's size: the kernel is an instance for that block and for no other.
#include <algorithm>
#include <cctype>

#include "harness/adapter/bind/candidates/body.h"
#include "harness/adapter/bind/infer_launcher.h"
#include "harness/adapter/read/arithmetic.h"
#include "harness/adapter/read/expression.h"

namespace assay {
namespace {

// BLOCK_DIM, BLOCK_SIZE, kThreads, NUM_THREADS.
bool is_named_block_size(const std::string& name) {
  const bool prefixed = name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  return is_block_size({"int", prefixed ? name.substr(1) : name});
}

// The use of a parameter as an extent of arrays in shared memory.
struct SharedUse {
  bool by_thread = false;  // float s[SIZE], and s[threadIdx.x]
  bool in_parts = false;   // float s[SIZE / 32]
};

SharedUse shared_use(const std::vector<Token>& tokens, const std::string& parameter) {
  SharedUse use;
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!token_is(tokens, i, "__shared__")) continue;
    size_t open = i;
    while (open < tokens.size() && !is_one_of(tokens[open].text, {"[", ";"})) ++open;
    if (!token_is(tokens, open, "[") || !token_is(tokens, open + 1, parameter)) continue;
    use.in_parts = use.in_parts || token_is(tokens, open + 2, "/");
    if (!token_is(tokens, open + 2, "]") || token_is(tokens, open + 3, "[")) continue;
    for (size_t at = open + 3; at + 5 < tokens.size(); ++at)
      use.by_thread = use.by_thread || (tokens[at].text == tokens[open - 1].text && token_is(tokens, at + 1, "[") &&
                                        token_is(tokens, at + 2, "threadIdx") && token_is(tokens, at + 5, "]"));
  }
  return use;
}

}  // namespace

int64_t threads_in_shared(const CudaSource& source, const KernelSource& kernel) {
  constexpr int64_t kWarp = 32, kThreadsMax = 1024;  // an array of 32 has an element for each warp of any block
  const std::vector<Token> tokens = tokens_of(kernel.body);
  const Scope scope{constants_of(source), tokens};
  int64_t least = 0;
  for (size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (!token_is(tokens, i, "__shared__")) continue;
    size_t open = i;
    while (open < tokens.size() && !is_one_of(tokens[open].text, {"[", ";"})) ++open;
    const size_t close = token_is(tokens, open, "[") ? closing(tokens, open) : tokens.size();
    if (close >= tokens.size() || token_is(tokens, close + 1, "[")) continue;
    const std::vector<Token> extent(tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                                    tokens.begin() + static_cast<std::ptrdiff_t>(close));
    const auto text = resolved(extent, scope);
    const int64_t size = text ? number_value(*text).value_or(0) : 0;
    bool by_thread = false;
    for (size_t at = close; at + 5 < tokens.size(); ++at)
      by_thread |= tokens[at].text == tokens[open - 1].text && token_is(tokens, at + 1, "[") &&
                   token_is(tokens, at + 2, "threadIdx") && token_is(tokens, at + 4, "x") &&
                   token_is(tokens, at + 5, "]") && token_is(tokens, at + 6, "=") && !token_is(tokens, at + 7, "=");
    if (by_thread && size > kWarp) least = least == 0 ? size : std::min(least, size);
  }
  return least < kThreadsMax ? least : 0;
}

std::optional<TemplateBlock> block_of_template(const CudaSource& source, const KernelSource& kernel,
                                               const std::vector<std::string>& arguments) {
  const Body body(source, kernel, {});
  if (body.uses("threadIdx", 'y') || body.uses("blockDim", 'y')) return std::nullopt;
  const Names constants = constants_of(source);
  std::optional<TemplateBlock> likely;
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const std::string& name = kernel.template_parameters[i].name;
    const auto text = resolved(
        tokens_of(i < arguments.size() ? arguments[i] : kernel.template_parameters[i].by_default), {constants, {}});
    const auto size = text ? number_value(*text) : std::nullopt;
    if (!size || *size < 1 || *size > 1024) continue;
    const bool is_named = is_named_block_size(name);
    const SharedUse use = shared_use(body.tokens(), name);
    if (is_named && (use.by_thread || use.in_parts)) return TemplateBlock{static_cast<int>(*size), name, true};
    if ((is_named || use.by_thread) && !likely) likely = TemplateBlock{static_cast<int>(*size), name, false};
  }
  return likely;
}

}  // namespace assay
