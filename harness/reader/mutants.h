// Lists small bugs that can be planted in a file, one at a time: mutants of its kernels.
#pragma once

#include <clang/AST/ASTContext.h>
#include <llvm/Support/JSON.h>

#include "harness/reader/reached.h"

namespace assay::reader {

// "kinds": the names of all kinds; "mutants": [{"kind", "header", "offset", "length", "replacement", "function",
// "line"}], sorted by place, each once; "header" is "" for the main file. They are in the roots and the functions that
// these reach. Text that a macro writes is left alone.
llvm::json::Object mutants_of(clang::ASTContext& context, const CodeAsked& asked);

}  // namespace assay::reader
