// A declaration that one of CUDA's qualifiers stands in: whether it is of a function or of variables, and where its
// parts are. No types are known; what is read is the order of words and brackets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/read/cuda_text.h"

namespace assay::cxx {

struct Parameter {
  std::string name;      // "" where it has none
  size_t name_goes = 0;  // where in the text one can be put
  bool is_pack = false;
};

struct Declaration {
  enum class Kind { function, variables, lambda, other };
  Kind kind = Kind::other;
  std::vector<std::string_view> specifiers;  // the words in front of the name, CUDA's qualifiers included
  std::string_view name;                     // of the function
  std::vector<Token> variables;              // their names
  std::vector<Parameter> parameters;
  size_t body = 0, body_end = 0;  // the tokens { and } of a function that is defined here; 0: it is not
  size_t end = 0;                 // the ; of variables

  bool has(std::string_view word) const;
};

// The declaration that the qualifier at token `at` belongs to, the first of them.
Declaration declaration_at(const std::vector<Token>& tokens, size_t at);

}  // namespace assay::cxx
