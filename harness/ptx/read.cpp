// The module's level: directives, variables, functions.
#include "harness/ptx/module.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "harness/ptx/body.h"
#include "harness/ptx/cursor.h"
#include "harness/ptx/declarations.h"

namespace assay::ptx {
namespace {

class Reader {
 public:
  explicit Reader(Cursor& cursor) : cursor_(cursor) {}

  Module read() {
    cursor_.expect(".version");
    cursor_.take();
    while (!cursor_.at_end()) item();
    return std::move(module_);
  }

 private:
  void item() {
    if (cursor_.take_if(".target")) return target();
    if (cursor_.take_if(".address_size")) {
      const Place place = cursor_.now().place;
      if (cursor_.take_whole("a size") != 64) cursor_.refuse_at(place, "addresses of 32 bits are not supported");
      return;
    }
    if (cursor_.take_if(".file")) return file();
    if (cursor_.take_if(".section")) return section();
    if (cursor_.take_if(".pragma") || cursor_.take_if(".alias")) return skip_to_semicolon();
    if (cursor_.take_if(".loc")) return static_cast<void>(read_location(cursor_, module_));
    if (cursor_.is(";")) return static_cast<void>(cursor_.take());
    bool is_extern = false;
    while (cursor_.is(".extern") || cursor_.is(".visible") || cursor_.is(".weak") || cursor_.is(".common"))
      is_extern = cursor_.take().text == ".extern" || is_extern;
    if (cursor_.is(".entry") || cursor_.is(".func")) return function();
    const Token token = cursor_.take();
    const Space space = token.kind == Token::directive ? space_of(token.text) : Space::generic;
    if (space == Space::generic || space == Space::param)
      return cursor_.refuse_at(token.place, fmt::format("'{}' is not supported here", token.text));
    for (Variable& variable : read_variables(cursor_, space, is_extern)) {
      known_.insert(variable.name);
      module_.variables.push_back(std::move(variable));
    }
    cursor_.expect(";");
  }

  void target() {
    module_.target = cursor_.take_word("an architecture");
    while (cursor_.take_if(",")) cursor_.take_word("a target");
  }

  void file() {
    const uint64_t number = cursor_.take_whole("a file's number");
    if (cursor_.now().kind != Token::string) return cursor_.refuse("a file's path is missing here");
    module_.files[static_cast<int>(number & 0xffffff)] = std::string(cursor_.take().text);
    while (cursor_.take_if(",")) cursor_.take_whole("a number");
  }

  // Debug information: nothing of it is needed.
  void section() {
    cursor_.take();
    cursor_.expect("{");
    int depth = 1;
    while (depth > 0 && !cursor_.at_end()) {
      const Token token = cursor_.take();
      depth += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
    }
    if (depth > 0) cursor_.refuse("a section that does not end");
  }

  void skip_to_semicolon() {
    while (!cursor_.at_end() && !cursor_.take_if(";")) cursor_.take();
  }

  void function() {
    Function made;
    made.is_entry = cursor_.take().text == ".entry";
    if (!made.is_entry) made.results = read_parameters(cursor_);
    made.place = cursor_.now().place;
    made.name = cursor_.take_word("a function's name");
    made.parameters = read_parameters(cursor_);
    while (cursor_.now().kind == Token::directive) attribute(made);
    known_.insert(made.name);
    if (!cursor_.take_if(";")) {
      cursor_.expect("{");
      made.has_body = true;
      read_body(cursor_, module_, made, known_);
    }
    // CUDA's library for kernels that launch kernels is written for a GPU's own queue; ours answers in its place.
    if (made.name.starts_with("__cudaCDP2")) made.has_body = false, made.blocks.clear();
    if (!cursor_.error()) keep(std::move(made));
  }

  // ".maxntid 256, 1, 1", ".noreturn" and the like
  void attribute(Function& function) {
    const std::string_view name = cursor_.take().text;
    std::vector<uint64_t> values;
    if (name == ".pragma") return skip_to_semicolon();
    if (cursor_.now().kind != Token::number) return;
    do {
      values.push_back(cursor_.take_whole("a number"));
    } while (cursor_.take_if(",") && values.size() < 3);
    if (name != ".maxntid" && name != ".reqntid") return;
    function.threads_max = {1, 1, 1};
    for (size_t i = 0; i < values.size(); ++i) function.threads_max[i] = values[i];
  }

  // A declaration may come before the definition.
  void keep(Function made) {
    const auto [at, is_new] = functions_.emplace(made.name, module_.functions.size());
    if (is_new) return module_.functions.push_back(std::move(made));
    Function& before = module_.functions[at->second];
    if (before.has_body && made.has_body)
      return cursor_.refuse_at(made.place, "'" + made.name + "' is defined a second time");
    if (made.has_body) before = std::move(made);
  }

  Cursor& cursor_;
  Module module_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, size_t> functions_;  // places in the module, by name
};

}  // namespace

std::string spelled(const Instruction& instruction) {
  return instruction.modifiers.empty()
             ? instruction.opcode
             : fmt::format("{}.{}", instruction.opcode, fmt::join(instruction.modifiers, "."));
}

Result<Module> read(std::string_view text, const std::string& path) {
  Cursor cursor(ASSAY_TRY(tokens_of(text, path)), path);
  Module module = Reader(cursor).read();
  if (cursor.error()) return tl::unexpected(*cursor.error());
  return module;
}

}  // namespace assay::ptx
