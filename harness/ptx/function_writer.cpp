// Operands, places and the frame of a function.
#include "harness/ptx/function_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "harness/base/printable.h"
#include "harness/ptx/counted_program.h"
#include "harness/ptx/family.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

constexpr std::array<Family, 11> kFamilies{write_operators, write_plain,    write_moves, write_control,
                                           write_memory,    write_atomics,  write_warp,  write_barriers,
                                           write_matrices,  write_textures, write_video};

// "ld.b32 {%r1}, [a]": a vector of one, as Triton writes it.
bool is_one_register(const Operand& operand) { return operand.kind == Operand::vector && operand.parts.size() == 1; }

// The bits of a constant in a type: PTX converts constants of 64 bits to what the instruction takes.
uint64_t constant_bits(const Operand& operand, std::string_view type) {
  if (operand.kind == Operand::f64 && type == "f32") {
    double wide = 0;
    std::memcpy(&wide, &operand.bits, sizeof wide);
    const auto narrow = static_cast<float>(wide);
    uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if (operand.kind == Operand::f32 && type == "f64") {
    const auto bits = static_cast<uint32_t>(operand.bits);
    float narrow = 0;
    std::memcpy(&narrow, &bits, sizeof narrow);
    const double wide = narrow;
    uint64_t result = 0;
    std::memcpy(&result, &wide, sizeof result);
    return result;
  }
  return operand.bits;
}

bool is_integer(const std::string& type) { return type.find("int") != std::string::npos && !type.ends_with("128"); }

// The text for as<to>(…), without a template where the language has a word for it: kernels have thousands of operands,
// and a call of a template is slow to compile.
std::string constant_of(uint64_t bits, const std::string& to) {
  if (to == "uint32_t" || to == "float") {
    const std::string word = fmt::format("{:#x}u", bits & 0xffffffff);
    return to == "float" ? fmt::format("__builtin_bit_cast(float, {})", word) : word;
  }
  return to == "uint64_t" ? fmt::format("uint64_t{{{:#x}u}}", bits)
                          : fmt::format("as<{}>(uint64_t{{{:#x}u}})", to, bits);
}
std::string converted(const std::string& expression, const std::string& from, const std::string& to) {
  if (from == to) return expression;
  if (is_integer(from) && is_integer(to)) return fmt::format("static_cast<{}>({})", to, expression);
  if ((from == "float" && to == "uint32_t") || (from == "uint32_t" && to == "float"))
    return fmt::format("__builtin_bit_cast({}, {})", to, expression);
  return fmt::format("as<{}>({})", to, expression);
}

}  // namespace

FunctionWriter::FunctionWriter(const Module& module, const Symbols& symbols, const Function& function,
                               const TranslateOptions& options)
    : module_(module), symbols_(symbols), function_(function), options_(options) {
  for (const Variable& variable : function.variables) variables_[variable.name] = &variable;
  for (const auto* list : {&function.parameters, &function.results})
    for (const Variable& parameter : *list) {
      parameters_.insert(parameter.name);
      variables_[parameter.name] = &parameter;
    }
  for (const Registers& registers : function.registers) registers_[registers.name] = {registers.type, registers.count};
  if (options.counts) flow_ = flow_of(function);
}

std::string FunctionWriter::type_of_register(const std::string& name) const {
  if (const auto one = registers_.find(name); one != registers_.end() && one->second.second == 0)
    return one->second.first;
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == name.size()) return "";
  std::string range = name.substr(0, digits);
  if (range.ends_with('_') && range.find('@') != std::string::npos) range.pop_back();  // "%r@3_7" of an inner scope
  const auto found = registers_.find(range);
  const bool is_there =
      found != registers_.end() && name.size() - digits <= 8 && std::stoull(name.substr(digits)) < found->second.second;
  return is_there ? found->second.first : "";
}

const Variable* FunctionWriter::variable(const std::string& name) const {
  if (const auto own = variables_.find(name); own != variables_.end()) return own->second;
  const auto found = symbols_.variables.find(name);
  return found == symbols_.variables.end() ? nullptr : found->second;
}

