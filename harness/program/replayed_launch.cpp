// Memory at its old addresses, a launch of the executor, and a look at what it did.
#include "harness/program/replayed_launch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "harness/program/output_differences.h"
#include "harness/simt/checked/monitor.h"
#include "harness/simt/include/simt/program_table.h"
#include "harness/simt/runtime/executor.h"

namespace assay {
namespace {

Result<const simt::ProgramModule*> load(const std::string& module) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const table = library == nullptr ? nullptr : dlsym(library, "assay_program_module");
  if (table == nullptr) return fail(fmt::format("{} cannot be loaded: {}", module, dlerror()));
  return static_cast<const simt::ProgramModule*>(table);
}

Result<const simt::ProgramKernel*> kernel_of(const simt::ProgramModule& module, const SavedLaunch& launch) {
  for (const simt::ProgramKernel* each = module.kernels; each->name != nullptr; ++each) {
    if (each->name != launch.kernel) continue;
    bool fits = each->parameters == launch.arguments.size();
    for (size_t i = 0; fits && i < each->parameters; ++i) fits = each->sizes[i] == launch.arguments[i].size();
    if (!fits) return fail("the kernel has other parameters than the launch has arguments");
    return each;
  }
  return fail("the PTX has no kernel " + launch.kernel);
}

Result<void> lay_out(const SavedLaunch& launch, simt::checked::Arena& arena) {
  // As many addresses as the program had, so that strays are reported alike, or as many as are needed.
  uint64_t end = launch.arena_begin;
  for (const SavedMemory& each : launch.memories) end = each.address + each.bytes;
  const uint64_t needed = std::bit_ceil(end - launch.arena_begin + 2 * simt::checked::Arena::kGapMin);
  if (!arena.reserve_at(launch.arena_begin, launch.arena_bytes) &&
      !arena.reserve_at(launch.arena_begin, std::min(needed, launch.arena_bytes)))
    return fail(fmt::format("the addresses from 0x{:x} on, where the program had its memory, are not to be had here",
                            launch.arena_begin),
                "is there a limit on the address space (ulimit -v)?");
  for (const SavedMemory& each : launch.memories) {
    arena.place_at(each.address, {.name = each.name, .bytes = each.bytes, .element_bytes = 0});
    size_t at = 0;
    for (const ByteRange& range : each.with_value) {
      std::memcpy(reinterpret_cast<void*>(each.address + range.begin), each.before.data() + at, range.bytes);
      arena.initialise(each.address + range.begin, range.bytes);
      at += range.bytes;
    }
  }
  return {};
}

Result<void> set_variables(SavedLaunch& launch, const simt::ProgramModule& module) {
  const auto find = [&](const std::string& name) {
    const simt::ProgramVariable* each = module.variables;
    while (each->name != nullptr && each->name != name) ++each;
    return each;
  };
  for (const SavedVariable& each : launch.variables) {
    const simt::ProgramVariable& variable = *find(each.name);
    if (variable.name == nullptr || variable.bytes != each.before.size())
      return fail("the PTX has no variable " + each.name + " of that size");
    std::memcpy(variable.address, each.before.data(), each.before.size());
  }
  for (const SavedPointer& each : launch.pointers) {
    const simt::ProgramVariable& variable = *find(each.variable);
    if (variable.name == nullptr) return fail("the PTX has no variable " + each.variable);
    char* const address = static_cast<char*>(variable.address) + each.offset;
    char* const word = each.place == SavedPointer::kArguments
                           ? launch.arguments[each.argument].data() + each.at
                           : reinterpret_cast<char*>(launch.memories[each.place].address) + each.at;
    std::memcpy(word, &address, sizeof address);
  }
  return {};
}

// The bytes of a footprint that lie in the memory, by how they were touched.
std::vector<ByteRange> within(const SavedMemory& memory, const simt::Footprint& footprint,
                              bool (*is_meant)(simt::Touch)) {
  std::vector<ByteRange> ranges;
  for (const simt::Touched& each : footprint) {
    if (!is_meant(each.touch) || each.end <= memory.address || each.begin >= memory.address + memory.bytes) continue;
    const uint64_t begin = std::max<uint64_t>(each.begin, memory.address) - memory.address;
    const uint64_t end = std::min<uint64_t>(each.end - memory.address, memory.bytes);
    ranges.push_back({begin, end - begin});
  }
  return ranges;
}

// The first byte of these ranges that is not in `known`; nothing where all are.
std::optional<uint64_t> first_outside(const std::vector<ByteRange>& ranges, const std::vector<ByteRange>& known) {
  for (const ByteRange& range : ranges)
    for (uint64_t at = range.begin; at < range.begin + range.bytes;) {
      const auto after = std::ranges::upper_bound(known, at, {}, &ByteRange::begin);
      if (after == known.begin() || at - (after - 1)->begin >= (after - 1)->bytes) return at;
      at = (after - 1)->begin + (after - 1)->bytes;
    }
  return std::nullopt;
}

// Under another schedule a launch may come to bytes that the program's run left alone. What it writes there is its own;
// what it reads there nobody knows, and a read shows as one of bytes without a value.
std::string unknown_bytes(const SavedLaunch& launch, const simt::Footprint& footprint, bool reads_without_value) {
  for (const SavedMemory& memory : launch.memories) {
    const auto touched = within(
        memory, footprint, reads_without_value ? [](simt::Touch) { return true; } : [](simt::Touch touch) {
          return touch != simt::Touch::write;
        });
    if (const auto at = first_outside(touched, memory.accessed))
      return fmt::format("byte {} of {}, and perhaps others", *at, memory.name);
  }
  return "";
}

}  // namespace

