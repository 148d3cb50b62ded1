// The conditions of a file's branches and loops, with the numbers and names that decide them.
#pragma once

#include <clang/AST/ASTContext.h>
#include <llvm/Support/JSON.h>

#include "harness/reader/reached.h"

namespace assay::reader {

// "conditions": [{"file", "line", "last", "numbers", "names"}], each once, of the roots and the functions that these
// reach, in files of the user and headers that count. "line" is the condition's first, "last" that in which what it
// decides ends; "numbers" are the values of whole constants in it; "names" the parameters and CUDA's variables that it
// depends on. Local variables stand for what they begin with.
llvm::json::Object conditions_of(clang::ASTContext& context, const CodeAsked& asked);

}  // namespace assay::reader
