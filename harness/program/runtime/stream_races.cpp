// Accesses, and the findings about them.
#include "harness/program/runtime/stream_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/program/copy_sources.h"
#include "harness/program/runtime/host_watch.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/stream_order.h"

namespace assay::program {
namespace {

using simt::Touch;

MemoryPast& memory_past() {
  static auto& past = *new MemoryPast;
  return past;
}

CopySources& copy_sources() {
  static auto& sources = *new CopySources;
  return sources;
}

// Registered memory of the host: its end by its beginning.
std::map<uintptr_t, uintptr_t>& registered() {
  static auto& all = *new std::map<uintptr_t, uintptr_t>;
  return all;
}

uintptr_t address_of(const void* memory) { return reinterpret_cast<uintptr_t>(memory); }

// A part of memory that has a name.
struct Region {
  uintptr_t begin, end;
  std::string name;
};

std::optional<Region> region_of(uintptr_t address) {
  const auto* const memory = reinterpret_cast<const void*>(address);
  if (const auto found = GpuProcess::get().place_of(memory))
    return Region{found->first, found->first + found->second->bytes, found->second->call};
  std::optional<Region> region;
  Modules::get().for_each_variable([&](const simt::ProgramVariable& variable) {
    const uintptr_t begin = address_of(variable.address);
    if (address - begin < variable.bytes) region = {begin, begin + variable.bytes, readable(variable.name)};
  });
  if (region || !is_host_registered(address)) return region;
  const auto after = registered().upper_bound(address);
  return Region{std::prev(after)->first, std::prev(after)->second, "the memory that cudaHostRegister was given"};
}

enum class Side : uint8_t { pageable, pinned, managed, device };

Side side_of(const void* memory) {
  if (const Allocation* const allocation = GpuProcess::get().allocation_of(memory))
    return allocation->memory == Memory::device ? Side::device
           : allocation->memory == Memory::host ? Side::pinned
                                                : Side::managed;
  if (Modules::get().is_variable(memory)) return Side::device;
  return region_of(address_of(memory)) ? Side::pinned : Side::pageable;
}

std::string verb(const GivenPiece& piece, Touch touch) {
  if (piece.what.starts_with("kernel "))
    return touch == Touch::read ? "reads" : touch == Touch::atomic ? "changes by atomics" : "writes";
  if (piece.what.find("Free") != std::string::npos) return "frees";
  if (piece.what.find("Malloc") != std::string::npos || piece.what.find("MemAlloc") != std::string::npos)
    return "allocates";
  return touch == Touch::read ? "reads" : "writes";
}

// "cudaMemcpyAsync at FILE:7 in stream 1"
std::string text_of(const GivenPiece& piece) {
  return fmt::format("{}{}{} in {}", piece.what, line_of(piece.site, piece.called),
                     piece.graph != nullptr ? ", of a graph" : "", piece.stream);
}

// How the two could be ordered, and why they are not where that may surprise.
std::string remedy(const GivenPiece& earlier, const GivenPiece& later) {
  if (earlier.graph != nullptr && earlier.graph == later.graph) return "an edge between the two nodes would";
  return fmt::format(
      "{}cudaStreamWaitEvent for an event recorded behind the first, cudaStreamSynchronize between them, or one stream "
      "for both would",
      earlier.may_outlast_call ? "such a copy from pageable memory may return before it has ended; " : "");
}

// "bytes 0 to 1023 of memory 1 of cudaMalloc at FILE:3"; `all`: of which these are the first.
std::string text_of(uintptr_t first, uintptr_t end, size_t all) {
  const std::optional<Region> region = region_of(first);
  const uintptr_t begin = region ? first - region->begin : first, last = begin + (end - first) - 1;
  std::string bytes = begin == last ? fmt::format("byte {}", begin) : fmt::format("bytes {} to {}", begin, last);
  if (all > end - first) bytes += fmt::format(" and {} more", all - (end - first));
  return bytes + " of " + (region ? region->name : "memory");
}

void report(const GivenPiece& piece, const std::string& detail) {
  GpuProcess::get().log().add(simt::Kind::race, detail, piece.what + line_of(piece.site, piece.called));
}

void report(const Unordered& race, const GivenPiece& later) {
  const auto& earlier = static_cast<const GivenPiece&>(*race.earlier);
  report(later, fmt::format("{} {} {}, which {} {}, and nothing orders the two: {}", text_of(later),
                            verb(later, race.touch), text_of(race.begin, race.end, race.bytes), text_of(earlier),
                            verb(earlier, race.earlier_touch), remedy(earlier, later)));
}

// A kernel may tell the host by such memory that it has come so far, and by nothing else that is not seen.
bool may_be_seen_by_host(uintptr_t address) {
  const Allocation* const allocation = GpuProcess::get().allocation_of(reinterpret_cast<const void*>(address));
  return allocation == nullptr || allocation->memory != Memory::device;
}

void access(const DoneWork& work, const simt::Footprint& footprint) {
  for (const simt::Touched& each : footprint) {
    if (copy_sources().is_empty()) break;
    if (each.touch == Touch::read) continue;
    if (work.piece->what.starts_with("kernel ") && may_be_seen_by_host(each.begin)) copy_sources().let_all_go();
    copy_sources().let_go(each.begin, each.end);
  }
  watch_is_stale();
  for (const Unordered& race : memory_past().access(work.piece, work.done, stream_clocks().host(), footprint))
    report(race, *work.piece);
}

void access(const DoneWork& work, const void* begin, size_t bytes, Touch touch) {
  access(work, {{address_of(begin), address_of(begin) + bytes, touch}});
}

// Does `body` with the thread's work, or as a call that uses the default stream.
template <class Body>
void with_work(const char* name, Body body) {
  if (!follows_streams()) return;
  const std::lock_guard lock(GpuProcess::get().lock());
  if (work_now() != nullptr) return body(*work_now(), false);
  const GivenWork work(name, nullptr);
  body(*work_now(), true);
}

// The region that an address is in; the last one is remembered.
class Regions {
 public:
  const std::optional<Region>& at(uintptr_t address) {
    if (!last_ || address < last_->begin || address >= last_->end) last_ = region_of(address);
    return last_;
  }

