// Following pointers through an AST: every lvalue leads to the variables that it may lie in.
#include "harness/reader/pointer_uses.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

void PointerUse::merge(const PointerUse& other) {
  indexed |= other.indexed;
  written |= other.written;
  added_to |= other.added_to;
  read |= other.read;
  passed |= other.passed;
  tested |= other.tested;
  many |= other.many;
}

const RecordDecl* record_of_pointers(QualType type) {
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || !record->isAggregate() || record->getNumBases() > 0) return nullptr;
  const auto is_plain = [](const FieldDecl* field) {
    return !field->isUnnamedBitField() && (field->getType()->isScalarType() || field->getType()->isDependentType());
  };
  const bool has_pointer =
      std::ranges::any_of(record->fields(), [](const FieldDecl* field) { return field->getType()->isPointerType(); });
  return has_pointer && std::ranges::all_of(record->fields(), is_plain) ? record : nullptr;
}

namespace {

// The uses in a function, found once, as it is defined; empty while it is being followed, as for one that calls itself.
const std::vector<PointerUse>& uses_of(const FunctionDecl& defined);

// The element that an lvalue is, without its members, casts and brackets: p[i] of (reinterpret_cast<float4&>(p[i])).x
const Expr* element_of(const Expr* e) {
  for (;;) {
    e = e->IgnoreParenCasts();
    const auto* member = dyn_cast<MemberExpr>(e);
    if (!member || member->isArrow()) return e;
    e = member->getBase();
  }
}

class Uses : public RecursiveASTVisitor<Uses> {
 public:
  explicit Uses(const FunctionDecl& function) {
    for (const ParmVarDecl* parameter : function.parameters()) {
      found_[parameter];
      if (const RecordDecl* record = record_of_pointers(parameter->getType()))
        for (const FieldDecl* field : record->fields()) found_[field];
    }
    // Pointers that are made late in a body and used early, as in loops, need a second pass.
    for (int pass = 0; pass < 2; ++pass) TraverseStmt(function.getBody());
  }

  PointerUse of(const ValueDecl* parameter_or_field) const { return found_.at(parameter_or_field); }

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitVarDecl(VarDecl* variable) {
    const QualType type = variable->getType();
    if (variable->getInit() && (type->isPointerType() || type->isReferenceType() || type->isUndeducedType()))
      add_alias(variable, variable->getInit());
    return true;
  }

  bool VisitIfStmt(IfStmt* choice) { return test(choice->getCond()); }
  bool VisitConditionalOperator(ConditionalOperator* choice) { return test(choice->getCond()); }
  bool VisitCastExpr(CastExpr* cast) {
    return cast->getCastKind() == CK_PointerToBoolean ? test(cast->getSubExpr()) : true;
  }
  bool VisitBinaryOperator(BinaryOperator* op) {
    if (op->isEqualityOp() || op->isLogicalOp()) test(op->getLHS()), test(op->getRHS());
    if (!op->isAssignmentOp()) return true;
    const Expr* left = op->getLHS()->IgnoreParenCasts();
    const auto* name = dyn_cast<DeclRefExpr>(left);
    const bool moves = name && name->getType()->isPointerType();
    if (moves && op->isCompoundAssignmentOp()) return true;  // p += 4 is p still
    if (moves)
      add_alias(dyn_cast<VarDecl>(name->getDecl()), op->getRHS());
    else
      store(op->getLHS(), op->isCompoundAssignmentOp());
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator* op) {
    if (op->isIncrementDecrementOp()) store(op->getSubExpr(), true);
    if (op->getOpcode() == UO_AddrOf) no_reads_.insert(element_of(op->getSubExpr()));
    if (op->getOpcode() == UO_Deref) access(op, op->getSubExpr(), nullptr);
    if (op->getOpcode() == UO_LNot) test(op->getSubExpr());
    return true;
  }

  bool VisitArraySubscriptExpr(ArraySubscriptExpr* subscript) {
    access(subscript, subscript->getBase(), subscript->getIdx());
    return true;
  }

  bool VisitMemberExpr(MemberExpr* member) {
    if (member->isArrow() && !isa<CXXThisExpr>(member->getBase()->IgnoreParenCasts()))
      access(member, member->getBase(), nullptr);
    return true;
  }

