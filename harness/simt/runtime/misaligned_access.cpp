// Decodes the operand of a legacy SSE instruction: what a compiler makes of float4 on a plain x86-64. Instructions of
// AVX ask for no alignment, except their explicit moves, which no kernel module has.
#include "harness/simt/runtime/misaligned_access.h"

#if defined(__x86_64__)
#include <ucontext.h>

#include <array>
#include <cstring>

namespace assay::simt {
namespace {

// The registers by the number that an instruction gives them. Intel manual, volume 2, table 2-2.
constexpr std::array<int, 16> kRegisters = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

struct Operand {
  const unsigned char* code;  // at the ModRM byte
  const mcontext_t& machine;
  unsigned rex = 0;

  uintptr_t value_of(unsigned number) const { return static_cast<uintptr_t>(machine.gregs[kRegisters[number]]); }

  // 0 where there is none, or it lies relative to the code, where compilers keep aligned constants.
  uintptr_t address() const {
    const unsigned mode = code[0] >> 6, rm = code[0] & 7;
    if (mode == 3 || (mode == 0 && rm == 5)) return 0;
    const unsigned char* next = code + 1;
    uintptr_t address = 0;
    bool wide = mode == 2;
    if (rm == 4) {
      const unsigned scaled = *next++, base = scaled & 7, index = (scaled >> 3 & 7) | (rex & 2) << 2;
      if (index != 4) address += value_of(index) << (scaled >> 6);
      if (mode == 0 && base == 5)
        wide = true;
      else
        address += value_of(base | (rex & 1) << 3);
    } else {
      address += value_of(rm | (rex & 1) << 3);
    }
    int32_t displacement = 0;
    if (wide)
      std::memcpy(&displacement, next, sizeof displacement);
    else if (mode == 1)
      displacement = static_cast<signed char>(*next);
    return address + static_cast<uintptr_t>(int64_t{displacement});
  }
};

}  // namespace

uintptr_t misaligned_operand(const void* signal_context) {
  const mcontext_t& machine = static_cast<const ucontext_t*>(signal_context)->uc_mcontext;
  Operand operand{reinterpret_cast<const unsigned char*>(machine.gregs[REG_RIP]), machine};
  while (*operand.code == 0x66 || *operand.code == 0xf2 || *operand.code == 0xf3) ++operand.code;
  if ((*operand.code & 0xf0) == 0x40) operand.rex = *operand.code++;
  if (*operand.code++ != 0x0f) return 0;
  ++operand.code;  // which instruction it is does not matter: it has faulted
  const uintptr_t address = operand.address();
  const bool possible = address >> 47 == 0;
  return possible && address % 16 != 0 ? address : 0;
}

}  // namespace assay::simt

#else

namespace assay::simt {

uintptr_t misaligned_operand(const void*) { return 0; }

}  // namespace assay::simt

#endif
