// One visit of the whole AST, templates' instances included.
#include "harness/reader/facts.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <map>
#include <set>

#include "harness/reader/expressions.h"
#include "harness/reader/pointer_uses.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

namespace {

Array texts(const std::vector<std::string>& all) {
  Array array;
  for (const std::string& each : all) array.push_back(each);
  return array;
}

const FunctionDecl* pattern_of(const FunctionDecl* function) {
  const FunctionDecl* pattern = function->getTemplateInstantiationPattern();
  return pattern ? pattern : function;
}

// The function whose body an expression stands in, lambdas left behind.
const FunctionDecl* outermost(const FunctionDecl* function) {
  while (function) {
    const auto* method = dyn_cast<CXXMethodDecl>(function);
    if (!method || !method->getParent()->isLambda()) return function;
    const DeclContext* around = method->getParent()->getDeclContext();
    while (around && !around->isFunctionOrMethod()) around = around->getParent();
    function = dyn_cast_or_null<FunctionDecl>(around);
  }
  return nullptr;
}

class Facts : public RecursiveASTVisitor<Facts> {
 public:
  Facts(ASTContext& context, const ExpandedText& expanded, Pieces& pieces)
      : context_(context), expanded_(expanded), pieces_(pieces) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool TraverseDecl(Decl* declared) {
    if (declared && !isa<TranslationUnitDecl>(declared) && in_system(declared->getLocation())) return true;
    const auto* function = dyn_cast_or_null<FunctionDecl>(declared);
    const FunctionDecl* before = function_;
    if (function && function->doesThisDeclarationHaveABody()) function_ = function;
    const bool goes_on = RecursiveASTVisitor::TraverseDecl(declared);
    function_ = before;
    return goes_on;
  }

  bool TraverseLambdaExpr(LambdaExpr* lambda) {
    const FunctionDecl* before = function_;
    function_ = lambda->getCallOperator();
    const bool goes_on = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    function_ = before;
    return goes_on;
  }

  bool TraverseIfStmt(IfStmt* choice) {
    if (!choice->getCond()) return RecursiveASTVisitor::TraverseIfStmt(choice);
    const std::string condition = text_of(*choice->getCond(), outermost(function_), context_);
    if (choice->getInit()) TraverseStmt(choice->getInit());
    TraverseStmt(choice->getCond());
    where(condition, choice->getThen());
    where("!(" + condition + ")", choice->getElse());
    return true;
  }

  bool TraverseSwitchStmt(SwitchStmt* choice) {
    const auto* body = dyn_cast_or_null<CompoundStmt>(choice->getBody());
    if (!body) return RecursiveASTVisitor::TraverseSwitchStmt(choice);
    const std::string of = text_of(*choice->getCond(), outermost(function_), context_);
    std::string condition;
    for (Stmt* part : body->body()) {
      if (const auto* value = dyn_cast<CaseStmt>(part))
        condition = of + " == " + text_of(*value->getLHS(), outermost(function_), context_);
      if (isa<DefaultStmt>(part)) condition.clear();
      where(condition, part);
    }
    return true;
  }

