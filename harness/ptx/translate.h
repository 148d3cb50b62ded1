// PTX to C++: kernels that harness/simt compiles and runs as it does kernels in CUDA C++.
//
// One statement for each instruction, registers as local variables, labels as labels; what an instruction means is in
// harness/simt/include/ptx/*.h, which the text includes. #line leads the compiler, and with it every finding, statistic
// and debugger, to the line of the user's source. A kernel keeps its PTX name for the linker, so that findings name it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/ptx/module.h"

namespace assay::ptx {

// Whether this machine's processor has fma as an instruction and its compiler can be told so in the text.
bool host_fuses();

// Whether a file is none of the toolkit's or the system's.
bool is_users_file(const std::string& file);

struct TranslateOptions {
  std::string path;  // of the PTX, for places that have no line of a source
  // Whether a file that .loc names is the user's: code that was inlined from others gets the line of the call.
  std::function<bool(const std::string& file)> is_own = [](const std::string&) { return true; };
  // The suffix of names that the linker sees, behind a dot: for a module that has the same kernels from source too.
  std::string suffix = {};
  std::set<std::string> variables = {};  // that the text has even where no entry reaches them
  bool counts = false;  // the kernels tell of their basic blocks, so that the checked build can count instructions
  bool fuses = host_fuses();  // fma is the processor's instruction: without it, a call of libm with the same bits
};

// The C++ text of `entries`, and of all that they reach. Each is a function named cpp_name(entry); a 64-bit parameter
// takes a pointer or a whole number. Errors: an instruction or directive that is not supported, by name, with the
// place in the user's source and in the PTX; an entry that is not there.
Result<std::string> translate(const Module& module, const std::vector<std::string>& entries,
                              const TranslateOptions& options);

// The names of functions and variables that these functions and variables reach, themselves among them.
std::set<std::string> reached(const Module& module, const std::vector<std::string>& names);

// The C++ name of what PTX calls `name`.
std::string cpp_name(const std::string& name);

}  // namespace assay::ptx
