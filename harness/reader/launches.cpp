// The three spellings of a launch, brought to one.
#include "harness/reader/launches.h"

#include <clang/AST/Attr.h>

#include "harness/reader/assignments.h"
#include "harness/reader/expressions.h"
#include "harness/reader/places.h"

namespace assay::reader {

using namespace clang;
using llvm::json::Array;
using llvm::json::Object;

// Null for what is not there.
struct Launches::Launch {
  const CallExpr* call;
  const FunctionDecl* around;
  const std::vector<std::string>& conditions;
  const Expr *kernel, *grid, *block, *shared;
  std::vector<const Expr*> arguments;
};

namespace {

const ValueDecl* variable_behind(const Expr* e) {
  e = e->IgnoreParenCasts();
  if (const auto* op = dyn_cast<UnaryOperator>(e)) e = op->getSubExpr()->IgnoreParenCasts();
  const auto* name = dyn_cast<DeclRefExpr>(e);
  return name ? name->getDecl() : nullptr;
}

// The variables whose addresses an array has, as cudaLaunchKernel takes them; empty for any other array.
std::vector<const Expr*> variables_in(const Expr* array) {
  const auto* variable = dyn_cast_or_null<VarDecl>(variable_behind(array));
  const Expr* first = variable && variable->getInit() ? variable->getInit()->IgnoreImplicit() : nullptr;
  const auto* list = dyn_cast_or_null<InitListExpr>(first);
  std::vector<const Expr*> all;
  for (unsigned i = 0; list && i < list->getNumInits(); ++i) {
    const auto* address = dyn_cast<UnaryOperator>(list->getInit(i)->IgnoreParenCasts());
    if (!address || address->getOpcode() != UO_AddrOf) return {};
    all.push_back(address->getSubExpr());
  }
  return all;
}

// The template arguments in the text, where an argument that Clang does not understand leaves the kernel open.
std::vector<TemplateArgument> arguments_written(const Expr& kernel) {
  std::vector<TemplateArgument> all;
  if (const auto* open = dyn_cast<OverloadExpr>(kernel.IgnoreParenCasts()))
    for (const TemplateArgumentLoc& each : open->template_arguments()) all.push_back(each.getArgument());
  return all;
}

// Whether `word` is one of the words of `text`.
bool has_word(llvm::StringRef text, llvm::StringRef word) {
  const auto is_part = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

// A constant that a block may be made of: a number of fewer threads is one of data, in a test.
bool suits_a_block(const ValueDecl& constant, ASTContext& context) {
  constexpr int64_t kThreadsMin = 8;
  const auto* variable = dyn_cast<VarDecl>(&constant);
  const Expr* value = variable ? variable->getInit() : nullptr;
  return !value || whole_value(*value, context).value_or(kThreadsMin) >= kThreadsMin;
}

// The named numbers that a launch passes or has a grid of, without the constants that its block is made of: those are
// the kernel's own sizes, and their values are wanted.
Variables sizes_of_data(llvm::ArrayRef<const Expr*> arguments, const Expr& grid, const Expr& block,
                        const FunctionDecl* around, ASTContext& context) {
  Variables kept = named_numbers(arguments, around);
  kept.merge(numbers_of_data(grid, around, kept));
  const std::vector<std::string> extents = extents_of(block, around, context, kept);
  std::erase_if(kept, [&](const ValueDecl* each) {
    return each->getType().isConstQualified() && suits_a_block(*each, context) &&
           llvm::any_of(extents, [&](const std::string& extent) { return has_word(extent, each->getName()); });
  });
  return kept;
}

// The whole number that an argument is whoever calls the function, as N of `int N = 1 << 20`; "" for others.
std::string constant_of(const Expr& argument, const FunctionDecl* around, ASTContext& context) {
  const auto* name = dyn_cast<DeclRefExpr>(argument.IgnoreParenCasts());
  const Expr* value = name ? value_of(*name, around) : nullptr;
  const auto number = whole_value(value ? *value : argument, context);
  return number ? std::to_string(*number) : "";
}

// A condition in which what an object says of itself has the name that the launch passes for it.
std::string with_names(std::string condition, const Variables& kept, const FunctionDecl* around, ASTContext& context) {
  for (const ValueDecl* each : kept) {
    const auto* variable = dyn_cast<VarDecl>(each);
    const Expr* value = variable ? variable->getInit() : nullptr;
    const std::string said = value ? text_of(*value, around, context) : "";
    if (!llvm::StringRef(said).contains(".") || !llvm::StringRef(said).ends_with(")")) continue;
    for (size_t at = condition.find(said); at != condition.npos; at = condition.find(said, at + 1))
      condition.replace(at, said.size(), each->getName().str());
  }
  return condition;
}

// A variable of the launch of a pointer to a kernel has the value that it is given where the pointer is.
const Expr* value_beside(const Expr& of, const Expr* assigned, const FunctionDecl* around) {
  const auto* name = assigned ? dyn_cast<DeclRefExpr>(of.IgnoreUnlessSpelledInSource()->IgnoreParens()) : nullptr;
  const Expr* value = name ? assignments_in(around).beside(assigned, name->getDecl()) : nullptr;
  return value ? value : &of;
}

}  // namespace

void Launches::add_chevrons(const CUDAKernelCallExpr& call, const FunctionDecl* around,
                            const std::vector<std::string>& conditions) {
  const CallExpr* configuration = call.getConfig();
  if (!configuration) return;
  const auto part = [&](unsigned i) {
    return i < configuration->getNumArgs() && !isa<CXXDefaultArgExpr>(configuration->getArg(i))
               ? configuration->getArg(i)
               : nullptr;
  };
  add({&call, around, conditions, call.getCallee(), part(0), part(1), part(2), {call.arg_begin(), call.arg_end()}});
}

void Launches::add_call(const CallExpr& call, const FunctionDecl* around, const std::vector<std::string>& conditions) {
  const std::string name = name_called(call);
  const auto argument = [&](unsigned i) { return i < call.getNumArgs() ? call.getArg(i) : nullptr; };
  if (name == "cudaLaunchKernel" && call.getNumArgs() >= 4) {
    if (const auto given = variables_in(argument(3)); !given.empty())
      add({&call, around, conditions, argument(0), argument(1), argument(2), argument(4), given});
    return;
  }
  const ValueDecl* configuration =
      name == "cudaLaunchKernelEx" && call.getNumArgs() >= 2 ? variable_behind(argument(0)) : nullptr;
  if (!configuration || !around) return;
  const auto part = [&](llvm::StringRef member) { return member_value(*configuration, member, around); };
  add({&call,
       around,
       conditions,
       argument(1),
       part("gridDim"),
       part("blockDim"),
       part("dynamicSmemBytes"),
       {call.arg_begin() + 2, call.arg_end()}});
}

void Launches::add(const Launch& made) {
  if (!made.around || !made.grid || !made.block) return;
  const SourceManager& sources = context_.getSourceManager();
  const SourceLocation at = made.call->getBeginLoc();
  const PresumedLoc place = sources.getPresumedLoc(at);
  const Variables kept = sizes_of_data(made.arguments, *made.grid, *made.block, made.around, context_);
  for (const auto& [kernel, assigned] : functions_named(*made.kernel, made.around)) {
    if (!kernel->hasAttr<CUDAGlobalAttr>()) continue;
    std::vector<std::string> conditions = made.conditions;
    if (const auto where = assigned_where_.find(assigned); where != assigned_where_.end())
      conditions.insert(conditions.end(), where->second.begin(), where->second.end());
    if (llvm::is_contained(conditions, "false")) continue;  // of if (false): it is never made
    for (std::string& condition : conditions) condition = with_names(std::move(condition), kept, made.around, context_);
    Object fact{{"kernel", qualified(kernel)},
                {"line", line_of(at, sources)},
                {"file", std::string(place.isValid() ? place.getFilename() : "")},
                {"in_main_file", is_in_main_file(at, sources)},
                {"is_dependent", made.around->isDependentContext()}};
    if (const auto* given = kernel->getTemplateSpecializationArgs())
      fact["template_arguments"] = texts(argument_texts(given->asArray(), context_));
    else if (const auto written = arguments_written(*made.kernel); !written.empty())
      fact["template_arguments"] = texts(argument_texts(written, context_));
    const auto extents = [&](const Expr& of) {
      return texts(extents_of(*value_beside(of, assigned, made.around), made.around, context_, kept));
    };
    fact["extents"] = Array{extents(*made.grid), extents(*made.block)};
    if (made.shared) fact["shared"] = text_of(*made.shared, made.around, context_, kept);
    Array arguments;
    for (const Expr* argument : made.arguments) arguments.push_back(text_of(*argument, made.around, context_, kept));
    fact["arguments"] = std::move(arguments);
    Array values;
    for (const Expr* argument : made.arguments) values.push_back(constant_of(*argument, made.around, context_));
    fact["values"] = std::move(values);
    fact["conditions"] = texts(conditions);
    fact["function"] = qualified(made.around);
    fact["function_line"] = line_of(pattern_of(made.around)->getLocation(), sources);
    launches_.emplace_back(made.around, std::move(fact));
  }
}

}  // namespace assay::reader
