// The declarations that a declaration stands on, and traits of its code that decide how it may be run.
#pragma once

#include <clang/AST/ASTContext.h>

#include <set>
#include <string>
#include <vector>

namespace assay::reader {

struct Named {
  // Those that its types, expressions and template arguments name, in its instances too; one may be there several
  // times.
  std::vector<const clang::Decl*> declarations;
  std::vector<const clang::Decl*> overloads;  // among several of which a template's call is open, most of them unused
  // "warps": it divides its block into warps or tiles, or exchanges data within them; "vectors": it accesses memory by
  // more than an element; "addresses": it looks at addresses as numbers; "approximations": it calls fast intrinsics;
  // "tf32", "bf16_operands", "f16_operands": what its tensor cores multiply, by the names of Accumulate.
  std::set<std::string> traits;
  clang::SourceLocation assembly = {};  // of the first inline PTX
};

Named named_in(const clang::Decl& declared, clang::ASTContext& context);

}  // namespace assay::reader
