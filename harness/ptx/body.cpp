// A body: declarations, labels and instructions in scopes.
//
// Inline assembly brings scopes whose registers and labels have the same names each time. A register must be declared
// before it is used, so its name is settled at once; a label may come later, so labels are settled when its scope ends.
#include "harness/ptx/body.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "harness/ptx/declarations.h"

namespace assay::ptx {
namespace {

constexpr size_t kScopesMax = 64;
constexpr uint64_t kRegistersMax = 10'000'000;  // of one declaration: ptxas takes no more either
constexpr int kOperandDepthMax = 4;

struct Scope {
  int number;                                             // 0: the function's own
  std::map<std::string, std::string, std::less<>> names;  // declared here: what they are called in the Module
  std::map<std::string, uint64_t, std::less<>> ranges;    // "%r" of %r<38>: 38
  std::map<std::string, std::vector<std::pair<size_t, size_t>>, std::less<>> open;  // where names are still unknown
};

class Body {
 public:
  Body(Cursor& cursor, Module& module, Function& function, const std::set<std::string, std::less<>>& known)
      : cursor_(cursor), module_(module), function_(function), known_(known) {}

  void read() {
    scopes_.push_back({0, {}, {}, {}});
    for (const Variable& parameter : function_.parameters) scopes_[0].names[parameter.name] = parameter.name;
    for (const Variable& result : function_.results) scopes_[0].names[result.name] = result.name;
    function_.blocks.emplace_back();
    while (!scopes_.empty() && !cursor_.at_end()) statement();
    if (!scopes_.empty()) cursor_.refuse("a body that does not end");
  }

 private:
  void statement() {
    if (cursor_.take_if("{")) {
      if (scopes_.size() >= kScopesMax) return cursor_.refuse(fmt::format("more than {} scopes", kScopesMax));
      scopes_.push_back({++scopes_made_, {}, {}, {}});
    } else if (cursor_.take_if("}")) {
      end_scope();
    } else if (cursor_.take_if(".loc")) {
      module_.locations.push_back(read_location(cursor_, module_));
      location_ = static_cast<int>(module_.locations.size()) - 1;
      if (function_.location < 0) function_.location = location_;
    } else if (cursor_.take_if(".pragma")) {
      while (!cursor_.at_end() && !cursor_.take_if(";")) cursor_.take();
    } else if (cursor_.take_if(".reg")) {
      declare_registers();
    } else if (cursor_.take_if(".branchtargets")) {
      do {
        function_.blocks.back().targets.push_back(settled(cursor_.take_word("a label")));
      } while (cursor_.take_if(","));
      cursor_.expect(";");
    } else if (cursor_.take_if(".callprototype") || cursor_.take_if(".calltargets")) {
      while (!cursor_.at_end() && !cursor_.take_if(";")) cursor_.take();
    } else if (cursor_.now().kind == Token::directive) {
      declare_variables();
    } else if (cursor_.now().kind == Token::word && cursor_.next().text == ":") {
      const Place place = cursor_.now().place;
      const std::string label(cursor_.take().text);
      cursor_.take();
      function_.blocks.push_back({declare(label, place), {}, {}});
    } else {
      instruction();
    }
  }

  // The name in the Module of a name that is declared here.
  std::string declare(const std::string& name, Place place) {
    Scope& scope = scopes_.back();
    std::string unique = scope.number == 0 ? name : fmt::format("{}@{}", name, scope.number);
    if (!scope.names.emplace(name, unique).second) cursor_.refuse_at(place, "'" + name + "' is declared a second time");
    return unique;
  }

  void declare_registers() {
    if (cursor_.is(".v2") || cursor_.is(".v4")) return cursor_.refuse("registers of vectors are not supported");
    const std::string type = cursor_.take_type();
    if (bytes_of(type) == 0 && type != "pred") return cursor_.refuse("registers of '." + type + "' are not supported");
    do {
      const Place place = cursor_.now().place;
      const std::string name = cursor_.take_word("a register's name");
      uint64_t count = 0;
      if (cursor_.take_if("<")) {
        count = cursor_.take_whole("how many registers");
        if (count > kRegistersMax) return cursor_.refuse_at(place, fmt::format("{} registers", count));
        cursor_.expect(">");
        scopes_.back().ranges[name] = count;
      }
      function_.registers.push_back({declare(name, place), type, count});
    } while (cursor_.take_if(","));
    cursor_.expect(";");
  }

  void declare_variables() {
    const Token directive = cursor_.take();
    const bool is_extern = directive.text == ".extern";
    const Space space = space_of(is_extern ? cursor_.take().text : directive.text);
    if (space == Space::generic)
      return cursor_.refuse_at(directive.place, fmt::format("'{}' is not supported in a body", directive.text));
    for (Variable& variable : read_variables(cursor_, space, is_extern)) {
      variable.name = declare(variable.name, variable.place);
      function_.variables.push_back(std::move(variable));
    }
    cursor_.expect(";");
  }

  // The Module's name of what is visible here under this name.
  std::optional<std::string> found(const std::string& name) const {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    for (size_t i = scopes_.size(); i-- > 0;) {
      const Scope& scope = scopes_[i];
      if (const auto same = scope.names.find(name); same != scope.names.end()) return same->second;
      const auto range = scope.ranges.find(std::string_view(name).substr(0, digits));
      if (digits == name.size() || name.size() - digits > 8 || range == scope.ranges.end()) continue;
      if (std::stoull(name.substr(digits)) >= range->second) continue;
      return scope.number == 0 ? name : fmt::format("{}@{}_{}", range->first, scope.number, name.substr(digits));
    }
    return std::nullopt;
  }
  std::string settled(const std::string& name) const { return found(name).value_or(name); }

