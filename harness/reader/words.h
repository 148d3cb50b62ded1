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

// Adds the numbers that it or a function that it reaches has written, and whether they are added to something, and the
// declaration of the dynamic shared memory that they use.
void add_reached_words(const clang::FunctionDecl* function, clang::ASTContext& context, llvm::json::Object& fact);

}  // namespace assay::reader