 private:
  std::optional<Region> last_;
};

// The bytes that a program knows: allocations and variables.
simt::Footprint known_part(const simt::Footprint& footprint) {
  simt::Footprint known;
  Regions regions;
  for (simt::Touched rest : footprint)
    while (rest.begin < rest.end) {
      const auto& region = regions.at(rest.begin);
      const uintptr_t end = region ? std::min(rest.end, region->end) : rest.begin + 1;
      if (region) simt::append(known, {rest.begin, end, rest.touch});
      rest.begin = end;
    }
  return known;
}

bool is_known(const simt::Footprint& footprint) {
  Regions regions;
  return std::ranges::all_of(footprint, [&](const simt::Touched& each) {
    const auto& region = regions.at(each.begin);
    return region && each.end <= region->end;
  });
}

}  // namespace

void launch_is(const std::string& what, const RegisteredKernel* kernel) {
  if (work_now() == nullptr) return;
  work_now()->piece->what = what;
  work_now()->piece->done = work_now()->done;
  work_now()->piece->tells_host = kernel == nullptr || kernel->image->tells_host();
  if (work_now()->piece->graph == nullptr) work_now()->piece->called = Called::by_stub;
}

void launch_accessed(const simt::Footprint* footprint) {
  if (footprint == nullptr) return copy_sources().let_all_go();
  if (footprint->empty() || work_now() == nullptr) return;
  access(*work_now(), is_known(*footprint) ? *footprint : known_part(*footprint));
}

void library_accessed(const void* begin, size_t bytes, Touch touch) {
  if (work_now() != nullptr && bytes != 0) access(*work_now(), begin, bytes, touch);
}

void copied(const char* name, const void* to, const void* from, size_t bytes) {
  if (!follows_streams() || bytes == 0) return;
  const Side source = side_of(from), target = side_of(to);
  const auto is_host = [](Side side) { return side == Side::pageable || side == Side::pinned; };
  // Copies from pageable memory wait for the stream before they begin, and may return before they have ended.
  if (work_now() == nullptr && source == Side::pageable) host_waits_for_stream(nullptr);
  with_work(name, [&](const DoneWork& work, bool is_waiting_call) {
    if (source != Side::pageable) access(work, from, bytes, Touch::read);
    if (target != Side::pageable) access(work, to, bytes, Touch::write);
    const bool is_waited_for =
        is_waiting_call
            ? target != Side::device || (source != Side::pageable && source != Side::device)
            : work.piece->graph == nullptr && (target == Side::pageable || (is_host(source) && is_host(target)));
    work.piece->may_outlast_call = is_waiting_call && !is_waited_for && source == Side::pageable;
    // Where the host's accesses are seen, they are as soon as they are made.
    if (source == Side::pinned && !is_waiting_call && !is_waited_for &&
        (!watches_host() || is_host_registered(address_of(from))))
      copy_sources().add(work.piece, from, bytes);
    if (is_waited_for) host_waits(work.done);
  });
}

void host_has_waited() {
  watch_is_stale();
  for (const CopySources::Source& source : copy_sources().changed(stream_clocks().host())) {
    const auto& copy = static_cast<const GivenPiece&>(*source.piece);
    report(copy,
           fmt::format("{} reads {}, and the host changes them before it has waited for the copy: "
                       "cudaStreamSynchronize, or cudaEventSynchronize for an event recorded behind the copy, must "
                       "come first",
                       text_of(copy), text_of(source.begin, source.begin + source.bytes, source.bytes)));
  }
}

simt::Footprint unfinished_for_host() {
  simt::Footprint all;
  GpuProcess::get().for_each_shared([&](uintptr_t begin, size_t bytes) {
    for (const simt::Touched& each : memory_past().unfinished(begin, begin + bytes, stream_clocks().host()))
      all.push_back(each);
  });
  return all;
}

bool host_may_access(uintptr_t begin, uintptr_t end, Touch touch, const std::function<CallSite()>& site) {
  const std::optional<Unordered> race = memory_past().unordered_with_host(begin, end, touch, stream_clocks().host());
  if (!race) return true;
  const auto& earlier = static_cast<const GivenPiece&>(*race->earlier);
  if (race->earlier_touch == Touch::atomic && earlier.tells_host) {
    host_waits(earlier.done);  // that is how a kernel tells the host that it has come so far
    return true;
  }
  const std::string where = "the host" + line_of(site(), Called::directly);
  GpuProcess::get().log().add(
      simt::Kind::race,
      fmt::format("{} {} {}, which {} {}, and does not wait for that before: cudaDeviceSynchronize, or "
                  "cudaStreamSynchronize for its stream, must come between",
                  where, touch == Touch::read ? "reads" : "writes", text_of(race->begin, race->end, race->bytes),
                  text_of(earlier), verb(earlier, race->earlier_touch)),
      where);
  return false;
}

void was_set(const char* name, const void* to, size_t bytes) {
  with_work(name, [&](const DoneWork& work, bool is_waiting_call) {
    access(work, to, bytes, Touch::write);
    if (is_waiting_call && side_of(to) != Side::device) host_waits(work.done);
  });
}

void allocated(const void* memory, size_t bytes) {
  if (work_now() != nullptr && memory != nullptr) access(*work_now(), memory, bytes, Touch::write);
}

void will_be_freed(const void* memory, size_t bytes) {
  if (!follows_streams()) return;
  if (work_now() != nullptr)
    access(*work_now(), memory, bytes, Touch::write);
  else
    host_waits_for_device();
  memory_past().forget(address_of(memory), address_of(memory) + bytes);
}

void host_registered(const void* memory, size_t bytes) {
  const std::lock_guard lock(GpuProcess::get().lock());
  registered()[address_of(memory)] = address_of(memory) + bytes;
  GpuProcess::get().shares_memory = true;
}

bool is_host_registered(uintptr_t address) {
  const auto after = registered().upper_bound(address);
  return after != registered().begin() && address < std::prev(after)->second;
}

void host_unregistered(const void* memory) {
  const std::lock_guard lock(GpuProcess::get().lock());
  const auto found = registered().find(address_of(memory));
  if (found == registered().end()) return;
  host_waits_for_device();
  memory_past().forget(found->first, found->second);
  registered().erase(found);
}

}  // namespace assay::program
