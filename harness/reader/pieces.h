// The declarations that a kernel reaches, as pieces of text that make a file of their own.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/JSON.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace assay::reader {

// A piece is what stands at one place of a namespace in the user's files: a function with its template head, a class,
// an enum, variables, an alias, or the call of a macro that makes some of these.
class Pieces {
 public:
  static std::unique_ptr<Pieces> of(clang::ASTContext& context, clang::Preprocessor& preprocessor);
  virtual ~Pieces() = default;

  // The number of the piece with a declaration, which is kept with all that it reaches; -1 for what is not the user's.
  virtual int64_t keep(const clang::Decl* declared) = 0;

  // The pieces of all declarations of the user's that have one of these names: {"f": [3, 5]}.
  virtual llvm::json::Object keep_named(const std::set<std::string>& names) = 0;

  // "pieces", by their numbers: {"text", "file", "line", "scopes": ["a", ""], "defines": ["#define N 4"], "includes":
  // ["<cmath>"], "needs": [numbers], "traits": ["warps"], "assembly": "k.cu:7", "order"}. A compiler must see them in
  // the order that "order" gives; scopes are the namespaces around it, "" one without a name; for traits and inline PTX
  // see references.h. Those that everything needs, as using namespace, have "always", and "opens" has the namespace
  // without anything in it, "namespace a {}".
  //
  // An overload that a call in a template might take is left out where it does not compile by itself: `errors` are the
  // places of Clang's.
  virtual llvm::json::Array take(llvm::ArrayRef<clang::SourceLocation> errors) = 0;
};

}  // namespace assay::reader
