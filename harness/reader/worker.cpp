// Following a body's last statement.
#include "harness/reader/worker.h"

#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <map>
#include <vector>

#include "harness/reader/expressions.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

Worker handed_to(const FunctionDecl* function) {
  const auto* body = dyn_cast<CompoundStmt>(function->getBody());
  const auto* last = body && !body->body_empty() ? dyn_cast<Expr>(body->body_back()) : nullptr;
  const auto* call = last ? dyn_cast<CallExpr>(last->IgnoreImplicit()) : nullptr;
  const auto all = call ? functions_named(*call->getCallee(), function) : std::vector<NamedFunction>();
  const FunctionDecl* defined = nullptr;
  if (all.size() != 1 || !pattern_of(all[0].function)->hasBody(defined) ||
      defined->getNumParams() != call->getNumArgs())
    return {};
  Worker worker{defined};
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    const auto* name = dyn_cast<DeclRefExpr>(call->getArg(i)->IgnoreParenImpCasts());
    if (!name) return {};
    const std::string argument = name->getDecl()->getNameAsString(), own = defined->getParamDecl(i)->getNameAsString();
    if (argument != own) worker.names[own] = argument;
  }
  return worker;
}

}  // namespace assay::reader
