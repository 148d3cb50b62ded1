// Makes trees of Clang's index expressions.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <llvm/Support/JSON.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/reader/terms.h"
#include "harness/reader/values.h"

namespace assay::reader {

llvm::json::Array fact_of(const Terms& sum);

// sum + times * other
Terms plus(Terms sum, const Terms& other, int64_t times);

// An operator with two sides. Where a type is left open, Clang has it as a call.
struct Binary {
  clang::BinaryOperatorKind kind;
  const clang::Expr *left, *right;
};
std::optional<Binary> binary_of(const clang::Expr* e);

// Makes sums of the expressions of one body. Factors are parameters, CUDA's variables ("threadIdx.x"), constants as
// they are written, local variables that have several values, quotients and remainders as texts, and what else an
// expression may have. Local variables that have one value stand for that; numbers are put together.
class Sums {
 public:
  Sums(const clang::FunctionDecl* function, clang::ASTContext& context) : function_(function), context_(context) {}

  // From here on it is the body of another function, whose parameters have these names.
  void go_on_in(const clang::FunctionDecl* function, const std::map<std::string, std::string>& names);

  Terms of(const clang::Expr* e) { return of(e, 0); }

  // The name of a parameter, of a field of one, or of a local variable: with a number behind it where an earlier
  // variable has the same.
  std::string name_of(const clang::ValueDecl* named);

  // Whether a local variable has several values: it is a factor by itself, and not followed.
  bool varies(const clang::DeclRefExpr& name) const;

  // The text of an expression, with variables followed while that is short.
  std::string text(const clang::Expr& e);

 private:
  Terms of(const clang::Expr* e, int depth);
  Terms of_operator(const Binary& op, const clang::Expr& e, int depth);
  // Parts of an expression and of the values of its variables, as far as they count.
  size_t nodes_in(const clang::Stmt* e);
  static Terms one(const std::string& factor) { return {Term{1, {factor}, {}}}; }

  const clang::FunctionDecl* function_;
  clang::ASTContext& context_;
  std::map<std::string, std::string> renamed_;  // parameters
  std::map<const clang::ValueDecl*, std::string> names_;
  std::map<std::string, int> used_;
  std::map<const clang::Expr*, Terms> known_;   // values of variables
  std::map<const clang::Expr*, size_t> nodes_;  // in them
};

// An expression without the brackets, casts and temporaries around it.
const clang::Expr* inside_of(const clang::Expr* e);

}  // namespace assay::reader
