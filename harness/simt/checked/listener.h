// The events of a checked launch, and the detectors that listen to them.
//
// A detector is one file in detectors/: a class that overrides the events it wants to hear, and a Registered object
// with its name. Nothing else lists it. An event that no detector of a launch hears costs a look at an empty list; one
// that nobody overrides is never called. The usual access is decided in the module itself (hooks.cpp), which finds
// that nothing is wrong and tells nobody: only every_access() makes all accesses take the long way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/simt/checked/arena.h"
#include "harness/simt/checked/hook_state.h"
#include "harness/simt/checked/shared_memory.h"
#include "harness/simt/include/simt/checked_calls.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/runtime/finding.h"

namespace assay {
struct AccessStatistics;
}

namespace assay::simt::checked {

class Monitor;

enum class Space : uint8_t { shared, device, outside };

// The access that is being looked at.
struct Now {
  uintptr_t address = 0;  // of the whole access
  size_t bytes = 0;
  Access access = Access::read;
  bool reads_value = true;  // false: an exchange, which does not care what was there
  bool compares = false;    // a compare-and-swap
  bool of_block = false;    // an atomic that is none for threads of other blocks
  const void* pc = nullptr;
  uint32_t me = 0;
  Space space = Space::outside;
  uintptr_t cell = 0;   // the address of the four bytes that are being looked at
  uint32_t mask = 0xf;  // which of these the access covers

  bool reads() const { return access == Access::read || (access == Access::atomic && reads_value); }
};

// The last writes or reads of some bytes, as far as the shadow remembers them.
struct Past {
  bool exists = false;
  uint64_t tick = 0;
  uint32_t thread = 0;
  bool thread_known = true;
  bool many = false;   // more than one thread since the block's last barrier
  bool wide = false;   // and these are of more than one warp
  bool cross = false;  // another block of this launch too
  bool atomic = false;
  const void* pc = nullptr;
};

// The accesses before an access to one cell, or to a half of one (shadow.h).
struct History {
  bool uninitialised = false;  // some of the bytes have not been written
  bool told_apart = true;      // false: the records may be of the neighbouring byte
  bool half = false;           // of a half, whose records say less of who else was there
  Past write, read;
};

// A copy by cp.async whose destination is accessed while it is under way.
struct Copy {
  uint32_t thread;
  const void* pc;
};

// The place to which an access that lies outside everything would have belonged; at most one of these.
struct Nearest {
  const SharedArray* array = nullptr;
  const Placed* buffer = nullptr;
  const HeapBlock* heap_block = nullptr;  // freed, perhaps
};

struct LaunchInfo {
  const Launch& shape;
  const char* kernel;
  AccessStatistics* statistics;  // where to add up what the kernel does to memory; nullptr: nobody asks
};

class Listener {
 public:
  explicit Listener(Monitor& of) : monitor(of) {}
  virtual ~Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Whether to listen to this launch at all.
  virtual bool wants(const LaunchInfo&) { return true; }

  virtual void launch_begins(const LaunchInfo&) {}
  virtual void launch_ends() {}
  virtual void block_begins(uint64_t /*number*/) {}
  virtual void block_ends() {}
  // Every thread of the block has come to the barrier after which it goes on at `resume`.
  virtual void barrier(const void* /*resume*/) {}
  // These lanes have met in a warp operation; `all`: they are every living lane of the warp.
  virtual void lanes_met(uint32_t /*warp*/, uint32_t /*lanes*/, bool /*all*/) {}
  virtual void fence(uint32_t /*thread*/, Scope) {}
  // The thread's last atomic acquires, as if a fence stood behind it.
  virtual void acquire(uint32_t /*thread*/, Scope) {}
  // Ticks are used up: everything before now is forgotten (timeline.h).
  virtual void time_restarts() {}

  // Each access that may be made, once. Whoever overrides this turns the fast path away.
  virtual void every_access(const Now&) {}
  // A cell, or half of one, of an access that the fast path did not find right.
  virtual void unsettled(const Now&, const History&) {}
  // A read of a word that another thread has read before; a detector may know that this read comes after that one.
  virtual void read_again(const Now&, const Past& /*earlier*/, bool& /*comes_after*/) {}
  // An access to what a cp.async is about to write.
  virtual void while_copying(const Now&, const Copy&) {}
  // An atomic has been looked at.
  virtual void atomic(const Now&) {}
  // The access for which somebody asked (Monitor::tell_when_stored) has been made.
  virtual void stored() {}
  // A lane has stored what equals what another lane of its warp stored by the same instruction, in other bits.
  virtual void stored_equal(const Now&, uint32_t /*earlier_thread*/, const std::string& /*values*/) {}
  // A memcpy whose source begins at `from` and overlaps what it writes.
  virtual void overlapping(const Now&, uintptr_t /*from*/) {}

