// The declarations that a declaration stands on.
#pragma once

#include <clang/AST/DeclBase.h>

#include <vector>

namespace assay::reader {

// Those that its types, expressions and template arguments name, in its instances too; one may be there several times.
struct Named {
  std::vector<const clang::Decl*> all;
  std::vector<const clang::Decl*> overloads;  // among several of which a template's call is open, most of them unused
};
Named declarations_named_in(const clang::Decl& declared);

}  // namespace assay::reader
