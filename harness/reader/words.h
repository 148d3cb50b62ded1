// Names, types and numbers that a body mentions, wherever they stand.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <llvm/Support/JSON.h>

namespace assay::reader {

// Whether a name is that of threadIdx, blockIdx, blockDim or gridDim.
bool is_builtin(const clang::DeclRefExpr& name);

// Adds them to what a body's facts say; those of the function that it hands its work to, too.
void add_words(const clang::FunctionDecl* function, clang::ASTContext& context, llvm::json::Object& fact);

}  // namespace assay::reader
