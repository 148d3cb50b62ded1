// Lists small bugs that can be planted in the main file, one at a time: mutants of its kernels.
#pragma once

#include <clang/AST/ASTContext.h>
#include <llvm/Support/JSON.h>

#include <set>
#include <string>

namespace assay::reader {

// "kinds": the names of all kinds; "mutants": [{"kind", "offset", "length", "replacement", "function", "line"}], sorted
// by place, each once. They are in functions that kernels reach, and in the host functions that name a kernel; with
// `roots` only in those functions and what they reach. Text that a macro writes is left alone.
llvm::json::Object mutants_of(clang::ASTContext& context, const std::set<std::string>& roots);

}  // namespace assay::reader
