// The kinds of mutants, each a function over a node of the syntax tree: bugs that people make in kernels.
//
// A new kind is a function here and a line of the table at the end. It replaces the text of nodes by text, so that the
// mutant is a file as a user could have written it.
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/ADT/StringSwitch.h>

#include <optional>

#include "harness/reader/mutant_sites.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;

namespace {

// A binary operator, of the language or of a class as half.
struct Operation {
  BinaryOperatorKind kind;
  const Expr *left, *right;
  SourceLocation at;
};

std::optional<Operation> operation_of(const Stmt* node) {
  if (const auto* plain = dyn_cast_or_null<BinaryOperator>(node))
    return Operation{plain->getOpcode(), plain->getLHS(), plain->getRHS(), plain->getOperatorLoc()};
  const auto* call = dyn_cast_or_null<CXXOperatorCallExpr>(node);
  if (!call || !call->isInfixBinaryOp()) return std::nullopt;
  return Operation{BinaryOperator::getOverloadedOpcode(call->getOperator()), call->getArg(0), call->getArg(1),
                   call->getOperatorLoc()};
}

bool is_whole(const Expr* e) { return e->getType()->isIntegerType(); }
bool is_float(const Expr* e) {
  const QualType type = e->getType();
  return type->isRealFloatingType() || (type->isRecordType() && !type->isDependentType());
}

std::string other_edge(BinaryOperatorKind kind) {
  switch (kind) {
    case BO_LT:
      return "<=";
    case BO_LE:
      return "<";
    case BO_GT:
      return ">=";
    case BO_GE:
      return ">";
    default:
      return "";
  }
}

void move_edge(const Operation& compared, MutantSites& sites) {
  const std::string other = other_edge(compared.kind);
  if (!other.empty()) sites.replace(compared.at, other);
}

// A barrier that is not there.
void barriers(const Stmt& node, MutantSites& sites) {
  const auto* call = dyn_cast<CallExpr>(&node);
  if (!call || !sites.is_unused(call)) return;
  const std::string name = name_called(*call);
  if (name == "__syncthreads" || name == "__syncwarp" || name == "sync")
    sites.replace(call->getSourceRange(), "(void)0");
}

// A loop that does one step more or less.
void bounds_of(const Expr* condition, MutantSites& sites) {
  const auto found = operation_of(condition ? condition->IgnoreParenImpCasts() : nullptr);
  if (!found) return;
  if (found->kind == BO_LAnd) bounds_of(found->left, sites), bounds_of(found->right, sites);
  move_edge(*found, sites);
  const std::string bound = sites.text(found->right->getSourceRange());
  if ((found->kind == BO_LT || found->kind == BO_LE) && !bound.empty())
    sites.replace(found->right->getSourceRange(), "(" + bound + ") - 1");
}
void bounds(const Stmt& node, MutantSites& sites) {
  if (const auto* loop = dyn_cast<ForStmt>(&node)) bounds_of(loop->getCond(), sites);
  if (const auto* loop = dyn_cast<WhileStmt>(&node)) bounds_of(loop->getCond(), sites);
  if (const auto* loop = dyn_cast<DoStmt>(&node)) bounds_of(loop->getCond(), sites);
}

// Any other comparison with or without its edge, as of a causal mask.
void edges(const Stmt& node, MutantSites& sites) {
  if (const auto found = operation_of(&node)) move_edge(*found, sites);
}

// An index with the wrong sign, or with the wrong factor times the stride: row * cols + col as col * cols + row.
void indices(const Stmt& node, MutantSites& sites) {
  const auto sum = operation_of(&node);
  if (!sum || !(is_whole(sum->right) && (is_whole(sum->left) || sum->left->getType()->isPointerType()))) return;
  if (sum->kind == BO_Add) sites.replace(sum->at, "-");
  if (sum->kind == BO_Sub && is_whole(sum->left)) sites.replace(sum->at, "+");
  const auto product = operation_of(sum->left->IgnoreParenImpCasts());
  if (sum->kind != BO_Add || !product || product->kind != BO_Mul) return;
  const std::string factor = sites.text(product->left->getSourceRange()),
                    stride = sites.text(product->right->getSourceRange()),
                    added = sites.text(sum->right->getSourceRange());
  if (!factor.empty() && !stride.empty() && !added.empty())
    sites.replace({product->left->getBeginLoc(), sum->right->getEndLoc()},
                  "(" + added + ") * " + stride + " + " + factor);
}

// A sum without a term, and one that begins anew instead of adding.
void terms(const Stmt& node, MutantSites& sites) {
  const auto sum = operation_of(&node);
  if (!sum || !is_float(sum->left)) return;
  const std::string left = sites.text(sum->left->getSourceRange()), right = sites.text(sum->right->getSourceRange());
  if (left.empty() || right.empty()) return;
  const SourceRange whole(sum->left->getBeginLoc(), sum->right->getEndLoc());
  if (sum->kind == BO_Add || sum->kind == BO_Sub) sites.replace(whole, left);
  if (sum->kind == BO_Add) sites.replace(whole, right);
  if (sum->kind == BO_AddAssign) sites.replace(sum->at, "=");
}

// Loops over a range have numbers that nobody wrote, at the place of the range.
bool is_number(llvm::StringRef text) { return !text.empty() && (llvm::isDigit(text[0]) || text[0] == '.'); }

// A constant that is one more, or a quarter more.
void constants(const Stmt& node, MutantSites& sites) {
  if (const auto* whole = dyn_cast<IntegerLiteral>(&node)) {
    const std::string text = sites.text(whole->getSourceRange());
    const size_t suffix = text.find_last_not_of("uUlL") + 1;
    const llvm::APInt value = whole->getValue();
    const llvm::APInt other = value.isAllOnes() ? value.lshr(1) : value + 1;
    if (is_number(text)) sites.replace(whole->getSourceRange(), llvm::toString(other, 10, false) + text.substr(suffix));
  }
  if (const auto* real = dyn_cast<FloatingLiteral>(&node)) {
    const std::string text = sites.text(real->getSourceRange());
    if (is_number(text))
      sites.replace(real->getSourceRange(), "(" + text + (real->getValue().isZero() ? " + 1.0f)" : " * 1.25f)"));
  }
}

// A variable of a narrower type: an accumulator of float, an index of 32 bits.
void narrow_types(const Stmt& node, MutantSites& sites) {
  const auto* statement = dyn_cast<DeclStmt>(&node);
  const auto* variable = statement ? dyn_cast<VarDecl>(*statement->decl_begin()) : nullptr;
  if (!variable || !variable->getTypeSourceInfo()) return;
  const SourceRange type = variable->getTypeSourceInfo()->getTypeLoc().getUnqualifiedLoc().getSourceRange();
  const std::string narrow = llvm::StringSwitch<std::string>(sites.text(type))
                                 .Case("double", "float")
                                 .Cases("int64_t", "ptrdiff_t", "long", "long long", "int")
                                 .Cases("std::int64_t", "std::ptrdiff_t", "int")
                                 .Cases("size_t", "uint64_t", "std::size_t", "std::uint64_t", "unsigned")
                                 .Default("");
  if (!narrow.empty()) sites.replace(type, narrow);
}

bool is_zero(const Expr* value) {
  value = value->IgnoreParenImpCasts();
  if (const auto* list = dyn_cast<InitListExpr>(value)) {
    for (const Expr* each : list->inits())
      if (!isa<ImplicitValueInitExpr>(each) && !is_zero(each)) return false;
    return true;
  }
  if (const auto* whole = dyn_cast<IntegerLiteral>(value)) return whole->getValue() == 0;
  const auto* real = dyn_cast<FloatingLiteral>(value);
  return real && real->getValue().isZero();
}

// A variable that begins with whatever was there instead of zero.
void initial_values(const Stmt& node, MutantSites& sites) {
  const auto* statement = dyn_cast<DeclStmt>(&node);
  if (!statement || sites.begins_loop(&node)) return;
  for (const Decl* each : statement->decls()) {
    const auto* variable = dyn_cast<VarDecl>(each);
    if (!variable || !variable->hasInit() || variable->isConstexpr() || variable->getType().isConstQualified())
      continue;
    const QualType element = sites.context().getBaseElementType(variable->getType());
    if (element->isArithmeticType() && is_zero(variable->getInit()))
      sites.remove_initialiser(variable->getInit()->getSourceRange());
  }
}

bool takes_mask(llvm::StringRef name) {
  return name.ends_with("_sync") &&
         (name.starts_with("__shfl") || name.starts_with("__ballot") || name.starts_with("__a") ||
          name.starts_with("__match") || name.starts_with("__reduce"));
}

// A mask of lanes without the last one.
void masks(const Stmt& node, MutantSites& sites) {
  const auto* call = dyn_cast<CallExpr>(&node);
  const std::string name = call ? name_called(*call) : "";
  if (name.empty() || call->getNumArgs() < 1 || !(takes_mask(name) || name == "__syncwarp")) return;
  const std::string mask = sites.text(call->getArg(0)->getSourceRange());
  if (!mask.empty()) sites.replace(call->getArg(0)->getSourceRange(), "(" + mask + ") >> 1");
}

// The neighbour's number of a thread, and the lane beside the one that is meant.
void lanes(const Stmt& node, MutantSites& sites) {
  const auto plus_one = [&](SourceRange range) {
    const std::string text = sites.text(range);
    if (!text.empty()) sites.replace(range, "(" + text + " + 1)");
  };
  if (const auto* member = dyn_cast<MemberExpr>(&node)) {
    const auto* base = dyn_cast<DeclRefExpr>(member->getBase()->IgnoreParenImpCasts());
    if (base && base->getDecl()->getNameAsString() == "threadIdx") plus_one(member->getSourceRange());
  }
  const auto* call = dyn_cast<CallExpr>(&node);
  const std::string name = call ? name_called(*call) : "";
  if (llvm::StringRef(name).starts_with("__shfl") && call->getNumArgs() > 2)
    plus_one(call->getArg(2)->getSourceRange());
}

// An atomic operation in two steps, between which other threads come.
void atomics(const Stmt& node, MutantSites& sites) {
  const auto* call = dyn_cast<CallExpr>(&node);
  if (!call || call->getNumArgs() != 2) return;
  const std::string place = sites.text(call->getArg(0)->getSourceRange()),
                    value = sites.text(call->getArg(1)->getSourceRange());
  const std::string changed = llvm::StringSwitch<std::string>(name_called(*call))
                                  .Case("atomicAdd", "old + (" + value + ")")
                                  .Case("atomicSub", "old - (" + value + ")")
                                  .Case("atomicOr", "old | (" + value + ")")
                                  .Case("atomicAnd", "old & (" + value + ")")
                                  .Case("atomicMax", "old > (" + value + ") ? old : (" + value + ")")
                                  .Case("atomicMin", "old < (" + value + ") ? old : (" + value + ")")
                                  .Case("atomicExch", "(" + value + ")")
                                  .Default("");
  if (place.empty() || value.empty() || changed.empty()) return;
  sites.replace(call->getSourceRange(),
                "[&] { const auto old = *(" + place + "); *(" + place + ") = " + changed + "; return old; }()");
}

// The grid of a launch, where a statement gives one: an expression of dim3 or of a number of blocks, or of a structure
// that has one.
const Expr* grid_of(const CallExpr& call) {
  if (const auto* chevrons = dyn_cast<CUDAKernelCallExpr>(&call)) return chevrons->getConfig()->getArg(0);
  const auto* named = call.getNumArgs() < 2 ? nullptr : dyn_cast<DeclRefExpr>(call.getArg(0)->IgnoreParenCasts());
  const auto* kernel = named ? dyn_cast<FunctionDecl>(named->getDecl()) : nullptr;
  return kernel && kernel->hasAttr<CUDAGlobalAttr>() ? call.getArg(1) : nullptr;
}

// A launch of one block less, where it has several.
void launches(const Stmt& node, MutantSites& sites) {
  const auto* call = dyn_cast<CallExpr>(&node);
  const Expr* grid = call ? grid_of(*call) : nullptr;
  if (!grid) return;
  std::string one_less = "[](dim3 grid) { if (grid.x > 1) --grid.x; return grid; }(";
  const Expr* given = grid->IgnoreImplicit();
  if (const auto* list = dyn_cast<InitListExpr>(given); list && list->getNumInits() > 0) {
    given = list->getInit(0);
  } else if (const auto* record = given->getType()->getAsCXXRecordDecl(); record && record->getName() != "dim3") {
    one_less = "[](auto launch) { if (launch.grid.x > 1) --launch.grid.x; return launch; }(";
  }
  const std::string text = sites.text(given->getSourceRange());
  if (!text.empty()) sites.replace(given->getSourceRange(), one_less + text + ")");
}

constexpr MutantKind kKinds[] = {{"barrier", barriers},
                                 {"bound", bounds},
                                 {"edge", edges},
                                 {"index", indices},
                                 {"term", terms},
                                 {"mask", masks},
                                 {"lane", lanes},
                                 {"atomic", atomics},
                                 {"launch", launches},
                                 {"narrow", narrow_types},
                                 {"initial", initial_values},
                                 {"constant", constants}};

}  // namespace

llvm::ArrayRef<MutantKind> mutant_kinds() { return kKinds; }

}  // namespace assay::reader
