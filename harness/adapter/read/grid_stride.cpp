// Looking at what stands around each blockIdx and gridDim.
#include "harness/adapter/read/grid_stride.h"

#include <algorithm>
#include <set>
#include <string>

#include "harness/adapter/read/cuda_text.h"

namespace assay {
namespace {

using Tokens = std::vector<Token>;

// Whether `name`.x is at token i.
bool is_x_of(const Tokens& tokens, size_t i, std::string_view name) {
  return token_is(tokens, i, name) && token_is(tokens, i + 1, ".") && token_is(tokens, i + 2, "x");
}

bool is_bracket(const Tokens& tokens, size_t i) {
  return i < tokens.size() && is_one_of(tokens[i].text, {"(", ")", "{", "}"});
}

// The first token before `i` that is no bracket, cast or type: tokens.size() where there is none.
size_t before(const Tokens& tokens, size_t i) {
  while (i-- > 0)
    if (!is_bracket(tokens, i) &&
        !is_one_of(tokens[i].text, {"int", "unsigned", "long", "size_t", "int64_t", "uint32_t", "int32_t", "uint64_t",
                                    "static_cast", "<", ">"}))
      return i;
  return tokens.size();
}

// The first one from `i` on that is no bracket.
size_t after(const Tokens& tokens, size_t i) {
  while (is_bracket(tokens, i)) ++i;
  return i;
}

// Whether the value at tokens [i, i+3) is multiplied by blockDim.x.
bool is_times_block(const Tokens& tokens, size_t i) {
  const size_t star = after(tokens, i + 3);
  if (token_is(tokens, star, "*") && is_x_of(tokens, after(tokens, star + 1), "blockDim")) return true;
  const size_t before_it = before(tokens, i);
  return before_it >= 4 && before_it < tokens.size() && token_is(tokens, before_it, "*") &&
         is_x_of(tokens, before(tokens, before_it) - 2, "blockDim");
}

// The token at which the expression around `i` begins: what follows = or +=, or another operator.
size_t begin_of_product(const Tokens& tokens, size_t i) {
  const size_t star = before(tokens, i);
  return star < tokens.size() && token_is(tokens, star, "*") ? before(tokens, star) - 2 : i;
}

bool is_step(const Tokens& tokens, size_t before_it) {  // + =
  return before_it > 0 && before_it < tokens.size() && token_is(tokens, before_it, "=") &&
         token_is(tokens, before_it - 1, "+");
}

bool is_stepped_by(const Tokens& tokens, std::string_view name) {
  for (size_t i = 2; i < tokens.size(); ++i)
    if (tokens[i].text == name && is_step(tokens, i - 1)) return true;
  return false;
}

// gridDim.x is a loop's step, or makes a name that is.
bool is_a_step(const Tokens& tokens, size_t i) {
  const size_t before_it = before(tokens, begin_of_product(tokens, i));
  if (is_step(tokens, before_it)) return true;
  return before_it > 0 && before_it < tokens.size() && token_is(tokens, before_it, "=") && is_times_block(tokens, i) &&
         is_stepped_by(tokens, tokens[before_it - 1].text);
}

// blockIdx.x times blockDim.x, or alone where a loop begins.
bool is_a_begin(const Tokens& tokens, size_t i) {
  if (is_times_block(tokens, i)) return true;
  const size_t before_it = before(tokens, i);
  return before_it < tokens.size() && token_is(tokens, before_it, "=") && token_is(tokens, after(tokens, i + 3), ";") &&
         is_stepped_by(tokens, "gridDim");
}

}  // namespace

bool strides_by_grid(const KernelSource& kernel) {
  if (kernel.body.find("gridDim") == std::string::npos) return false;
  const Tokens tokens = tokens_of(kernel.body);
  bool strides = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (is_one_of(tokens[i].text, {"this_grid", "grid_group", "__threadfence", "atomicInc", "atomicDec"})) return false;
    if (tokens[i].text == "gridDim") {
      if (!is_x_of(tokens, i, "gridDim") || !is_a_step(tokens, i)) return false;
      strides = true;
    }
    if (tokens[i].text == "blockIdx" && (!is_x_of(tokens, i, "blockIdx") || !is_a_begin(tokens, i))) return false;
  }
  return strides;
}

}  // namespace assay
