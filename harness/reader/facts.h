// Collects what a CUDA file's AST says of its kernels and launches.
#pragma once

#include <clang/AST/ASTContext.h>
#include <llvm/Support/JSON.h>

#include "harness/reader/pieces.h"

namespace assay::reader {

// "kernels", "launches", the functions that make these, "launchers", and "constants", as
// harness/adapter/read/read_by_clang.cpp takes them. Headers of the system and the executor launch nothing and are
// passed over. What kernels and launchers reach is kept in `pieces`.
llvm::json::Object facts_of(clang::ASTContext& context, Pieces& pieces);

}  // namespace assay::reader