  // An assertion, as the shim has it.
  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (callee && callee->getIdentifier() && callee->getName() == "assay_read_requires" && function_ &&
        call->getNumArgs() == 1)
      required_[pattern_of(outermost(function_))].insert(text_of(*call->getArg(0), outermost(function_), context_));
    const auto* unresolved = dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenCasts());
    const std::string name = callee ? callee->getNameAsString() : unresolved ? unresolved->getName().getAsString() : "";
    if (name == "cudaLaunchKernelEx" && call->getNumArgs() >= 2) launch_by_configuration(*call);
    if (name == "cudaLaunchKernel" && call->getNumArgs() >= 4) launch_by_pointers(*call);
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl* function) {
    if (!function->hasAttr<CUDAGlobalAttr>()) return true;
    if (function->doesThisDeclarationHaveABody() && !function->isTemplateInstantiation()) kernel(function);
    if (function->isTemplateInstantiation()) note_instance(function);
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr* call) {
    const CallExpr* configuration = call->getConfig();
    if (!configuration) return true;
    const auto part = [&](unsigned i) {
      return i < configuration->getNumArgs() && !isa<CXXDefaultArgExpr>(configuration->getArg(i))
                 ? configuration->getArg(i)
                 : nullptr;
    };
    launch({call, call->getCallee(), part(0), part(1), part(2), {call->arg_begin(), call->arg_end()}});
    return true;
  }

  Object take() {
    Array kernels;
    for (auto& [pattern, fact] : kernels_) {
      Array instances;
      for (const FunctionDecl* instance : instances_[pattern]) instances.push_back(instance_fact(instance));
      fact["instances"] = std::move(instances);
      fact["parameters"] = parameters(pattern);
      fact["requires"] = required_of(pattern);
      kernels.push_back(std::move(fact));
    }
    Array launches;
    for (auto& [around, fact] : launches_) {
      fact["requires"] = required_of(pattern_of(around));
      launches.push_back(std::move(fact));
    }
    Array launchers;
    for (const FunctionDecl* function : launchers_)
      launchers.push_back(Object{{"name", qualified(function)},
                                 {"line", line_of(function->getLocation())},
                                 {"piece", pieces_.keep(function)}});
    return Object{
        {"kernels", std::move(kernels)}, {"launches", std::move(launches)}, {"launchers", std::move(launchers)}};
  }

 private:
  void where(const std::string& condition, Stmt* part) {
    if (!condition.empty()) conditions_.push_back(condition);
    TraverseStmt(part);
    if (!condition.empty()) conditions_.pop_back();
  }

  Array required_of(const FunctionDecl* function) const {
    const auto found = required_.find(function);
    return found == required_.end() ? Array() : texts({found->second.begin(), found->second.end()});
  }

  bool in_system(SourceLocation at) const {
    const SourceManager& sources = context_.getSourceManager();
    return at.isValid() && sources.isInSystemHeader(sources.getExpansionLoc(at));
  }

  int64_t line_of(SourceLocation at) const {
    const PresumedLoc place = context_.getSourceManager().getPresumedLoc(at);
    return place.isValid() ? place.getLine() : 0;
  }

  std::string file_of(SourceLocation at) const {
    const PresumedLoc place = context_.getSourceManager().getPresumedLoc(at);
    return place.isValid() ? place.getFilename() : "";
  }

  bool is_in_main_file(SourceLocation at) const {
    const SourceManager& sources = context_.getSourceManager();
    return sources.isInMainFile(sources.getExpansionLoc(at));
  }

  void kernel(const FunctionDecl* function) {
    Object fact{{"name", function->getNameAsString()},
                {"qualified", qualified(function)},
                {"line", line_of(function->getLocation())},
                {"in_main_file", is_in_main_file(function->getLocation())},
                {"in_macro", function->getLocation().isMacroID()}};
    Array parameters;
    if (const FunctionTemplateDecl* made_from = function->getDescribedFunctionTemplate())
      for (const NamedDecl* parameter : *made_from->getTemplateParameters())
        parameters.push_back(template_parameter(parameter));
    fact["template"] = std::move(parameters);
    fact["piece"] = pieces_.keep(function);
    if (function->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
      fact["specialised_for"] = texts(argument_texts(function->getTemplateSpecializationArgs()->asArray(), context_));
    fact["body"] = expanded_(function->getBody()->getSourceRange());
    if (const auto* bounds = function->getAttr<CUDALaunchBoundsAttr>(); bounds && bounds->getMaxThreads())
      fact["threads_max"] = text_of(*bounds->getMaxThreads(), function, context_);
    kernels_.emplace_back(function, std::move(fact));
  }

  // Without the namespaces that need no name.
  std::string qualified(const FunctionDecl* function) const {
    std::string name;
    llvm::raw_string_ostream out(name);
    PrintingPolicy policy(context_.getLangOpts());
    policy.SuppressUnwrittenScope = true;
    function->printQualifiedName(out, policy);
    return name;
  }

  Object template_parameter(const NamedDecl* parameter) {
    Object fact{{"name", parameter->getNameAsString()}};
    if (const auto* type = dyn_cast<TemplateTypeParmDecl>(parameter)) {
      fact["kind"] = "typename";
      if (type->hasDefaultArgument())
        fact["default"] = argument_texts({type->getDefaultArgument().getArgument()}, context_)[0];
    } else if (const auto* number = dyn_cast<NonTypeTemplateParmDecl>(parameter)) {
      fact["kind"] = number->getType()->isFunctionPointerType() ? "function" : type_name(number->getType(), context_);
      if (number->hasDefaultArgument())
        fact["default"] = argument_texts({number->getDefaultArgument().getArgument()}, context_)[0];
    } else {
      fact["kind"] = "template";
    }
    return fact;
  }

  // A template is read by an instance, where there is one: it alone knows what its calls do.
  Array parameters(const FunctionDecl* pattern) {
    const FunctionDecl* known = pattern;
    for (const FunctionDecl* instance : instances_[pattern])
      if (instance->hasBody()) known = instance;
    const auto uses = pointer_uses(*known);
    Array all;
    for (unsigned i = 0; i < pattern->getNumParams(); ++i) {
      const ParmVarDecl* parameter = pattern->getParamDecl(i);
      const QualType type = parameter->getType();
      const bool is_pointer = type->isPointerType();
      const QualType element = is_pointer ? type->getPointeeType() : type;
      const PointerUse use = i < uses.size() ? uses[i] : PointerUse();
      all.push_back(Object{{"name", parameter->getNameAsString()},
                           {"type", type_name(element, context_)},
                           {"is_pointer", is_pointer},
                           {"is_const", element.isConstQualified()},
                           {"line", line_of(parameter->getLocation())},
                           {"indexed", use.indexed},
                           {"written", use.written},
                           {"added_to", use.added_to},
                           {"read", use.read},
                           {"passed", use.passed},
                           {"many", use.many}});
    }
    return all;
  }

  void note_instance(const FunctionDecl* instance) {
    if (instance->getTemplateSpecializationArgs()) instances_[pattern_of(instance)].insert(instance);
  }

  // The pieces of types and functions that arguments name.
  Array pieces_of(llvm::ArrayRef<TemplateArgument> arguments) {
    Array all;
    for (const TemplateArgument& argument : arguments) {
      const Decl* named = nullptr;
      if (argument.getKind() == TemplateArgument::Type) named = argument.getAsType()->getAsTagDecl();
      if (argument.getKind() == TemplateArgument::Declaration) named = argument.getAsDecl();
      if (argument.getKind() == TemplateArgument::Template) named = argument.getAsTemplate().getAsTemplateDecl();
      if (named)
        if (const int64_t piece = pieces_.keep(named); piece >= 0) all.push_back(piece);
      if (const auto* made = dyn_cast_or_null<ClassTemplateSpecializationDecl>(named))
        for (auto& inner : pieces_of(made->getTemplateArgs().asArray())) all.push_back(std::move(inner));
    }
    return all;
  }

  Object instance_fact(const FunctionDecl* instance) {
    Object fact{{"pieces", pieces_of(instance->getTemplateSpecializationArgs()->asArray())},
                {"arguments", texts(argument_texts(instance->getTemplateSpecializationArgs()->asArray(), context_))}};
    if (const auto* bounds = instance->getAttr<CUDALaunchBoundsAttr>(); bounds && bounds->getMaxThreads())
      fact["threads_max"] = text_of(*bounds->getMaxThreads(), instance, context_);
    return fact;
  }

  // A launch, however it is written; null for what is not there.
  struct Launch {
    const CallExpr* call;
    const Expr *kernel, *grid, *block, *shared;
    std::vector<const Expr*> arguments;
  };

  static const ValueDecl* variable_behind(const Expr* e) {
    e = e->IgnoreParenCasts();
    if (const auto* op = dyn_cast<UnaryOperator>(e)) e = op->getSubExpr()->IgnoreParenCasts();
    const auto* name = dyn_cast<DeclRefExpr>(e);
    return name ? name->getDecl() : nullptr;
  }

  // cudaLaunchKernelEx(&config, kernel, arguments…)
  void launch_by_configuration(const CallExpr& call) {
    const ValueDecl* configuration = variable_behind(call.getArg(0));
    const FunctionDecl* around = outermost(function_);
    if (!configuration || !around) return;
    const auto part = [&](llvm::StringRef member) { return member_value(*configuration, member, around); };
    launch({&call,
            call.getArg(1),
            part("gridDim"),
            part("blockDim"),
            part("dynamicSmemBytes"),
            {call.arg_begin() + 2, call.arg_end()}});
  }

  // cudaLaunchKernel(kernel, grid, block, args, shared, stream), where args is an array of addresses of variables.
  void launch_by_pointers(const CallExpr& call) {
    const auto* array = dyn_cast_or_null<VarDecl>(variable_behind(call.getArg(3)));
    const auto* list = array && array->getInit() ? dyn_cast<InitListExpr>(array->getInit()->IgnoreImplicit()) : nullptr;
    if (!list) return;
    std::vector<const Expr*> arguments;
    for (const Expr* each : list->inits()) {
      const auto* address = dyn_cast<UnaryOperator>(each->IgnoreParenCasts());
      if (!address || address->getOpcode() != UO_AddrOf) return;
      arguments.push_back(address->getSubExpr());
    }
    launch({&call, call.getArg(0), call.getArg(1), call.getArg(2), call.getNumArgs() > 4 ? call.getArg(4) : nullptr,
            std::move(arguments)});
  }

  void launch(const Launch& made) {
    const FunctionDecl* around = outermost(function_);
    if (!around || !made.grid || !made.block) return;
    const Variables kept = named_numbers(made.arguments, around);
    for (const FunctionDecl* kernel : functions_named(*made.kernel, around)) {
      if (!kernel->hasAttr<CUDAGlobalAttr>()) continue;
      Object fact{{"kernel", qualified(kernel)},
                  {"line", line_of(made.call->getBeginLoc())},
                  {"file", file_of(made.call->getBeginLoc())},
                  {"in_main_file", is_in_main_file(made.call->getBeginLoc())},
                  {"is_dependent", around->isDependentContext()}};
      if (const auto* given = kernel->getTemplateSpecializationArgs())
        fact["template_arguments"] = texts(argument_texts(given->asArray(), context_));
      fact["extents"] = Array{texts(extents_of(*made.grid, around, context_, kept)),
                              texts(extents_of(*made.block, around, context_, kept))};
      if (made.shared) fact["shared"] = text_of(*made.shared, around, context_, kept);
      Array arguments;
      for (const Expr* argument : made.arguments) arguments.push_back(text_of(*argument, around, context_, kept));
      fact["arguments"] = std::move(arguments);
      fact["conditions"] = texts(conditions_);
      fact["function"] = qualified(around);
      fact["function_line"] = line_of(pattern_of(around)->getLocation());
      launchers_.insert(pattern_of(around));
      launches_.emplace_back(around, std::move(fact));
    }
  }

  ASTContext& context_;
  const ExpandedText& expanded_;
  Pieces& pieces_;
  std::set<const FunctionDecl*> launchers_;
  const FunctionDecl* function_ = nullptr;  // whose body is being visited
  std::vector<std::pair<const FunctionDecl*, Object>> kernels_;
  std::map<const FunctionDecl*, std::set<const FunctionDecl*>> instances_;
  std::vector<std::pair<const FunctionDecl*, Object>> launches_;
  std::vector<std::string> conditions_;  // under which the statement that is being visited is reached
  std::map<const FunctionDecl*, std::set<std::string>> required_;  // by assertions of each function
};

}  // namespace

Object facts_of(ASTContext& context, const ExpandedText& expanded, Pieces& pieces) {
  Facts facts(context, expanded, pieces);
  facts.TraverseDecl(context.getTranslationUnitDecl());
  return facts.take();
}

}  // namespace assay::reader
