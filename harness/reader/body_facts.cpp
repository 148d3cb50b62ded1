// Walking a body, statement by statement; arithmetic is taken as a whole, and what is inside of it walked as well.
#include "harness/reader/body_facts.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <optional>
#include <set>

#include "harness/reader/assignments.h"
#include "harness/reader/expressions.h"
#include "harness/reader/places.h"
#include "harness/reader/sums.h"
#include "harness/reader/words.h"
#include "harness/reader/worker.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr size_t kFactsMax = 2000;  // of each kind; a longer body says no more of how it is launched

bool is_arithmetic(BinaryOperatorKind kind) { return kind >= BO_Mul && kind <= BO_Shr; }

bool is_real(QualType type) { return !type.isNull() && type.getNonReferenceType()->isRealFloatingType(); }

bool may_be_whole(QualType type) {
  return !type.isNull() && (type.getNonReferenceType()->isIntegerType() || type->isDependentType());
}

class Walk {
 public:
  Walk(const FunctionDecl* function, ASTContext& context)
      : context_(context), function_(function), sums_(function, context) {
    walk(function->getBody());
    if (const Worker worker = handed_to(function); worker.function) {
      function_ = worker.function;
      sums_.go_on_in(worker.function, worker.names);
      walk(worker.function->getBody());
    }
  }

  Object take() {
    Array variables, shared;
    for (auto& [name, each] : variables_) {
      each["name"] = name;
      each["steps"] = std::move(steps_[name]);
      variables.push_back(std::move(each));
    }
    for (auto& [variable, fact] : shared_) {
      fact["by_thread"] = by_thread_.contains(variable);
      fact["written_by_thread"] = written_by_thread_.contains(variable);
      shared.push_back(std::move(fact));
    }
    return Object{{"variables", std::move(variables)},      {"accesses", std::move(accesses_)},
                  {"comparisons", std::move(comparisons_)}, {"others", std::move(others_)},
                  {"divisions", std::move(divisions_)},     {"shared", std::move(shared)}};
  }

 private:
  static void add(Array& all, Object fact) {
    if (all.size() < kFactsMax) all.push_back(std::move(fact));
  }

  void add_other(const Terms& sum) {
    if (others_.size() < kFactsMax) others_.push_back(fact_of(sum));
  }

  void walk(const Stmt* part) {
    if (!part) return;
    if (const auto* e = dyn_cast<Expr>(part)) return walk_expression(e);
    if (const auto* declared = dyn_cast<DeclStmt>(part)) {
      for (const Decl* each : declared->decls())
        if (const auto* variable = dyn_cast<VarDecl>(each)) declare(*variable);
    } else if (const auto* loop = dyn_cast<ForStmt>(part)) {
      walk(loop->getInit());
      in_head_ = true;
      walk(loop->getCond());
      in_head_ = false;
      walk(loop->getInc());
      walk(loop->getBody());
    } else {
      for (const Stmt* each : part->children()) walk(each);
    }
  }