  bool VisitCallExpr(CallExpr* call) {
    if (const auto* op = dyn_cast<CXXOperatorCallExpr>(call)) {
      if (op->isAssignmentOp()) store(op->getArg(0), op->getOperator() != OO_Equal);
      if (op->getOperator() == OO_EqualEqual || op->getOperator() == OO_ExclaimEqual) test(op->getArg(0));
      return true;
    }
    const std::string name = name_called(*call);
    for (unsigned i = 0; i < call->getNumArgs(); ++i) pass(call->getArg(i), call->getDirectCallee(), i, name);
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr* made) {
    if (made->getConstructor()->isCopyOrMoveConstructor()) return true;
    for (unsigned i = 0; i < made->getNumArgs(); ++i) pass(made->getArg(i), nullptr, i, "");
    return true;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt* assembly) {
    for (unsigned i = 0; i < assembly->getNumInputs(); ++i)
      for (const ValueDecl* root : roots(assembly->getInputExpr(i)))
        note(root, [](PointerUse& use) { use.passed = true; });
    return true;
  }

 private:
  using Variables = std::set<const ValueDecl*>;

  // The variables, and fields of parameters, that an expression of a pointer, or an lvalue reached through one, comes
  // from.
  Variables roots(const Expr* e) const {
    e = e->IgnoreParenCasts();
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(e)) return roots(subscript->getBase());
    if (const auto* op = dyn_cast<UnaryOperator>(e)) return roots(op->getSubExpr());
    if (const auto* member = dyn_cast<MemberExpr>(e))
      return found_.contains(member->getMemberDecl()) ? Variables{member->getMemberDecl()} : roots(member->getBase());
    if (const auto* op = dyn_cast<CXXOperatorCallExpr>(e); op && op->getNumArgs() > 0) return roots(op->getArg(0));
    if (const auto* cast = dyn_cast<CXXUnresolvedConstructExpr>(e); cast && cast->getNumArgs() == 1)
      return roots(cast->getArg(0));
    if (const auto* op = dyn_cast<BinaryOperator>(e)) {
      const bool right = !op->getLHS()->getType()->isPointerType() && op->getRHS()->getType()->isPointerType();
      return roots(right ? op->getRHS() : op->getLHS());
    }
    if (const auto* choice = dyn_cast<ConditionalOperator>(e)) {
      Variables both = roots(choice->getTrueExpr());
      both.merge(roots(choice->getFalseExpr()));
      return both;
    }
    const auto* name = dyn_cast<DeclRefExpr>(e);
    const auto* variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable) return {};
    const auto alias = aliases_.find(variable);
    return alias == aliases_.end() ? Variables{variable} : alias->second;
  }

  void add_alias(const VarDecl* variable, const Expr* from) {
    if (!variable) return;
    no_reads_.insert(element_of(from));  // a reference to an element reads nothing yet
    for (const ValueDecl* root : roots(from))
      if (root != variable) aliases_[variable].insert(root);
    if (found_.contains(variable)) aliases_[variable].insert(variable);  // it is what was given, too
  }

  template <class Note>
  void note(const ValueDecl* variable, const Note& what) {
    const auto parameter = found_.find(variable);
    if (parameter != found_.end()) what(parameter->second);
  }

  // A pointer whose value is asked for; of a template, too, where no conversion says so.
  bool test(const Expr* asked) {
    if (asked && points(asked))
      for (const ValueDecl* root : roots(asked)) note(root, [](PointerUse& use) { use.tested = true; });
    return true;
  }

  bool is_of_memory(const Expr* lvalue) const {
    lvalue = element_of(lvalue);
    if (isa<ArraySubscriptExpr>(lvalue) || isa<MemberExpr>(lvalue) || isa<CXXOperatorCallExpr>(lvalue)) return true;
    if (const auto* op = dyn_cast<UnaryOperator>(lvalue)) return op->getOpcode() == UO_Deref;
    const auto* name = dyn_cast<DeclRefExpr>(lvalue);
    return name && name->getDecl()->getType()->isReferenceType();
  }

  void store(const Expr* lvalue, bool reads) {
    if (!is_of_memory(lvalue)) return;
    if (!reads) no_reads_.insert(element_of(lvalue));
    for (const ValueDecl* root : roots(lvalue))
      note(root, [&](PointerUse& use) {
        use.indexed = use.written = true;
        use.read |= reads;
      });
  }

  void access(const Expr* element, const Expr* base, const Expr* index) {
    const bool reads = !no_reads_.contains(element);
    const bool many = index && (index->isValueDependent() || !isa<IntegerLiteral>(index->IgnoreParenCasts()));
    for (const ValueDecl* root : roots(base))
      note(root, [&](PointerUse& use) {
        use.indexed = true;
        use.read |= reads;
        use.many |= many || isa<BinaryOperator>(base->IgnoreParenCasts());
      });
  }

  // Whether it is a pointer, also where a template leaves open what is added to one.
  static bool points(const Expr* e) {
    e = e->IgnoreParenCasts();
    if (e->getType()->isPointerType()) return true;
    if (const auto* sum = dyn_cast<BinaryOperator>(e); sum && sum->isAdditiveOp()) return points(sum->getLHS());
    const auto* sum = dyn_cast<CXXOperatorCallExpr>(e);
    return sum && sum->getOperator() == OO_Plus && points(sum->getArg(0));
  }

  // An argument of a call: a pointer, or an element that the callee takes by reference.
  void pass(const Expr* argument, const FunctionDecl* callee, unsigned i, const std::string& name) {
    const Expr* plain = argument->IgnoreParenCasts();
    const QualType type = plain->getType();
    const bool by_reference = callee && i < callee->getNumParams() &&
                              callee->getParamDecl(i)->getType()->isReferenceType() && is_of_memory(plain);
    if (!by_reference && !points(plain) && !type->isArrayType()) return;
    const PointerUse inside = use_in(callee, i, name);
    if (by_reference && !inside.read) no_reads_.insert(element_of(plain));
    for (const ValueDecl* root : roots(plain)) note(root, [&](PointerUse& use) { use.merge(inside); });
  }

  PointerUse use_in(const FunctionDecl* callee, unsigned i, const std::string& name) const {
    PointerUse use;
    const FunctionDecl* defined = nullptr;
    if (name.starts_with("atomic")) {
      use.indexed = use.written = i == 0;
      use.added_to = i == 0 && name == "atomicAdd";
    } else if (name.starts_with("__ld") || name.starts_with("load")) {
      use.indexed = use.read = true;
    } else if (name.starts_with("__st")) {
      use.indexed = use.written = true;
    } else if (callee && callee->hasBody(defined) && i < defined->getNumParams()) {
      const std::vector<PointerUse>& inside = uses_of(*defined);
      return i < inside.size() ? inside[i] : use;
    } else {
      use.passed = true;
    }
    return use;
  }

  std::map<const ValueDecl*, PointerUse> found_;
  std::map<const VarDecl*, Variables> aliases_;
  std::set<const Expr*> no_reads_;  // elements that are only written, or whose address is taken
};

const std::vector<PointerUse>& uses_of(const FunctionDecl& defined) {
  static std::map<const FunctionDecl*, std::vector<PointerUse>> known;
  if (const auto [at, is_new] = known.try_emplace(&defined); !is_new) return at->second;
  const Uses uses(defined);
  std::vector<PointerUse> all;
  for (const ParmVarDecl* parameter : defined.parameters()) {
    const QualType type = parameter->getType();
    all.push_back(type->isPointerType() || type->isReferenceType() ? uses.of(parameter) : PointerUse{});
    if (const RecordDecl* record = record_of_pointers(type))
      for (const FieldDecl* field : record->fields()) all.back().fields.push_back(uses.of(field));
  }
  return known[&defined] = std::move(all);
}

}  // namespace

std::vector<PointerUse> pointer_uses(const FunctionDecl& function) {
  const FunctionDecl* defined = nullptr;
  if (!function.hasBody(defined)) return std::vector<PointerUse>(function.getNumParams());
  return uses_of(*defined);
}

}  // namespace assay::reader