const Block* FunctionWriter::block(const std::string& label) const {
  const auto found =
      std::ranges::find_if(function_.blocks, [&](const Block& each) { return !label.empty() && each.label == label; });
  return found == function_.blocks.end() ? nullptr : &*found;
}

std::optional<std::string> FunctionWriter::special_register(const std::string& name) const {
  static const std::map<std::string, std::string, std::less<>> kSpecial = [] {
    std::map<std::string, std::string, std::less<>> all = {
        {"%laneid", "simt::lane_id()"},
        {"%warpid", "warp_in_block()"},
        {"%nwarpid", "((blockDim.x * blockDim.y * blockDim.z + 31) / 32)"},
        {"%lanemask_eq", "(1u << simt::lane_id())"},
        {"%lanemask_lt", "((1u << simt::lane_id()) - 1)"},
        {"%lanemask_le", "((2u << simt::lane_id()) - 1)"},
        {"%lanemask_gt", "(~0u << simt::lane_id() << 1)"},
        {"%lanemask_ge", "(~0u << simt::lane_id())"},
        {"%clock", "static_cast<uint32_t>(simt::waiting_clock())"},
        {"%clock64", "static_cast<uint64_t>(simt::waiting_clock())"},
        {"%globaltimer", "static_cast<uint64_t>(simt::waiting_clock())"},
        {"%smid", "0u"},
        {"%nsmid", "1u"},
        {"%gridid", "0u"},
        {"%envreg1", "static_cast<uint32_t>(grid_workspace() >> 32)"},
        {"%envreg2", "static_cast<uint32_t>(grid_workspace())"}};
    for (const auto& [ptx, cuda] :
         {std::pair{"tid", "threadIdx"}, {"ntid", "blockDim"}, {"ctaid", "blockIdx"}, {"nctaid", "gridDim"}})
      for (const char* axis : {".x", ".y", ".z"})
        all[fmt::format("%{}{}", ptx, axis)] = fmt::format("static_cast<uint32_t>({}{})", cuda, axis);
    return all;
  }();
  const auto found = kSpecial.find(name);
  return found == kSpecial.end() ? std::nullopt : std::optional(found->second);
}

std::string FunctionWriter::value(const Operand& operand, std::string_view type) {
  if (is_one_register(operand)) return value(operand.parts[0], type);
  const std::string wanted = cpp_type(type).value_or("void");
  if (operand.kind == Operand::whole || operand.kind == Operand::f32 || operand.kind == Operand::f64)
    return constant_of(constant_bits(operand, type), wanted);
  if (operand.kind != Operand::name) return refuse("an operand of another kind is needed"), "0";
  std::string plain;
  if (const std::string own = type_of_register(operand.text); !own.empty()) {
    used_.insert(operand.text);
    plain = cpp_name(operand.text);
    if (operand.offset != 0) plain = fmt::format("({} + {})", plain, operand.offset);
    plain = converted(plain, register_type(own), wanted);
  } else if (const auto special = special_register(operand.text)) {
    plain = fmt::format("as<{}>({})", wanted, *special);
  } else if (const Variable* named = variable(operand.text)) {
    const std::string there =
        parameter(operand).value_or(fmt::format("{} + {}", cpp_name(named->name), operand.offset));
    const std::string host = fmt::format("reinterpret_cast<uint64_t>({})", there);
    plain =
        fmt::format("as<{}>({})", wanted, named->space == Space::shared ? fmt::format("to_shared({})", host) : host);
  } else if (symbols_.functions.contains(operand.text)) {
    plain = fmt::format("as<{}>(reinterpret_cast<uint64_t>(&{}))", wanted, cpp_name(operand.text));
  } else {
    refuse(fmt::format("'{}' is not supported as an operand", operand.text));
  }
  return operand.negated ? fmt::format("!{}", plain) : plain;
}

std::string FunctionWriter::target(const Operand& operand) {
  if (is_one_register(operand)) return target(operand.parts[0]);
  if (operand.kind == Operand::sink) return "sink";
  if (operand.kind == Operand::name && !type_of_register(operand.text).empty()) {
    used_.insert(operand.text);
    return cpp_name(operand.text);
  }
  refuse(operand.kind == Operand::name ? fmt::format("'{}' is no register of this function", operand.text)
                                       : "a result needs a register");
  return "sink";
}

