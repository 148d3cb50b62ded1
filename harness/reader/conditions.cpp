// Walking from conditions through local variables to constants, parameters and CUDA's variables.
#include "harness/reader/conditions.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <tuple>

#include "harness/reader/places.h"
#include "harness/reader/reached.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr int kVariablesMost = 8;  // from the condition to a variable, by initial values of others

struct Decides {
  std::set<int64_t> numbers;
  std::set<std::string> names;
};

// Follows an expression to all that it depends on.
class Dependence {
 public:
  explicit Dependence(ASTContext& context) : context_(context) {}

  Decides of(const Expr* condition) {
    decides_ = {};
    seen_.clear();
    add(condition, 0);
    return std::move(decides_);
  }

 private:
  void add(const Stmt* node, int variables) {
    if (!node) return;
    if (const auto* e = dyn_cast<Expr>(node)) {
      if (const auto number = whole_value(*e, context_)) {
        decides_.numbers.insert(*number);
        return;
      }
      if (const auto* name = dyn_cast<DeclRefExpr>(e))
        return add_variable(dyn_cast<VarDecl>(name->getDecl()), variables);
    }
    for (const Stmt* part : node->children()) add(part, variables);
  }

  void add_variable(const VarDecl* variable, int variables) {
    if (!variable || !seen_.insert(variable).second) return;
    if (isa<ParmVarDecl>(variable) || !variable->isLocalVarDecl()) decides_.names.insert(variable->getNameAsString());
    if (variable->isLocalVarDecl() && variables < kVariablesMost) add(variable->getInit(), variables + 1);
  }

  ASTContext& context_;
  Decides decides_;
  std::set<const VarDecl*> seen_;
};

const Expr* condition_of(const Stmt& node) {
  if (const auto* choice = dyn_cast<IfStmt>(&node)) return choice->getCond();
  if (const auto* loop = dyn_cast<ForStmt>(&node)) return loop->getCond();
  if (const auto* loop = dyn_cast<WhileStmt>(&node)) return loop->getCond();
  if (const auto* loop = dyn_cast<DoStmt>(&node)) return loop->getCond();
  if (const auto* choice = dyn_cast<SwitchStmt>(&node)) return choice->getCond();
  if (const auto* choice = dyn_cast<ConditionalOperator>(&node)) return choice->getCond();
  const auto* both = dyn_cast<BinaryOperator>(&node);
  return both && both->isLogicalOp() ? both : nullptr;
}

}  // namespace

Object conditions_of(ASTContext& context, const CodeAsked& asked) {
  const SourceManager& sources = context.getSourceManager();
  const auto counts = [&](SourceLocation at) {
    const StringRef file = sources.getFilename(at);
    return !sources.isInSystemHeader(at) || (!asked.folder.empty() && file.starts_with(asked.folder));
  };
  Dependence dependence(context);
  std::map<std::tuple<std::string, int64_t, int64_t>, Decides> all;  // by file, line and last line
  visit_reached(
      roots_of(context, asked.roots), [](const FunctionDecl&) {},
      [&](const Stmt& node) {
        const Expr* condition = condition_of(node);
        if (!condition || !counts(sources.getExpansionLoc(node.getBeginLoc()))) return;
        const PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(condition->getBeginLoc()));
        const int64_t last = line_of(sources.getExpansionLoc(node.getEndLoc()), sources);
        if (!at.isValid()) return;
        Decides& decides = all[{at.getFilename(), at.getLine(), last}];  // of all instances together
        Decides found = dependence.of(condition);
        decides.numbers.merge(found.numbers);
        decides.names.merge(found.names);
      });
  Array conditions;
  for (const auto& [place, decides] : all) {
    const auto& [file, line, last] = place;
    conditions.push_back(Object{{"file", file},
                                {"line", line},
                                {"last", last},
                                {"numbers", Array(decides.numbers)},
                                {"names", texts(decides.names)}});
  }
  return Object{{"conditions", std::move(conditions)}};
}

}  // namespace assay::reader
