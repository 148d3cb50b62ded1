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

// An array in shared memory, by the first name of its declaration.
struct SharedArray {
  std::vector<Token> extent;  // along its first axis
  bool has_more_axes = false;
  bool by_thread = false;          // s[threadIdx.x]
  bool written_by_thread = false;  // s[threadIdx.x] = …
};

std::vector<SharedArray> shared_arrays(const std::vector<Token>& tokens) {
  std::vector<SharedArray> all;
  for (size_t i = 0; i + 3 < tokens.size(); ++i) {
    if (!token_is(tokens, i, "__shared__")) continue;
    size_t open = i;
    while (open < tokens.size() && !is_one_of(tokens[open].text, {"[", ";"})) ++open;
    const size_t close = token_is(tokens, open, "[") ? closing(tokens, open) : tokens.size();
    if (close >= tokens.size()) continue;
    SharedArray& one = all.emplace_back();
    one.extent = {tokens.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                  tokens.begin() + static_cast<std::ptrdiff_t>(close)};
    one.has_more_axes = token_is(tokens, close + 1, "[");
    for (size_t at = close; at + 5 < tokens.size(); ++at) {
      const bool is_own = tokens[at].text == tokens[open - 1].text && token_is(tokens, at + 1, "[") &&
                          token_is(tokens, at + 2, "threadIdx") && token_is(tokens, at + 4, "x") &&
                          token_is(tokens, at + 5, "]");
      one.by_thread |= is_own;
      one.written_by_thread |= is_own && token_is(tokens, at + 6, "=") && !token_is(tokens, at + 7, "=");
    }
  }
  return all;
}

}  // namespace

int64_t threads_in_shared(const CudaSource& source, const KernelSource& kernel) {
  constexpr int64_t kWarp = 32, kThreadsMax = 1024;  // an array of 32 has an element for each warp of any block
  const std::vector<Token> tokens = tokens_of(kernel.body);
  const Scope scope{constants_of(source), tokens};
  int64_t least = kThreadsMax;
  for (const SharedArray& array : shared_arrays(tokens)) {
    const auto text = resolved(array.extent, scope);
    const int64_t size = text ? number_value(*text).value_or(0) : 0;
    if (array.written_by_thread && !array.has_more_axes && size > kWarp) least = std::min(least, size);
  }
  return least < kThreadsMax ? least : 0;
}

std::optional<TemplateBlock> block_of_template(const CudaSource& source, const KernelSource& kernel,
                                               const std::vector<std::string>& arguments) {
  const Body body(source, kernel, {});
  if (body.uses("threadIdx", 'y') || body.uses("blockDim", 'y')) return std::nullopt;
  const Names constants = constants_of(source);
  const std::vector<SharedArray> arrays = shared_arrays(body.tokens());
  std::optional<TemplateBlock> likely;
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    const std::string& name = kernel.template_parameters[i].name;
    const auto text = resolved(
        tokens_of(i < arguments.size() ? arguments[i] : kernel.template_parameters[i].by_default), {constants, {}});
    const auto size = text ? number_value(*text) : std::nullopt;
    if (!size || *size < 1 || *size > 1024) continue;
    const bool is_named = is_named_block_size(name);
    const auto is_extent = [&](const SharedArray& array) { return token_is(array.extent, 0, name); };
    const bool by_thread = std::ranges::any_of(arrays, [&](const SharedArray& array) {  // float s[SIZE]
      return is_extent(array) && array.extent.size() == 1 && !array.has_more_axes && array.by_thread;
    });
    const bool in_parts = std::ranges::any_of(arrays, [&](const SharedArray& array) {  // float s[SIZE / 32]
      return is_extent(array) && token_is(array.extent, 1, "/");
    });
    if (is_named && (by_thread || in_parts)) return TemplateBlock{static_cast<int>(*size), name, true};
    if ((is_named || by_thread) && !likely) likely = TemplateBlock{static_cast<int>(*size), name, false};
  }
  return likely;
}

}  // namespace assay
