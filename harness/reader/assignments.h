// The values that a function's body gives its variables.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace assay::reader {

// The values that are assigned to each variable of a body, besides its initialiser.
class Assignments : public clang::RecursiveASTVisitor<Assignments> {
 public:
  explicit Assignments(clang::Stmt* body) {
    TraverseStmt(body);
    const auto* statements = llvm::dyn_cast_or_null<clang::CompoundStmt>(body);
    if (!statements) return;
    for (const clang::Stmt* each : statements->body()) {
      const auto* choice = llvm::dyn_cast<clang::IfStmt>(each);
      const auto* step = llvm::dyn_cast_or_null<clang::BinaryOperator>(choice ? only_statement(*choice) : each);
      if (!step || (choice ? step->getOpcode() != clang::BO_Assign : !step->isCompoundAssignmentOp())) continue;
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(step->getLHS()->IgnoreParens());
      if (name) steps_[name->getDecl()] = {step, choice ? choice->getCond() : nullptr};
    }
  }

  const std::vector<const clang::Expr*>* of(const clang::ValueDecl* variable) const {
    const auto found = values_.find(variable);
    return found == values_.end() ? nullptr : &found->second;
  }

  const std::vector<const clang::Expr*>* of_member(const clang::ValueDecl* variable, llvm::StringRef member) const {
    const auto found = members_.find({variable, member.str()});
    return found == members_.end() ? nullptr : &found->second;
  }

  // n >>= 2, or n = 4 under a condition.
  struct Step {
    const clang::BinaryOperator* assignment = nullptr;
    const clang::Expr* condition = nullptr;
  };

  // The one, where nothing else changes the variable and every way through the body comes there; null for others.
  const Step* only_step(const clang::ValueDecl* variable) const {
    const auto step = steps_.find(variable);
    return step != steps_.end() && of(variable)->size() == 1 ? &step->second : nullptr;
  }

  // The value that a variable has at `use`, where an assignment without a condition comes before that in the same
  // block, and nothing between the two changes the variable; null for others.
  const clang::Expr* last_before(const clang::ValueDecl* variable, clang::SourceLocation use) const {
    const clang::SourceManager& sources = variable->getASTContext().getSourceManager();
    const auto is_before = [&](clang::SourceLocation a, clang::SourceLocation b) {
      return sources.isBeforeInTranslationUnit(a, b);
    };
    const auto changes = changes_.find(variable);
    if (changes == changes_.end()) return nullptr;
    const Change* last = nullptr;
    for (const Change& each : changes->second)
      if (is_before(each.at, use)) last = &each;
    if (!last || !last->value || !is_before(use, last->end)) return nullptr;
    const auto is_between = [&](clang::SourceLocation at) { return is_before(last->at, at) && is_before(at, use); };
    const auto changes_it = [&](clang::SourceRange loop) {  // for its next turn
      return is_between(loop.getBegin()) && llvm::any_of(changes->second, [&](const Change& each) {
               return is_before(use, each.at) && is_before(each.at, loop.getEnd());
             });
    };
    return llvm::any_of(labels_, is_between) || llvm::any_of(loops_, changes_it) ? nullptr : last->value;
  }

  // The value that a variable is given where `other` is assigned, in the same block and under the same label of a
  // switch; null for none, and for several.
  const clang::Expr* beside(const clang::Expr* other, const clang::ValueDecl* variable) const {
    const clang::SourceManager& sources = variable->getASTContext().getSourceManager();
    const auto changes = changes_.find(variable);
    const Change* of_other = nullptr;
    for (const auto& [each, all] : changes_)
      for (const Change& change : all)
        if (change.value == other) of_other = &change;
    if (!of_other || changes == changes_.end()) return nullptr;
    const auto is_between = [&](clang::SourceLocation at, const Change& one) {
      return sources.isBeforeInTranslationUnit(of_other->at, at) != sources.isBeforeInTranslationUnit(one.at, at);
    };
    const Change* found = nullptr;
    for (const Change& each : changes->second) {
      const bool is_beside = each.end == of_other->end && llvm::none_of(labels_, [&](clang::SourceLocation label) {
                               return is_between(label, each);
                             });
      if (is_beside && found) return nullptr;
      if (is_beside) found = &each;
    }
    return found ? found->value : nullptr;
  }

