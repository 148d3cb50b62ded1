// Functions that the CUDA headers call in a checked module besides the hooks: atomics and fences, which the compiler
// cannot see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay::simt {
struct Fiber;
}

namespace assay::simt::checked {

enum class AtomicKind : uint8_t { update, exchange, compare_and_swap };

// The threads for which an atomic is one, and among which a fence orders. The device's stands for the system's, too.
enum class Scope : uint8_t { block, device };

// An exchange does not care what was there before.
constexpr AtomicKind atomic_kind(std::string_view name) {
  return name == "atomicExch" ? AtomicKind::exchange : AtomicKind::update;
}

#pragma GCC visibility push(default)
void check_atomic(const void* address, size_t bytes, AtomicKind kind, const Fiber* me, Scope scope = Scope::device);
void check_fence(const Fiber* me, Scope scope = Scope::device);
void check_acquire(const Fiber* me, Scope scope);  // what the atomic before it has learnt counts from here on
#pragma GCC visibility pop

}  // namespace assay::simt::checked
