// A launch of a program as a file that replays without the program: `assay run --capture` writes it, `assay replay`
// runs it.
//
// The file has what the launch accessed, to the byte, as it was before the launch, what it wrote, and the PTX of its
// kernel. Memory keeps its addresses, because anything may hold them: a replay lays it out at those of the program's
// run. Only where a word points to a variable, whose address changes from process to process, is it named.
//
// Layout: "assay launch", a version of 4 bytes (little-endian), and a zstd frame with a checksum that holds CBOR.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// Bytes that lie one behind the other.
struct ByteRange {
  uint64_t begin = 0, bytes = 0;  // from the beginning of their memory or variable
  bool operator==(const ByteRange&) const = default;
};

// An allocation. Contents are there of what the launch accessed, and only of that.
struct SavedMemory {
  std::string name;  // "memory 2 of cudaMalloc at FILE:31"
  uint64_t address = 0;
  uint64_t bytes = 0;                      // 0: it was freed
  std::vector<ByteRange> accessed = {};    // by ascending address
  std::vector<ByteRange> with_value = {};  // the bytes of these that somebody had written before the launch
  std::string before = {};                 // of `with_value`, one range after the other
  std::vector<ByteRange> written = {};     // by the launch
  std::string after = {};                  // of `written`
};

// A variable of the kernel's module, or one that something points to, whole.
struct SavedVariable {
  std::string name;  // as PTX has it
  std::string before, after;
};

// A word of 8 bytes that is the address of a byte of a variable.
struct SavedPointer {
  static constexpr uint64_t kArguments = ~uint64_t{0};
  uint64_t place = kArguments;  // the number of a memory, or an argument's
  uint64_t argument = 0;
  uint64_t at = 0;  // from the beginning of the memory or argument
  std::string variable = {};
  uint64_t offset = 0;
};

struct SavedLaunch {
  std::string program;  // that was run
  std::string where;    // "launch 3: scale(float*, int), grid 4, block 32 at FILE:20"
  std::string kernel;   // as PTX has it
  std::array<uint32_t, 3> grid = {}, block = {};
  uint64_t shared_bytes = 0;
  uint64_t schedule = 0;                      // under which it ran
  bool is_observed = false;                   // it prints, allocates or looks at a clock
  std::vector<std::string> arguments = {};    // the bytes of each
  uint64_t arena_begin = 0, arena_bytes = 0;  // of the addresses in which the memories lie
  std::vector<SavedMemory> memories = {};     // by ascending address
  std::vector<SavedVariable> variables = {};
  std::vector<SavedPointer> pointers = {};
  std::vector<std::string> ptx = {};                   // of the program's files
  std::vector<std::string> registered_variables = {};  // that its host code knows
};

// Errors: the file cannot be written.
Result<void> write_launch(const std::string& path, const SavedLaunch& launch);

// Errors: it cannot be read, is no such file, is cut off or damaged, or of another version.
Result<SavedLaunch> read_launch(const std::string& path);

}  // namespace assay
