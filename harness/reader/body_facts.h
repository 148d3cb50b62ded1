// A body by what it computes with: indices of its pointers, comparisons, loops, quotients, shared arrays.
#pragma once

#include <clang/AST/Decl.h>
#include <llvm/Support/JSON.h>

namespace assay::reader {

// As BodyFacts of harness/adapter/read has it: index expressions as trees, in the order of the text, with the body of
// the function that the kernel hands its work to.
llvm::json::Object body_facts(const clang::FunctionDecl* function, clang::ASTContext& context);

}  // namespace assay::reader