std::string FunctionWriter::assign(const Operand& operand, const std::string& value, std::string_view type) {
  const std::string to = target(operand), has = to == "sink" ? "uint64_t" : register_type_of(operand);
  if (!type.empty() && has == cpp_type(type)) return fmt::format("{} = {};", to, value);
  return fmt::format("set({}, {});", to, value);
}

std::string FunctionWriter::register_type_of(const Operand& operand) const {
  if (is_one_register(operand)) return register_type_of(operand.parts[0]);
  const std::string own = operand.kind == Operand::name ? type_of_register(operand.text) : "";
  return own.empty() ? "" : register_type(own);
}

std::optional<std::string> FunctionWriter::parameter(const Operand& operand) {
  const Variable* named = operand.kind == Operand::name ? variable(operand.text) : nullptr;
  if (!named || named->space != Space::param) return std::nullopt;
  const bool by_value = function_.is_entry && parameters_.contains(named->name);
  return fmt::format("{}{} + {}", by_value ? "reinterpret_cast<char*>(&" : "",
                     cpp_name(named->name) + (by_value ? ")" : ""), operand.offset);
}

std::string FunctionWriter::address(const Operand& operand, Space space) {
  if (operand.kind != Operand::address || operand.parts.size() != 1) return refuse("one address is needed"), "0";
  const Operand& inside = operand.parts[0];
  if (inside.kind == Operand::name && variable(inside.text)) {
    if (const auto there = parameter(inside)) return fmt::format("reinterpret_cast<uint64_t>({})", *there);
    return fmt::format("reinterpret_cast<uint64_t>({} + {})", cpp_name(inside.text), inside.offset);
  }
  const std::string sum = value(inside, "b64");
  return space == Space::shared ? fmt::format("from_shared({})", sum) : sum;
}

FunctionWriter::SourceLine FunctionWriter::source_line(const Instruction& instruction) const {
  for (int at = instruction.location; at >= 0;) {
    const Location& location = module_.locations[static_cast<size_t>(at)];
    const auto file = module_.files.find(location.file);
    if (location.line > 0 && file != module_.files.end() && options_.is_own(file->second))
      return {file->second, location.line};
    if (location.inlined_at >= at) break;
    at = location.inlined_at;
  }
  return {options_.path, instruction.place.line};
}

bool FunctionWriter::has_no_line(const Instruction& instruction) const {
  return instruction.location >= 0 && module_.locations[static_cast<size_t>(instruction.location)].line == 0;
}

std::string FunctionWriter::error_place() const {
  if (!now_) return fmt::format("{}:{}", options_.path, function_.place.line);
  const SourceLine source = source_line(*now_);
  const std::string ptx = fmt::format("{}:{}", options_.path, now_->place.line);
  return source.file == options_.path ? ptx : fmt::format("{}:{} ({})", source.file, source.line, ptx);
}

void FunctionWriter::refuse(const std::string& what) {
  if (error_) return;
  error_ = Error{fmt::format("{}: {}{}", error_place(), what, now_ ? fmt::format(", in '{}'", spelled(*now_)) : ""),
                 "harness/ptx/README.md lists what PTX the executor runs"};
}

void FunctionWriter::refuse_instruction(const Instruction& instruction) {
  if (!error_)
    error_ = Error{
        fmt::format("{}: the executor does not have the PTX instruction '{}'", error_place(), spelled(instruction)),
        "harness/ptx/README.md lists those that it has; a GPU runs the file as it is"};
}

std::string FunctionWriter::statement(const Instruction& instruction) {
  now_ = &instruction;
  std::optional<std::string> made;
  for (const Family family : kFamilies)
    if (!made && !error_) made = family(*this, instruction);
  if (!made) refuse_instruction(instruction);
  if (error_) return "";
  if (instruction.guard.empty()) return *made + " ";
  Operand guard;
  guard.text = instruction.guard;
  guard.negated = instruction.guard_negated;
  return fmt::format("if ({}) {{ {} }} ", value(guard, "pred"), *made);
}

