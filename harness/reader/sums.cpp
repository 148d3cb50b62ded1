// Adding and multiplying sums, and making them of Clang's expressions.
#include "harness/reader/sums.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "harness/reader/expressions.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

namespace {

constexpr size_t kTermsMax = 40;   // of a sum, and factors of a product; more than that is text
constexpr int kDeepMax = 24;       // variables, brackets and operators in others
constexpr size_t kNodesMax = 300;  // of an expression with values in the places of variables: each may have two others

// In brackets where it is more than one factor.
std::string text_of_factor(const Terms& sum) {
  const std::string text = text_of(sum);
  const bool is_one = sum.empty() || (sum.size() == 1 && text.find('*') == std::string::npos);
  return is_one ? text : "(" + text + ")";
}

Terms times(const Terms& left, const Terms& right) {
  if (left.empty() || right.empty()) return {};
  const auto is_one_product = [](const Terms& sum) { return sum.size() == 1 && sum[0].of.empty(); };
  if (!is_one_product(left)) {
    if (is_one_product(right)) return times(right, left);
    return times({Term{1, {text_of_factor(left)}, {}}}, right);
  }
  Term product = left[0];
  if (right.size() > 1) {
    if (product.times == 1 && product.factors.empty()) return right;
    product.of = right;
    return {product};
  }
  int64_t number = 0;
  if (__builtin_mul_overflow(product.times, right[0].times, &number)) return {Term{1, {"too large"}, {}}};
  product.times = number;
  product.factors.insert(product.factors.end(), right[0].factors.begin(), right[0].factors.end());
  std::ranges::sort(product.factors);
  product.of = right[0].of;
  return {product};
}

std::optional<int64_t> number_in(const Terms& sum) {
  if (sum.empty()) return 0;
  const bool is_number = sum.size() == 1 && sum[0].is_number();
  return is_number ? std::optional(sum[0].times) : std::nullopt;
}

}  // namespace

Terms plus(Terms sum, const Terms& other, int64_t times) {
  for (Term term : other) {
    term.times *= times;
    const auto same = llvm::find_if(
        sum, [&](const Term& each) { return each.factors == term.factors && text_of(each.of) == text_of(term.of); });
    if (same == sum.end())
      sum.push_back(std::move(term));
    else if ((same->times += term.times) == 0)
      sum.erase(same);
  }
  std::ranges::sort(sum, {}, text_of_term);
  return sum;
}

llvm::json::Array fact_of(const Terms& sum) {
  llvm::json::Array all;
  for (const Term& term : sum)
    all.push_back(
        llvm::json::Object{{"times", term.times}, {"factors", texts(term.factors)}, {"of", fact_of(term.of)}});
  return all;
}

const Expr* inside_of(const Expr* e) {
  for (;;) {
    const Expr* outer = e;
    e = e->IgnoreParenCasts();
    if (const auto* whole = dyn_cast<FullExpr>(e)) e = whole->getSubExpr();
    if (const auto* made = dyn_cast<MaterializeTemporaryExpr>(e)) e = made->getSubExpr();
    if (const auto* given = dyn_cast<SubstNonTypeTemplateParmExpr>(e)) e = given->getReplacement();
    if (const auto* made = dyn_cast<CXXConstructExpr>(e); made && made->getNumArgs() == 1) e = made->getArg(0);
    if (const auto* made = dyn_cast<CXXUnresolvedConstructExpr>(e); made && made->getNumArgs() == 1)
      e = made->getArg(0);
    if (const auto* list = dyn_cast<InitListExpr>(e); list && list->getNumInits() == 1) e = list->getInit(0);
    if (const auto* list = dyn_cast<ParenListExpr>(e); list && list->getNumExprs() == 1) e = list->getExpr(0);
    if (e == outer) return e;
  }
}

std::optional<Binary> binary_of(const Expr* e) {
  if (const auto* op = dyn_cast<BinaryOperator>(e)) return Binary{op->getOpcode(), op->getLHS(), op->getRHS()};
  const auto* call = dyn_cast<CXXOperatorCallExpr>(e);
  if (!call || !call->isInfixBinaryOp() || !call->isTypeDependent()) return std::nullopt;
  return Binary{BinaryOperator::getOverloadedOpcode(call->getOperator()), call->getArg(0), call->getArg(1)};
}

void Sums::go_on_in(const FunctionDecl* function, const std::map<std::string, std::string>& names) {
  function_ = function;
  renamed_ = names;
}