Result<ReplayedLaunch> replay_here(const SavedLaunch& saved, const std::string& path, uint64_t schedule) {
  SavedLaunch launch = saved;
  const simt::ProgramModule& module = *ASSAY_TRY(load(path));
  const simt::ProgramKernel& kernel = *ASSAY_TRY(kernel_of(module, launch));
  simt::Checker checker;
  ASSAY_TRY(lay_out(launch, checker.monitor().arena));
  ASSAY_TRY(set_variables(launch, module));
  checker.want_footprints();
  simt::Context context{.options = {.schedule = schedule, .approximation = schedule, .checker = &checker},
                        .findings = {}};
  std::vector<void*> arguments;
  for (std::string& each : launch.arguments) arguments.push_back(each.data());
  {
    const simt::ContextScope scope(context);
    const auto extents = [](const std::array<uint32_t, 3>& each) { return dim3(each[0], each[1], each[2]); };
    kernel.start({extents(launch.grid), extents(launch.block), launch.shared_bytes}, arguments.data());
  }
  const simt::Footprint footprint = checker.take_footprint();
  ReplayedLaunch replayed;
  const auto without_value = [](const simt::Finding& each) { return each.kind == simt::Kind::uninitialised; };
  replayed.unknown = unknown_bytes(launch, footprint, std::ranges::any_of(context.findings, without_value));
  for (const simt::Finding& each : context.findings)
    if (replayed.unknown.empty() || !without_value(each))
      replayed.findings.push_back({simt::name(each.kind), each.detail});
  if (!replayed.unknown.empty()) return replayed;
  for (const SavedMemory& memory : launch.memories)
    if (auto text = difference_in(
            memory, within(memory, footprint, [](simt::Touch touch) { return touch != simt::Touch::read; }));
        !text.empty())
      replayed.differences.push_back(std::move(text));
  for (const SavedVariable& each : launch.variables)
    for (const simt::ProgramVariable* now = module.variables; now->name != nullptr; ++now)
      if (now->name == each.name)
        if (auto text = difference_in(each, {static_cast<const char*>(now->address), now->bytes}); !text.empty())
          replayed.differences.push_back(std::move(text));
  return replayed;
}

std::string print(const ReplayedLaunch& replayed) {
  nlohmann::json findings = nlohmann::json::array();
  for (const auto& each : replayed.findings) findings.push_back({each.kind, each.detail});
  return nlohmann::json{{"findings", findings}, {"differences", replayed.differences}, {"unknown", replayed.unknown}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<ReplayedLaunch> read_replayed(const std::string& text) {
  try {
    const auto value = nlohmann::json::parse(text);
    ReplayedLaunch replayed{.findings = {}, .differences = value.at("differences"), .unknown = value.at("unknown")};
    for (const auto& each : value.at("findings")) replayed.findings.push_back({each.at(0), each.at(1)});
    return replayed;
  } catch (const nlohmann::json::exception&) {
    return fail("a replay has left no result");
  }
}

}  // namespace assay
