// The declarations that a declaration stands on.
#pragma once

#include <clang/AST/DeclBase.h>

#include <vector>

namespace assay::reader {

// Those that its types, expressions and template arguments name, in its instances too; one may be there several times.
std::vector<const clang::Decl*> declarations_named_in(const clang::Decl& declared);

}  // namespace assay::reader