  void walk_expression(const Expr* e) {
    const Expr* inner = inside_of(e);
    if (const auto op = binary_of(inner)) {
      if (BinaryOperator::isAssignmentOp(op->kind)) return assign(*op);
      if (BinaryOperator::isComparisonOp(op->kind)) return compare(*op);
      if (is_arithmetic(op->kind)) return arithmetic(*op, *inner);
    }
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(inner)) {
      index(subscript->getBase(), subscript->getIdx());
      walk_inside(subscript->getIdx());
      return walk(subscript->getBase());
    }
    if (const Terms sum = is_value(*inner) ? sums_.of(inner) : Terms(); !sum.empty()) add_other(sum);
    for (const Stmt* each : inner->children()) walk(each);
  }

  // Goes on to the elements and calls that an expression has for factors which is taken as a whole.
  void walk_inside(const Expr* e) {
    const Expr* inner = inside_of(e);
    if (const auto op = binary_of(inner); op && is_arithmetic(op->kind)) {
      note_division(*op);
      walk_inside(op->left);
      walk_inside(op->right);
    } else if (!is_value(*inner)) {
      walk_expression(inner);
    }
  }

  // A name or a member by itself, as n, threadIdx.x and p.n.
  static bool is_value(const Expr& e) {
    if (const auto* name = dyn_cast<DeclRefExpr>(&e)) return may_be_whole(name->getType());
    const auto* member = dyn_cast<MemberExpr>(&e);
    return member && may_be_whole(member->getType()) && isa<DeclRefExpr>(inside_of(member->getBase()));
  }

  void declare(const VarDecl& variable) {
    if (variable.hasAttr<CUDASharedAttr>()) return share(variable);
    const Expr* value = variable.getInit();
    if (!value) return;
    if (!may_be_whole(variable.getType()) && !variable.getType()->isUndeducedType()) return walk(value);
    begin(variable, *value);
    walk_inside(value);
  }

  // The first value of a variable that has several, and the only one of others.
  void begin(const VarDecl& variable, const Expr& value) {
    const auto* changes = assignments_in(function_).of(&variable);
    Object fact{{"begin", fact_of(sums_.of(&value))}, {"varies", changes != nullptr}};
    if (variables_.size() < kFactsMax) variables_.emplace(sums_.name_of(&variable), std::move(fact));
  }

  void assign(const Binary& op) {
    const auto* name = dyn_cast<DeclRefExpr>(inside_of(op.left));
    const auto* variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !variable->isLocalVarDecl() || !may_be_whole(variable->getType())) {
      if (const auto* made = dyn_cast<ArraySubscriptExpr>(inside_of(op.left))) note_written(*made);
      walk(op.left);
      return walk(op.right);
    }
    const auto sum = binary_of(inside_of(op.right));
    const bool goes_on = sum && sum->kind == BO_Add && is_named(sum->left, variable);  // i = i + 4
    if (op.kind == BO_AddAssign || goes_on)
      steps_[sums_.name_of(variable)].push_back(fact_of(sums_.of(goes_on ? sum->right : op.right)));
    else if (op.kind == BO_Assign)
      begin(*variable, *op.right);
    else
      return walk(op.right);
    walk_inside(op.right);
  }

  static bool is_named(const Expr* e, const ValueDecl* variable) {
    const auto* name = dyn_cast<DeclRefExpr>(inside_of(e));
    return name && name->getDecl() == variable;
  }

  // The index on the left, whichever way round it is written.
  void compare(const Binary& op) {
    const Expr *left = op.left, *right = op.right;
    if (!may_be_whole(left->getType()) || !may_be_whole(right->getType())) return walk(left), walk(right);
    const bool turns = hangs_on_thread(right) && !hangs_on_thread(left);
    if (turns) std::swap(left, right);
    const auto sign = turns ? BinaryOperator::reverseComparisonOp(op.kind) : op.kind;
    const auto* name = dyn_cast<DeclRefExpr>(inside_of(left));
    add(comparisons_, Object{{"name", name ? name->getDecl()->getNameAsString() : sums_.text(*left)},
                             {"left", fact_of(sums_.of(left))},
                             {"sign", BinaryOperator::getOpcodeStr(sign)},
                             {"right", fact_of(sums_.of(right))},
                             {"bound", sums_.text(*right)},
                             {"heads_loop", in_head_}});
    walk_inside(left);
    walk_inside(right);
  }

  // Whether an expression, or the value of a variable in it, has such a name.
  template <class Is>
  bool names_any(const Stmt* e, const Is& is, Variables& seen) const {
    if (const auto* name = dyn_cast<DeclRefExpr>(e)) {
      if (is(*name)) return true;
      const Expr* value = seen.insert(name->getDecl()).second ? value_of(*name, function_) : nullptr;
      return value && names_any(value, is, seen);
    }
    return llvm::any_of(e->children(), [&](const Stmt* each) { return each && names_any(each, is, seen); });
  }
  // Whether it differs between threads or turns of a loop.
  bool hangs_on_thread(const Expr* e) const {
    Variables seen;
    return names_any(
        e, [&](const DeclRefExpr& name) { return sums_.varies(name) || is_builtin(name); }, seen);
  }
  bool names_parameter(const Expr* e) const {
    Variables seen;
    return names_any(
        e, [](const DeclRefExpr& name) { return isa<ParmVarDecl>(name.getDecl()); }, seen);
  }

  void arithmetic(const Binary& op, const Expr& e) {
    note_division(op);
    if (const auto place = place_of(&e)) {
      note_access(*place, true);
    } else if (!is_real(e.getType())) {
      add_other(sums_.of(&e));
    } else {
      walk(op.left);
      return walk(op.right);
    }
    walk_inside(op.left);
    walk_inside(op.right);
  }

  // An element of a parameter, by the index that all additions to its pointer make.
  struct Place {
    std::string pointer;
    Terms index;
  };
  std::optional<Place> place_of(const Expr* e, int depth = 0) {
    const Expr* inner = inside_of(e);
    if (counts_others(e)) return std::nullopt;
    if (const auto* name = dyn_cast<DeclRefExpr>(inner)) {
      if (isa<ParmVarDecl>(name->getDecl()) && name->getDecl()->getType()->isPointerType())
        return Place{sums_.name_of(name->getDecl()), {}};
      const Expr* value = value_of(*name, function_);
      return value && depth < kDefinitionsDeepMax ? place_of(value, depth + 1) : std::nullopt;
    }
    if (const auto* member = dyn_cast<MemberExpr>(inner))
      if (member->getType()->isPointerType() && isa<DeclRefExpr>(inside_of(member->getBase())))
        return Place{sums_.name_of(member->getMemberDecl()), {}};
    if (const auto* taken = dyn_cast<UnaryOperator>(inner); taken && taken->getOpcode() == UO_AddrOf)
      if (const auto* element = dyn_cast<ArraySubscriptExpr>(inside_of(taken->getSubExpr())))
        return moved(element->getBase(), element->getIdx(), depth);
    if (const auto op = binary_of(inner); op && op->kind == BO_Add) {
      if (auto place = moved(op->left, op->right, depth)) return place;
      return moved(op->right, op->left, depth);
    }
    return std::nullopt;
  }
  // Whether casts make a pointer to other elements of an expression, as to float4.
  bool counts_others(const Expr* e) const {
    for (e = e->IgnoreParenImpCasts(); const auto* cast = dyn_cast<ExplicitCastExpr>(e);
         e = cast->getSubExpr()->IgnoreParenImpCasts()) {
      const QualType to = cast->getType(), from = cast->getSubExpr()->getType();
      if (to->isPointerType() && from->isPointerType() &&
          !context_.hasSameUnqualifiedType(to->getPointeeType(), from->getPointeeType()))
        return true;
    }
    return false;
  }
  std::optional<Place> moved(const Expr* pointer, const Expr* by, int depth) {
    auto place = place_of(pointer, depth);
    if (place) place->index = plus(place->index, sums_.of(by), 1);
    return place;
  }

  void index(const Expr* base, const Expr* by) {
    if (auto place = moved(base, by, 0)) note_access(*place, false);
    const auto* name = dyn_cast<DeclRefExpr>(inside_of(base));
    if (name && text_of(sums_.of(by)) == "threadIdx.x") by_thread_.insert(name->getDecl());
  }

  void note_access(const Place& place, bool is_moved) {
    if (noted_.insert(place.pointer + (is_moved ? "+" : "[") + text_of(place.index)).second)
      add(accesses_, Object{{"pointer", place.pointer}, {"index", fact_of(place.index)}, {"moved", is_moved}});
  }

  void note_written(const ArraySubscriptExpr& element) {
    const auto* name = dyn_cast<DeclRefExpr>(inside_of(element.getBase()));
    if (name && text_of(sums_.of(element.getIdx())) == "threadIdx.x") written_by_thread_.insert(name->getDecl());
  }

  // n / 4 that nothing multiplies by 4 again.
  void note_division(const Binary& op) {
    const auto divides = [](const std::optional<Binary>& each) {
      return each && (each->kind == BO_Div || each->kind == BO_Shr);
    };
    if (const auto inner = binary_of(inside_of(op.left)); op.kind == BO_Mul && divides(inner))
      if (text_of(sums_.of(inner->right)) == text_of(sums_.of(op.right))) floored_.insert(inner->right);
    if (!divides(op) || floored_.contains(op.right)) return;
    const Expr* size = inside_of(op.left);
    if (const auto product = binary_of(size); product && product->kind == BO_Mul) size = product->right;
    const Terms by = sums_.of(op.right);
    add(divisions_, Object{{"of", text_of(sums_.of(size))},
                           {"by", fact_of(by)},
                           {"shifts", op.kind == BO_Shr},
                           {"by_constant", !hangs_on_thread(op.right) && !names_parameter(op.right)}});
  }

  void share(const VarDecl& variable) {
    Array extents;
    QualType type = variable.getType();
    for (const auto* array = type->getAsArrayTypeUnsafe(); array; array = type->getAsArrayTypeUnsafe()) {
      if (const auto* number = dyn_cast<ConstantArrayType>(array))
        extents.push_back(std::to_string(number->getSize().getZExtValue()));
      else if (const auto* open = dyn_cast<DependentSizedArrayType>(array); open && open->getSizeExpr())
        extents.push_back(sums_.text(*open->getSizeExpr()));
      type = array->getElementType();
    }
    shared_.emplace_back(&variable, Object{{"extents", std::move(extents)}});
  }

  ASTContext& context_;
  const FunctionDecl* function_;
  Sums sums_;
  bool in_head_ = false;
  std::map<std::string, Object> variables_;
  std::map<std::string, Array> steps_;
  Array accesses_, comparisons_, others_, divisions_;
  std::vector<std::pair<const VarDecl*, Object>> shared_;
  Variables by_thread_, written_by_thread_;  // arrays, by threadIdx.x alone
  std::set<std::string> noted_;
  std::set<const Expr*> floored_;  // divisors by which something is multiplied again
};

}  // namespace

Object body_facts(const FunctionDecl* function, ASTContext& context) {
  Object fact = Walk(function, context).take();
  add_words(function, context, fact);
  return fact;
}

}  // namespace assay::reader