  // Outside all arrays and buffers, but near one.
  virtual void stray(const Now&, const Nearest&) {}

  // A kernel that is translated for counting tells which basic blocks its threads come to (include/ptx/passes.h).
  virtual void function_entered(uint32_t /*thread*/, const char* /*program*/) {}
  virtual void block_passed(uint32_t /*thread*/, uint32_t /*block*/) {}
  virtual void function_left(uint32_t /*thread*/) {}

  // The access is not near anything; it may itself end the process.
  virtual void wild(const Now&) {}
  // An instruction that knows only shared, or only global, memory got the other.
  virtual void wrong_space(const Now&, bool /*wants_shared*/, const char* /*instruction*/) {}
  // A kernel writes a __constant__ variable.
  virtual void constant_written(const Now&) {}
  // An index outside an array of constant size.
  virtual void index_outside(const void* /*pc*/, uint32_t /*thread*/, const char* /*type*/, uint64_t /*index*/) {}
  // A free of what is no block of the heap (nullptr), or of one that has been freed.
  virtual void freed_wrongly(const Now&, const HeapBlock*) {}
  // The outermost context ends, and the device's heap with it.
  virtual void heap_ends(Findings&) {}
  // Through a pointer to `type`, or by an atomic (nullptr).
  virtual void misaligned(const Now&, const char* /*type*/) {}

 protected:
  Monitor& monitor;
};

// Every event, named as its function above.
// clang-format off
#define ASSAY_CHECKED_EVENTS(X)                                                                                   \
  X(launch_begins) X(launch_ends) X(block_begins) X(block_ends) X(barrier) X(lanes_met) X(fence) X(acquire) X(time_restarts) \
  X(every_access) X(unsettled) X(read_again) X(while_copying) X(atomic) X(stored) X(stored_equal) X(overlapping) \
  X(stray) X(wild) X(wrong_space) X(constant_written) X(index_outside) X(freed_wrongly) X(heap_ends) X(misaligned)           \
  X(function_entered) X(block_passed) X(function_left)
// clang-format on

#define ASSAY_CHECKED_EVENT(name) name,
enum class Event : uint8_t { ASSAY_CHECKED_EVENTS(ASSAY_CHECKED_EVENT) count };
#undef ASSAY_CHECKED_EVENT
inline constexpr size_t kEvents = static_cast<size_t>(Event::count);

constexpr uint32_t bit(Event event) { return 1u << static_cast<unsigned>(event); }

// A function that T has of its own has another type than the one it would inherit.
template <class T>
constexpr uint32_t events_that_it_overrides() {
  uint32_t events = 0;
#define ASSAY_CHECKED_EVENT(name) \
  if (!std::is_same_v<decltype(&T::name), decltype(&Listener::name)>) events |= bit(Event::name);
  ASSAY_CHECKED_EVENTS(ASSAY_CHECKED_EVENT)
#undef ASSAY_CHECKED_EVENT
  return events;
}

// A detector as the registry keeps it.
struct DetectorKind {
  std::string_view name;
  Kind finds = Kind::none;  // none: it finds nothing that fails a launch
  bool by_default = true;   // false: only where it is asked for by name
  uint32_t events = 0;
  std::unique_ptr<Listener> (*make)(Monitor&) = nullptr;
};

#pragma GCC visibility push(default)
// Sorted by name, so that the first remark on an access does not depend on the order of linking.
const std::vector<DetectorKind>& detector_kinds();
#pragma GCC visibility pop
void register_detector(const DetectorKind& kind);

// One object of this, at namespace scope of the detector's file, is all that makes a detector known.
template <class T>
struct Registered {
  explicit Registered(std::string_view name, Kind finds, bool by_default = true) {
    register_detector({name, finds, by_default, events_that_it_overrides<T>(),
                       [](Monitor& monitor) -> std::unique_ptr<Listener> { return std::make_unique<T>(monitor); }});
  }
};

}  // namespace assay::simt::checked
