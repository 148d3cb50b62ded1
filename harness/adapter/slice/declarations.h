// The declarations of a CUDA file: where each one at namespace scope begins and ends, and what it declares.
//
// Read from the text, without a compiler, so it works on files whose headers nobody has. A splitter that errs must err
// towards larger pieces and more names: a piece kept in vain costs little, a lost one does not compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/adapter/slice/macros.h"

namespace assay {

struct Declaration {
  size_t begin = 0, end = 0;       // in the text
  size_t signature_end = 0;        // where its body or initialiser begins; `end` where there is none
  std::vector<std::string> names;  // what it declares: a function, a type with its enumerators, variables, an alias
  bool is_kernel = false;          // has __global__
  bool has_no_name = false;        // operators, static_assert: wanted when all that they mention is
  bool stays = false;              // using namespace, and what is not understood
};

// The declarations in the order of the text; namespaces and extern "C" are opened. `code` has no comments. The result
// is empty where braces do not balance.
std::vector<Declaration> declarations_of(std::string_view code, const Macros& macros);

}  // namespace assay
