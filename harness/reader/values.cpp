// Variables are followed to their only values, and to the numbers that those are made of.
#include "harness/reader/values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <optional>

#include "harness/reader/assignments.h"

namespace assay::reader {

using namespace clang;

const Expr* value_of(const DeclRefExpr& name, const FunctionDecl* function) {
  const auto* variable = dyn_cast<VarDecl>(name.getDecl());
  if (!variable || isa<ParmVarDecl>(variable) || variable->getType()->isArrayType()) return nullptr;
  const Assignments& all = assignments_in(function);
  const auto* assigned = variable->isLocalVarDecl() ? all.of(variable) : nullptr;
  const Expr* first = variable->getInit();
  if (const auto* made = first ? dyn_cast<CXXConstructExpr>(first->IgnoreImplicit()) : nullptr;
      made && made->getNumArgs() == 0)
    first = nullptr;
  if (!assigned) return variable->isLocalVarDecl() || variable->getType().isConstQualified() ? first : nullptr;
  return !first && assigned->size() == 1 ? assigned->front() : all.last_before(variable, name.getLocation());
}

bool is_dim3(QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName() == "dim3";
}

const CXXConstructExpr* made_dim3(const Expr* e, const FunctionDecl* function, int depth) {
  if (!e || depth > kDefinitionsDeepMax) return nullptr;
  e = e->IgnoreImplicit()->IgnoreParenCasts();
  if (const auto* name = dyn_cast<DeclRefExpr>(e))
    return is_dim3(name->getType()) ? made_dim3(value_of(*name, function), function, depth + 1) : nullptr;
  const auto* made = dyn_cast<CXXConstructExpr>(e);
  if (!made || !is_dim3(made->getType())) return nullptr;
  const bool copies = made->getNumArgs() == 1 && is_dim3(made->getArg(0)->getType());
  return copies ? made_dim3(made->getArg(0), function, depth + 1) : made;
}

namespace {

class Mentions : public RecursiveASTVisitor<Mentions> {
 public:
  Mentions(const Variables& variables, const FunctionDecl* function) : variables_(variables), function_(function) {}

  bool in(const Expr* e) {
    if (!variables_.empty()) TraverseStmt(const_cast<Expr*>(e));
    return found_;
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) {
    found_ = found_ || variables_.contains(name->getDecl());
    const Expr* value = seen_.insert(name->getDecl()).second ? value_of(*name, function_) : nullptr;
    return !found_ && (!value || TraverseStmt(const_cast<Expr*>(value)));
  }

 private:
  const Variables& variables_;
  const FunctionDecl* function_;
  Variables seen_;
  bool found_ = false;
};

// Whether a whole number is written out, if through variables: of literals, without a parameter or a call.
class IsWrittenOut : public RecursiveASTVisitor<IsWrittenOut> {
 public:
  explicit IsWrittenOut(const FunctionDecl* function) : function_(function) {}

  bool VisitDeclRefExpr(DeclRefExpr* name) {
    if (!seen_.insert(name->getDecl()).second || isa<EnumConstantDecl>(name->getDecl())) return true;
    const Expr* value = value_of(*name, function_);
    return is_so_ = value && TraverseStmt(const_cast<Expr*>(value)) && is_so_;
  }
  bool VisitCallExpr(CallExpr*) { return is_so_ = false; }
  bool VisitMemberExpr(MemberExpr*) { return is_so_ = false; }
  bool holds(const Expr* value) {
    return value && !value->getType().isNull() && value->getType()->isIntegralOrEnumerationType() &&
           TraverseStmt(const_cast<Expr*>(value)) && is_so_;
  }

 private:
  const FunctionDecl* function_;
  Variables seen_;
  bool is_so_ = true;
};

// The local variables that an expression names, of which each is a number that is written out.
class LocalNumbers : public RecursiveASTVisitor<LocalNumbers> {
 public:
  LocalNumbers(const FunctionDecl* function, const Variables* wanted) : function_(function), wanted_(wanted) {}

  bool VisitDeclRefExpr(DeclRefExpr* name) {
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    const Expr* value = variable && variable->isLocalVarDecl() ? value_of(*name, function_) : nullptr;
    if (!IsWrittenOut(function_).holds(value)) return true;
    if (!wanted_ || wanted_->contains(variable)) return all_.insert(variable), true;
    return TraverseStmt(const_cast<Expr*>(value));
  }
  Variables in(const Expr* e) {
    TraverseStmt(const_cast<Expr*>(e));
    return std::move(all_);
  }