std::string FunctionWriter::signature(const Function& function) {
  std::vector<std::string> parameters;
  if (!function.is_entry) {
    for (const Variable& result : function.results) parameters.push_back("char* " + cpp_name(result.name));
    for (const Variable& given : function.parameters) parameters.push_back("char* " + cpp_name(given.name));
    return fmt::format("void {}({})", cpp_name(function.name), fmt::join(parameters, ", "));
  }
  for (const Variable& given : function.parameters) {
    std::string type = register_type(given.type);
    if (given.is_array)
      type = fmt::format("Bytes<{}, {}>", bytes_of(given.type) * given.elements, given.align);
    else if (type == "uint64_t")
      type = "Word";
    parameters.push_back(type + " " + cpp_name(given.name));
  }
  return fmt::format("void {}({})", cpp_name(function.name), fmt::join(parameters, ", "));
}

std::string FunctionWriter::declared_registers() const {
  std::map<std::string, std::vector<std::string>> by_type;
  for (const std::string& name : used_)
    by_type[register_type(type_of_register(name))].push_back(cpp_name(name) + " = {}");
  std::string text = "  [[maybe_unused]] uint64_t sink = 0;\n  [[maybe_unused]] bool carry = false;\n";
  for (const auto& [type, names] : by_type) text += fmt::format("  {} {};\n", type, fmt::join(names, ", "));
  return text;
}

// Whether the `number`th basic block that is counted begins here.
bool FunctionWriter::begins_basic_block(size_t number, const Instruction& instruction) const {
  if (number >= flow_.size()) return false;
  const BasicBlock& next = flow_[number];
  return &function_.blocks[next.block].instructions[next.begin] == &instruction;
}

std::string FunctionWriter::counted() const {
  SourceLine last;
  const auto place_of = [&](const Instruction& instruction) {
    if (!has_no_line(instruction) || last.line == 0) last = source_line(instruction);
    return fmt::format("{}:{}", last.file.substr(last.file.rfind('/') + 1), last.line);
  };
  return fmt::format("  ASSAY_PTX_COUNTED({})\n", counted_program(function_, flow_, place_of));
}

Result<std::string> FunctionWriter::text() {
  std::string shared, locals, body;
  for (const Variable& variable : function_.variables) {
    const uint64_t bytes = bytes_of(variable.type) * variable.elements;
    if (variable.space == Space::shared)
      shared +=
          variable.is_extern || variable.elements == 0
              ? fmt::format("extern thread_local char {0}[] asm(\"{1}\");\n", cpp_name(variable.name), variable.name)
              : fmt::format("alignas({}) static thread_local char {}[{}] asm(\"{}\");\n", variable.align,
                            cpp_name(variable.name), bytes, variable.name + options_.suffix);
    else if (variable.space == Space::local || variable.space == Space::param)
      locals += fmt::format("  alignas({}) char {}[{}];\n", variable.align, cpp_name(variable.name),
                            std::max<uint64_t>(bytes, 1));
    else
      refuse(fmt::format("the variable '{}' in a function", variable.name));
  }
  SourceLine last;  // what has one place stands on one line: the compiler counts lines from the last #line
  size_t counted_blocks = 0;
  for (const Block& block : function_.blocks) {
    if (!block.label.empty()) body += fmt::format("{}:; ", cpp_name(block.label));
    for (const Instruction& instruction : block.instructions) {
      const SourceLine place = has_no_line(instruction) && last.line > 0 ? last : source_line(instruction);
      if (place != last) body += "\n" + line_directive(place.line, place.file);
      last = place;
      if (begins_basic_block(counted_blocks, instruction)) body += fmt::format("ASSAY_PTX_PASS({}) ", counted_blocks++);
      body += statement(instruction);
      if (error_) return tl::unexpected(*error_);
    }
  }
  std::string begin = function_.is_entry ? "__global__ " : "";
  const auto& most = function_.threads_max;
  if (most[0] * most[1] * most[2] > 0 && most[0] * most[1] * most[2] <= 1024 && function_.is_entry)
    begin += fmt::format("__launch_bounds__({}) ", most[0] * most[1] * most[2]);
  return fmt::format("{}{}{} {{\n{}{}{}{}\n}}\n\n", shared, begin, signature(function_), declared_registers(), locals,
                     options_.counts ? counted() : "", body);
}

}  // namespace assay::ptx
