// The writers of instructions that are no plain function of their operands.
#pragma once

#include <string>

#include "harness/ptx/function_writer.h"

namespace assay::ptx {

// Each returns the C++ statement of an instruction of its family, and nothing for any other. Forms that are not
// supported are refused through the writer.
using Family = std::optional<std::string> (*)(FunctionWriter& writer, const Instruction& instruction);

// Those that are an operator of C++; all of them are in the families below too.
std::optional<std::string> write_operators(FunctionWriter& writer, const Instruction& instruction);
std::optional<std::string> write_plain(FunctionWriter& writer, const Instruction& instruction);  // forms.h
std::optional<std::string> write_moves(FunctionWriter& writer, const Instruction& instruction);  // mov, cvt, setp, selp
std::optional<std::string> write_control(FunctionWriter& writer,
                                         const Instruction& instruction);  // bra, call, ret, trap
std::optional<std::string> write_memory(FunctionWriter& writer,
                                        const Instruction& instruction);  // ld, st, cvta, cp.async
std::optional<std::string> write_atomics(FunctionWriter& writer, const Instruction& instruction);   // atom, red, fences
std::optional<std::string> write_warp(FunctionWriter& writer, const Instruction& instruction);      // shfl, vote, redux
std::optional<std::string> write_barriers(FunctionWriter& writer, const Instruction& instruction);  // bar, mbarrier
std::optional<std::string> write_matrices(FunctionWriter& writer,
                                          const Instruction& instruction);  // mma, wmma, ldmatrix
std::optional<std::string> write_textures(FunctionWriter& writer, const Instruction& instruction);  // tex, suld, sust
std::optional<std::string> write_video(FunctionWriter& writer, const Instruction& instruction);     // vabsdiff4

// The statements in front of an instruction that releases, and behind one that acquires, followed or led by a space.
inline const char* fence_before(bool in_block) { return in_block ? "__threadfence_block(); " : "__threadfence(); "; }
inline const char* acquire_after(bool in_block) {
  return in_block ? " simt::acquire<Scope::block>();" : " simt::acquire<Scope::device>();";
}

}  // namespace assay::ptx