  void settle(std::vector<Operand>& operands) const {
    for (Operand& operand : operands) {
      if (operand.kind == Operand::name) operand.text = settled(operand.text);
      settle(operand.parts);
    }
  }

  // Labels of the scope are known now: names in the instructions since its beginning may be theirs.
  void end_scope() {
    const Scope scope = std::move(scopes_.back());
    for (const auto& [name, uses] : scope.open) {
      const auto here = scope.names.find(name);
      for (const auto& [block, index] : uses) {
        if (here != scope.names.end())
          rename(function_.blocks[block].instructions[index].operands, name, here->second);
        else if (scopes_.size() > 1)
          scopes_[scopes_.size() - 2].open[name].emplace_back(block, index);  // perhaps of the scope around it
        else if (!known_.contains(name))
          return cursor_.refuse_at(function_.blocks[block].instructions[index].place, "'" + name + "' is not declared");
      }
    }
    scopes_.pop_back();
  }

  static void rename(std::vector<Operand>& operands, const std::string& from, const std::string& to) {
    for (Operand& operand : operands) {
      if (operand.kind == Operand::name && operand.text == from) operand.text = to;
      rename(operand.parts, from, to);
    }
  }

  // A name that begins with % and is not declared is a special register, as %laneid: whoever knows them looks at it.
  void note_open(const std::vector<Operand>& operands, std::pair<size_t, size_t> where) {
    for (const Operand& operand : operands) {
      if (operand.kind == Operand::name && !operand.text.starts_with('%') && !found(operand.text))
        scopes_.back().open[operand.text].push_back(where);
      note_open(operand.parts, where);
    }
  }

  void instruction() {
    Instruction made;
    made.location = location_;
    if (cursor_.take_if("@")) {
      made.guard_negated = cursor_.take_if("!");
      made.guard = settled(cursor_.take_word("a predicate"));
    }
    made.place = cursor_.now().place;
    made.opcode = cursor_.take_word("an instruction");
    while (cursor_.now().kind == Token::directive) made.modifiers.emplace_back(cursor_.take().text.substr(1));
    while (!cursor_.at_end() && !cursor_.is(";")) {
      made.operands.push_back(operand(0));
      if (!cursor_.take_if(",")) break;
    }
    cursor_.expect(";");
    if (cursor_.error()) return;
    const std::pair where{function_.blocks.size() - 1, function_.blocks.back().instructions.size()};
    note_open(made.operands, where);
    settle(made.operands);
    function_.blocks.back().instructions.push_back(std::move(made));
  }

  Operand operand(int depth) {
    if (depth > kOperandDepthMax) return cursor_.refuse("operands nest too deep"), Operand{};
    Operand first = simple(depth);
    if (!cursor_.take_if("|")) return first;
    Operand both{Operand::pair};
    both.parts = {std::move(first), simple(depth)};
    return both;
  }

  Operand simple(int depth) {
    static constexpr struct {
      const char *open, *close;
      Operand::Kind kind;
    } kGroups[] = {{"[", "]", Operand::address}, {"{", "}", Operand::vector}, {"(", ")", Operand::list}};
    for (const auto& group : kGroups) {
      if (!cursor_.take_if(group.open)) continue;
      Operand all{group.kind};
      while (!cursor_.at_end() && !cursor_.is(group.close)) {
        all.parts.push_back(operand(depth + 1));
        if (!cursor_.take_if(",")) break;
      }
      cursor_.expect(group.close);
      return all;
    }
    const bool negated = cursor_.take_if("!"), negative = !negated && cursor_.take_if("-");
    if (cursor_.now().kind == Token::number) return number_of(cursor_, negative);
    if (negative) return cursor_.refuse("a number is missing here"), Operand{};
    Operand named;
    named.negated = negated;
    named.text = cursor_.take_word("an operand");
    if (named.text == "_") named.kind = Operand::sink;
    if (named.text == "WARP_SZ") {  // PTX's one constant with a name
      named.kind = Operand::whole;
      named.bits = 32;
    }
    while (cursor_.now().kind == Token::directive && !cursor_.now().follows_space)  // %tid.x
      named.text += cursor_.take().text;
    if (const bool minus = cursor_.is("-"); minus || cursor_.is("+")) {
      cursor_.take();
      const bool second_minus = cursor_.take_if("-");  // "+-8", as compilers write it
      if (cursor_.now().kind != Token::number) return cursor_.refuse("an offset is missing here"), named;
      named.offset = static_cast<int64_t>(number_of(cursor_, minus != second_minus).bits);
    }
    return named;
  }

  Cursor& cursor_;
  Module& module_;
  Function& function_;
  const std::set<std::string, std::less<>>& known_;
  std::vector<Scope> scopes_;
  int scopes_made_ = 0;
  int location_ = -1;
};

}  // namespace

void read_body(Cursor& cursor, Module& module, Function& function, const std::set<std::string, std::less<>>& known) {
  Body(cursor, module, function, known).read();
}

}  // namespace assay::ptx
