// A PTX text as data: functions, blocks of instructions, registers, variables and the places in the user's source.
//
// The names are those of the PTX ISA. Names that a scope hides are made unique while the text is read ("p@3" is the p
// of the third inner scope), so whoever reads a Module needs no scopes. Limits: 64-bit addresses only; what an
// instruction means is not looked at here.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace assay::ptx {

struct Place {
  int line = 0, column = 0;  // of the PTX, from 1
};

// A place of the user's source, from a .loc directive.
struct Location {
  int file = 0;              // a key of Module::files
  int line = 0, column = 0;  // line 0: none, which compilers write for code that belongs to no line
  int inlined_at = -1;       // index of the call's location in Module::locations
};

enum class Space { generic, global, shared, local, constant, param };

struct Operand {
  enum Kind {
    name,     // a register, variable, label or function: `text`, and `offset` after a plus
    whole,    // a whole number: `bits`, two's complement
    f32,      // 0fXXXXXXXX: `bits`
    f64,      // 0dXXXXXXXXXXXXXXXX, or decimal: `bits`
    address,  // [a], [a+4], [a, b]: `parts`
    vector,   // {a, b}: `parts`
    list,     // (a, b) of a call: `parts`
    pair,     // a|b, two results: `parts`
    sink,     // _
  };
  Kind kind = name;
  std::string text = {};
  uint64_t bits = 0;
  int64_t offset = 0;
  bool negated = false;  // !a
  std::vector<Operand> parts = {};
};

struct Instruction {
  Place place;
  int location = -1;  // index in Module::locations; -1: before the first .loc
  std::string guard;  // the predicate of @p; "": always
  bool guard_negated = false;
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // "global", "nc", "v2", "f32"
  std::vector<Operand> operands;
};

// "ld.global.nc.v2.f32"
std::string spelled(const Instruction& instruction);

// A stretch of instructions that is entered at its top; a label begins one.
struct Block {
  std::string label;                 // "": none
  std::vector<std::string> targets;  // of a .branchtargets under this label
  std::vector<Instruction> instructions;
};

struct Initial {  // one element of an initialiser
  uint64_t bits = 0;
  std::string symbol = {};  // an address, at `bits` bytes behind it
};

struct Variable {
  Place place;
  Space space = Space::global;
  std::string type;  // "b8", "f32"
  std::string name;
  uint64_t align = 1;
  uint64_t elements = 1;  // of all dims; 0: as many as the launch gives (extern shared arrays)
  bool is_extern = false;
  bool is_array = false;
  bool is_pointer = false;  // a parameter that says .ptr
  std::vector<Initial> initial = {};
};

struct Registers {
  std::string name;    // "%r", of %r0 to %r{count - 1}; or of one register
  std::string type;    // "b32", "pred"
  uint64_t count = 0;  // 0: the name is one register's
};

struct Function {
  Place place;
  std::string name;
  bool is_entry = false, has_body = false;
  std::vector<Variable> results, parameters;
  std::vector<Registers> registers;
  std::vector<Variable> variables;           // of .shared, .local, .param in the body
  std::vector<Block> blocks;                 // in the order of the text
  std::array<uint64_t, 3> threads_max = {};  // .maxntid or .reqntid; 0: not stated
  int location = -1;                         // of the function's own line
};

struct Module {
  std::string target;  // "sm_90a"
  std::map<int, std::string> files;
  std::vector<Location> locations;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

// Bytes of an element of the type; 0 for one that takes no memory (pred) or is not known.
uint64_t bytes_of(std::string_view type);

// `path`: how errors name the text. Errors: what PTX ISA 9.0 does not allow or this reader refuses, with
// "path:line:column". Any text is safe, whatever is in it; at most 256 MB.
Result<Module> read(std::string_view text, const std::string& path);

}  // namespace assay::ptx