 private:
  const FunctionDecl* function_;
  const Variables* wanted_;  // the others are followed to what they are made of; null: all are
  Variables all_;
};

// The variables that a function uses for more than launches: numbers of blocks and threads it mostly does not.
class UsedForMore : public RecursiveASTVisitor<UsedForMore> {
 public:
  bool TraverseCUDAKernelCallExpr(CUDAKernelCallExpr* call) {
    return llvm::all_of(call->arguments(), [&](Expr* argument) { return TraverseStmt(argument); });
  }
  bool TraverseVarDecl(VarDecl* variable) {
    return is_dim3(variable->getType()) || RecursiveASTVisitor::TraverseVarDecl(variable);
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) {
    all_.insert(name->getDecl());
    return true;
  }
  Variables in(const FunctionDecl* function) {
    while (const auto* outer = dyn_cast_or_null<FunctionDecl>(function->getParentFunctionOrMethod())) function = outer;
    if (function->hasBody()) TraverseStmt(function->getBody());
    return std::move(all_);
  }

 private:
  Variables all_;
};

// Whether a value is what an object says of itself: x.size(1).
class AsksObjects : public RecursiveASTVisitor<AsksObjects> {
 public:
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr*) { return !(asks_ = true); }
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr*) { return !(asks_ = true); }
  bool asks(const Expr* value) {
    TraverseStmt(const_cast<Expr*>(value));
    return asks_;
  }

 private:
  bool asks_ = false;
};

}  // namespace

bool hangs_on(const Expr* e, const Variables& variables, const FunctionDecl* function) {
  return Mentions(variables, function).in(e);
}

Variables named_numbers(llvm::ArrayRef<const Expr*> arguments, const FunctionDecl* function) {
  Variables all;
  for (const Expr* argument : arguments) {
    const auto* name = dyn_cast<DeclRefExpr>(argument->IgnoreParenCasts());
    const Expr* value = name ? value_of(*name, function) : nullptr;
    if (value && (IsWrittenOut(function).holds(value) || AsksObjects().asks(value)))
      all.insert(name->getDecl());
    else if (!name && !argument->getType().isNull() && argument->getType()->isIntegerType())
      all.merge(LocalNumbers(function, nullptr).in(argument));  // D of D / 4
  }
  return all;
}

Variables numbers_of_data(const Expr& grid, const FunctionDecl* function, const Variables& passed) {
  Variables all;
  std::optional<Variables> used;
  const CXXConstructExpr* made = made_dim3(&grid, function);
  const Expr* const whole[] = {&grid};
  for (const Expr* extent : made ? llvm::ArrayRef(made->getArgs(), made->getNumArgs()) : llvm::ArrayRef(whole)) {
    if (hangs_on(extent, passed, function)) continue;
    if (!used) used = UsedForMore().in(function);
    all.merge(LocalNumbers(function, &*used).in(extent));
  }
  return all;
}

std::vector<NamedFunction> functions_named(const Expr& expression, const FunctionDecl* function) {
  std::vector<NamedFunction> all;
  std::vector<std::pair<const Expr*, const Expr*>> open = {{&expression, nullptr}};
  std::set<const Expr*> seen;
  while (!open.empty()) {
    const auto [outer, assigned] = open.back();
    const Expr* e = outer->IgnoreParenCasts();
    open.pop_back();
    if (!seen.insert(e).second) continue;
    if (const auto* op = dyn_cast<UnaryOperator>(e)) open.emplace_back(op->getSubExpr(), assigned);
    if (const auto* choice = dyn_cast<ConditionalOperator>(e)) {
      open.emplace_back(choice->getTrueExpr(), assigned);
      open.emplace_back(choice->getFalseExpr(), assigned);
    }
    if (const auto* overloads = dyn_cast<OverloadExpr>(e))
      for (const NamedDecl* each : overloads->decls()) {
        const NamedDecl* named = each->getUnderlyingDecl();
        if (const auto* made_from = dyn_cast<FunctionTemplateDecl>(named)) named = made_from->getTemplatedDecl();
        if (const auto* one = dyn_cast<FunctionDecl>(named)) all.push_back({one, assigned});
      }
    const auto* name = dyn_cast<DeclRefExpr>(e);
    if (!name) continue;
    if (const auto* named = dyn_cast<FunctionDecl>(name->getDecl())) all.push_back({named, assigned});
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable) continue;
    if (variable->getInit()) open.emplace_back(variable->getInit(), nullptr);
    if (const auto* values = assignments_in(function).of(variable))
      for (const Expr* value : *values)
        if (value) open.emplace_back(value, value);
  }
  return all;
}

const Expr* member_value(const ValueDecl& variable, llvm::StringRef member, const FunctionDecl* function) {
  const auto* assigned = assignments_in(function).of_member(&variable, member);
  return assigned && assigned->size() == 1 ? assigned->front() : nullptr;
}

}  // namespace assay::reader
