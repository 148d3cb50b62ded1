// Collects what a CUDA file's AST says of its kernels and launches.
#pragma once

#include <clang/AST/ASTContext.h>
#include <llvm/Support/JSON.h>

#include <functional>
#include <string>

#include "harness/reader/pieces.h"

namespace assay::reader {

// The text of a range of a file with the macros expanded that the user's files define.
using ExpandedText = std::function<std::string(clang::SourceRange)>;

// "kernels", "launches", the functions that make these, "launchers", and "constants", as
// harness/adapter/read/read_by_clang.cpp takes them. Headers of the system and the executor launch nothing and are
// passed over. What kernels and launchers reach is kept in `pieces`.
llvm::json::Object facts_of(clang::ASTContext& context, const ExpandedText& expanded, Pieces& pieces);

}  // namespace assay::reader
