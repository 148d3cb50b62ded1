// The names that a declaration declares, from its tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/cuda_text.h"
#include "harness/adapter/slice/macros.h"

namespace assay {

// The places of a declaration's parts, as indices of tokens; 0 for a part that it does not have.
struct Head {
  size_t begin = 0;
  size_t first = 0;      // behind template<…>
  size_t class_key = 0;  // struct, class, union, enum
  size_t group = 0;      // the ( of the parameters
  size_t body = 0;       // the { or =
  size_t end = 0;        // one past the last
  bool is_operator = false;
};

bool is_class_key(std::string_view word);

// Words with parentheses that declare nothing: alignas, __align__, __launch_bounds__, __attribute__.
bool is_annotation_word(std::string_view word);

// Past the > of template<…>, whose < is at `open`: unlike in an expression, every < in it opens a list.
size_t past_template_head(const std::vector<Token>& tokens, size_t open);

std::vector<std::string> declared_names(const std::vector<Token>& tokens, const Head& head, const Macros& macros);

}  // namespace assay
