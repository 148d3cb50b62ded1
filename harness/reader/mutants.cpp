// The functions that count, and each of their statements before each kind of mutants.
#include "harness/reader/mutants.h"

#include <clang/AST/DeclTemplate.h>

#include <vector>

#include "harness/reader/mutant_sites.h"
#include "harness/reader/places.h"
#include "harness/reader/reached.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

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
  visit_reached(
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

Object mutants_of(ASTContext& context, const CodeAsked& asked) {
  const std::vector<const FunctionDecl*> roots = roots_of(context, asked.roots);
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