  bool TraverseCompoundStmt(clang::CompoundStmt* block) {
    for (const clang::Stmt* each : block->body()) {
      while (const auto* labelled = llvm::dyn_cast<clang::SwitchCase>(each)) each = labelled->getSubStmt();
      if (const auto* whole = llvm::dyn_cast_or_null<clang::Expr>(each))
        ends_[whole->IgnoreUnlessSpelledInSource()] = block->getEndLoc();
    }
    return RecursiveASTVisitor::TraverseCompoundStmt(block);
  }
  bool VisitStmt(clang::Stmt* statement) {
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement))
      loops_.push_back(statement->getSourceRange());
    return true;
  }
  bool VisitSwitchCase(clang::SwitchCase* label) {
    labels_.push_back(label->getBeginLoc());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* op) {
    if (op->isAssignmentOp()) add(op->getLHS(), op->isCompoundAssignmentOp() ? nullptr : op->getRHS(), op);
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* op) {
    if (op->isAssignmentOp() && op->getNumArgs() == 2) add(op->getArg(0), op->getArg(1), op);
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* op) {
    if (op->isIncrementDecrementOp() || op->getOpcode() == clang::UO_AddrOf) add(op->getSubExpr(), nullptr, op);
    return true;
  }
  // A function that takes the variable by reference may assign to it.
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* called = call->getDirectCallee();
    if (!called || llvm::isa<clang::CXXOperatorCallExpr>(call)) return true;
    for (unsigned i = 0; i < std::min(call->getNumArgs(), called->getNumParams()); ++i)
      if (const clang::QualType type = called->getParamDecl(i)->getType();
          type->isLValueReferenceType() && !type->getPointeeType().isConstQualified())
        add(call->getArg(i), nullptr, call);
    return true;
  }

 private:
  struct Change {
    const clang::Expr* value;       // null: something that is no value, or that hangs on the value before
    clang::SourceLocation at, end;  // of the assignment, and of the block that it is a statement of
  };

  // x = 4 of if (c) x = 4; and of if (c) { x = 4; }
  static const clang::Stmt* only_statement(const clang::IfStmt& choice) {
    const clang::Stmt* then = choice.getThen();
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(then))
      then = block->size() == 1 ? block->body_front() : nullptr;
    return choice.getElse() || choice.getInit() || choice.getConditionVariable() ? nullptr : then;
  }

  // A member that is assigned, as grid.x, changes the whole variable.
  void add(const clang::Expr* left, const clang::Expr* right, const clang::Expr* op) {
    left = left->IgnoreParenCasts();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(left))
      if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenCasts()))
        members_[{name->getDecl(), member->getMemberDecl()->getNameAsString()}].push_back(right);
    while (const auto* member = llvm::dyn_cast<clang::MemberExpr>(left)) {
      left = member->getBase()->IgnoreParenCasts();
      right = nullptr;
    }
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(left);
    if (!name) return;
    values_[name->getDecl()].push_back(right);
    const auto end = ends_.find(op);
    const bool is_whole = right && end != ends_.end() && !mentions(*right, name->getDecl());
    changes_[name->getDecl()].push_back(
        {is_whole ? right : nullptr, op->getExprLoc(), is_whole ? end->second : clang::SourceLocation()});
  }

  static bool mentions(const clang::Stmt& in, const clang::ValueDecl* variable) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&in);
    return (name && name->getDecl() == variable) ||
           llvm::any_of(in.children(), [&](const clang::Stmt* each) { return each && mentions(*each, variable); });
  }

  std::map<const clang::ValueDecl*, std::vector<const clang::Expr*>> values_;  // null: something that is no value
  std::map<std::pair<const clang::ValueDecl*, std::string>, std::vector<const clang::Expr*>> members_;
  std::map<const clang::ValueDecl*, Step> steps_;
  std::map<const clang::ValueDecl*, std::vector<Change>> changes_;  // in the order of the text
  std::map<const clang::Expr*, clang::SourceLocation> ends_;        // of the blocks that expressions are statements of
  std::vector<clang::SourceLocation> labels_;
  std::vector<clang::SourceRange> loops_;
};

inline const Assignments& assignments_in(const clang::FunctionDecl* function) {
  static std::map<const clang::FunctionDecl*, Assignments> known;
  const auto at = known.find(function);
  if (at != known.end()) return at->second;
  return known.emplace(function, Assignments(function ? function->getBody() : nullptr)).first->second;
}

}  // namespace assay::reader