std::string Sums::name_of(const ValueDecl* named) {
  const auto [known, is_new] = names_.try_emplace(named);
  if (!is_new) return known->second;
  std::string& name = known->second = named->getNameAsString();
  if (isa<ParmVarDecl>(named)) {
    if (const auto other = renamed_.find(name); other != renamed_.end()) name = other->second;
  } else if (const auto* variable = dyn_cast<VarDecl>(named); variable && variable->isLocalVarDecl()) {
    if (const int before = used_[name]++; before > 0) name += "#" + std::to_string(before);
  }
  return name;
}

bool Sums::varies(const DeclRefExpr& name) const {
  const auto* variable = dyn_cast<VarDecl>(name.getDecl());
  return variable && variable->isLocalVarDecl() && !value_of(name, function_);
}

namespace {
void add_names(const Stmt* e, Variables& names) {
  if (const auto* name = dyn_cast<DeclRefExpr>(e)) names.insert(name->getDecl());
  for (const Stmt* each : e->children())
    if (each) add_names(each, names);
}
}  // namespace

std::string Sums::text(const Expr& e) {
  Variables kept;
  if (nodes_in(&e) > kNodesMax) add_names(&e, kept);
  return reader::text_of(e, function_, context_, kept);
}

size_t Sums::nodes_in(const Stmt* e) {
  size_t nodes = 1;
  if (const auto* name = dyn_cast<DeclRefExpr>(e))
    if (const Expr* value = value_of(*name, function_)) {
      const auto [known, is_new] = nodes_.try_emplace(value, 1);  // of one that is made of itself
      if (is_new) nodes_[value] = nodes_in(value);
      nodes += nodes_[value];
    }
  for (const Stmt* each : e->children())
    if (each && nodes <= kNodesMax) nodes += nodes_in(each);
  return nodes;
}

Terms Sums::of(const Expr* e, int depth) {
  e = inside_of(e);
  if (!e->getType().isNull() && !e->containsErrors())
    if (const auto number = whole_value(*e, context_)) return *number == 0 ? Terms() : Terms{Term{*number, {}, {}}};
  if (depth > kDeepMax) return one(text(*e));
  if (const auto op = binary_of(e)) return of_operator(*op, *e, depth + 1);
  if (const auto* op = dyn_cast<UnaryOperator>(e); op && op->getOpcode() == UO_Minus)
    return plus({}, of(op->getSubExpr(), depth + 1), -1);
  if (const auto* name = dyn_cast<DeclRefExpr>(e)) {
    const auto* variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable || !(variable->isLocalVarDecl() || isa<ParmVarDecl>(variable))) return one(text(*e));
    const Expr* value = value_of(*name, function_);
    if (!value || isa<LambdaExpr>(value->IgnoreImplicit()) || nodes_in(value) > kNodesMax)
      return one(name_of(variable));
    const auto [known, is_new] = known_.try_emplace(value, one(name_of(variable)));  // of one that is made of itself
    if (!is_new) return known->second;
    return known_[value] = of(value, depth + 1);
  }
  if (const auto* member = dyn_cast<MemberExpr>(e)) {  // a field of a structure that is a parameter
    const auto* base = dyn_cast<DeclRefExpr>(inside_of(member->getBase()));
    if (base && isa<ParmVarDecl>(base->getDecl())) return one(name_of(member->getMemberDecl()));
  }
  return one(text(*e));
}

Terms Sums::of_operator(const Binary& op, const Expr& e, int depth) {
  const Terms left = of(op.left, depth), right = of(op.right, depth);
  const std::optional<int64_t> by = number_in(right);
  const bool shifts = by && *by >= 0 && *by < 31;
  const bool is_short = left.size() + right.size() <= kTermsMax;
  const auto joined = [&](const char* sign, const Terms& divisor) {
    return one(text_of_factor(left) + sign + text_of_factor(divisor));
  };
  switch (op.kind) {
    case BO_Add:
      return is_short ? plus(left, right, 1) : joined("+", right);
    case BO_Sub:
      return is_short ? plus(left, right, -1) : joined("-", right);
    case BO_Mul:
      return times(left, right);
    case BO_Shl:
      return shifts ? times(left, {Term{int64_t{1} << *by, {}, {}}}) : joined("<<", right);
    case BO_Shr:
      return shifts ? joined("/", {Term{int64_t{1} << *by, {}, {}}}) : joined(">>", right);
    case BO_Div:
      return joined("/", right);
    case BO_Rem:
      return joined("%", right);
    default:
      return one(text(e));
  }
}

}  // namespace assay::reader
