// The functions that count, and each of their statements before each kind of mutants.
#include "harness/reader/mutants.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <functional>
#include <vector>

#include "harness/reader/mutant_sites.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

bool is_kernel(const FunctionDecl& function) { return function.hasAttr<CUDAGlobalAttr>(); }

// The function around lambdas.
const FunctionDecl* around_lambdas(const FunctionDecl* function) {
  for (;;) {
    const auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
    if (!method || !method->getParent()->isLambda()) return function;
    const DeclContext* outer = method->getParent()->getDeclContext();
    while (outer && !outer->isFunctionOrMethod()) outer = outer->getParent();
    function = dyn_cast_or_null<FunctionDecl>(outer);
  }
}

// Functions of the main file, or those of some names; instances of templates as well.
class Functions : public RecursiveASTVisitor<Functions> {
 public:
  Functions(ASTContext& context, const std::set<std::string>& names)
      : sources_(context.getSourceManager()), names_(names) {
    TraverseDecl(context.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl* declared) {
    if (declared && !isa<TranslationUnitDecl>(declared) && declared->getLocation().isValid() &&
        sources_.isInSystemHeader(sources_.getExpansionLoc(declared->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declared);
  }
  bool VisitFunctionDecl(FunctionDecl* function) {
    const bool is_wanted = names_.empty() ? is_in_main_file(function->getLocation(), sources_)
                                          : names_.count(function->getNameAsString()) != 0;
    if (is_wanted && function->doesThisDeclarationHaveABody()) all.push_back(function);
    return true;
  }

  std::vector<const FunctionDecl*> all;

 private:
  const SourceManager& sources_;
  const std::set<std::string>& names_;
};

// Goes from functions to those that they name.
class Reached : public RecursiveASTVisitor<Reached> {
 public:
  using Enter = std::function<void(const FunctionDecl&)>;
  using Show = std::function<void(const Stmt&)>;

  // `enter` sees each function once, then `show` its statements and expressions, the outer ones first.
  Reached(const std::vector<const FunctionDecl*>& roots, const Enter& enter, Show show) : show_(std::move(show)) {
    for (const FunctionDecl* root : roots) reach(root);
    while (!waiting_.empty()) {
      const FunctionDecl* function = waiting_.back();
      waiting_.pop_back();
      enter(*function);
      if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function))
        for (const CXXCtorInitializer* each : constructor->inits()) TraverseStmt(each->getInit());
      TraverseStmt(function->getBody());
    }
  }

  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseTypeLoc(TypeLoc) { return true; }  // sizes of arrays and arguments of templates are no code
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc&) { return true; }
  bool TraverseAttr(Attr*) { return true; }
  bool TraverseStaticAssertDecl(StaticAssertDecl*) { return true; }

  bool VisitStmt(Stmt* node) {
    show_(*node);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* name) { return reach(dyn_cast<FunctionDecl>(name->getDecl())); }
  bool VisitMemberExpr(MemberExpr* name) { return reach(dyn_cast<FunctionDecl>(name->getMemberDecl())); }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) { return reach(made->getConstructor()); }

 private:
  bool reach(const FunctionDecl* function) {
    const FunctionDecl* defined = nullptr;
    if (function && function->hasBody(defined) && seen_.insert(defined).second) waiting_.push_back(defined);
    return true;
  }

  const Show show_;
  std::vector<const FunctionDecl*> waiting_;
  std::set<const FunctionDecl*> seen_;
};

bool reaches_kernel(const FunctionDecl* function) {
  bool found = false;
  const Reached all(
      {function}, [&](const FunctionDecl& each) { found |= is_kernel(each); }, [](const Stmt&) {});
  return found;
}

// Which parts of a statement are statements of their own.
void note_parts(const Stmt& node, MutantSites& sites) {
  if (const auto* block = dyn_cast<CompoundStmt>(&node))
    for (const Stmt* part : block->body()) sites.note_unused(part);
  if (const auto* choice = dyn_cast<IfStmt>(&node))
    sites.note_unused(choice->getThen()), sites.note_unused(choice->getElse());
  if (const auto* loop = dyn_cast<WhileStmt>(&node)) sites.note_unused(loop->getBody());
  const auto* loop = dyn_cast<ForStmt>(&node);
  if (loop) sites.note_unused(loop->getBody()), sites.note_loop_begin(loop->getInit());
}

void plant(const std::vector<const FunctionDecl*>& roots, MutantSites& sites) {
  const Reached all(
      roots,
      [&](const FunctionDecl& function) {
        const FunctionDecl* around = around_lambdas(&function);
        sites.enter(around ? around->getNameAsString() : "");
      },
      [&](const Stmt& node) {
        note_parts(node, sites);
        for (const MutantKind& kind : mutant_kinds()) {
          sites.take_kind(kind.name);
          kind.plant(node, sites);
        }
      });
}

}  // namespace

Object mutants_of(ASTContext& context, const MutantsAsked& asked) {
  std::vector<const FunctionDecl*> roots = Functions(context, asked.roots).all;
  if (asked.roots.empty())  // of a file that launches its kernels itself
    llvm::erase_if(roots, [](const FunctionDecl* each) { return !reaches_kernel(each); });
  MutantSites sites(context, asked.folder);
  plant(roots, sites);
  Array kinds, mutants;
  for (const MutantKind& kind : mutant_kinds()) kinds.push_back(kind.name);
  for (const auto& [edit, planted] : sites.planted()) {
    const auto& [header, offset, length, replacement] = edit;
    mutants.push_back(Object{{"kind", planted.kind},
                             {"header", header},
                             {"offset", int64_t{offset}},
                             {"length", static_cast<int64_t>(length)},
                             {"replacement", replacement},
                             {"function", planted.function},
                             {"line", int64_t{planted.line}}});
  }
  return Object{{"kinds", std::move(kinds)}, {"mutants", std::move(mutants)}};
}

}  // namespace assay::reader
