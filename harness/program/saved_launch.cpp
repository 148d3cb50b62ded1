// A launch as CBOR, packed by zstd.
#include "harness/program/saved_launch.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/write_file.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr std::string_view kBeginOfFile = "assay launch";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kBytesMax = uint64_t{64} << 30;  // unpacked
constexpr int kLevel = 9;

json binary(const std::string& bytes) { return json::binary({bytes.begin(), bytes.end()}); }
std::string text(const json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

// Ranges as the gap before each, and its length: numbers that are small, and alike where a kernel strides.
json packed(const std::vector<ByteRange>& ranges) {
  std::vector<uint64_t> numbers;
  uint64_t end = 0;
  for (const ByteRange& range : ranges) {
    numbers.insert(numbers.end(), {range.begin - end, range.bytes});
    end = range.begin + range.bytes;
  }
  return numbers;
}

std::vector<ByteRange> ranges(const json& packed) {
  std::vector<ByteRange> all;
  uint64_t end = 0;
  for (size_t i = 0; i + 1 < packed.size(); i += 2) {
    all.push_back({end + packed[i].get<uint64_t>(), packed[i + 1].get<uint64_t>()});
    end = all.back().begin + all.back().bytes;
  }
  return all;
}

uint64_t bytes_of(const std::vector<ByteRange>& ranges) {
  uint64_t bytes = 0;
  for (const ByteRange& range : ranges) bytes += range.bytes;
  return bytes;
}

json value_of(const SavedLaunch& launch) {
  json memories = json::array(), variables = json::array(), pointers = json::array(), arguments = json::array();
  for (const SavedMemory& each : launch.memories)
    memories.push_back({{"name", each.name},
                        {"address", each.address},
                        {"bytes", each.bytes},
                        {"accessed", packed(each.accessed)},
                        {"with_value", packed(each.with_value)},
                        {"before", binary(each.before)},
                        {"written", packed(each.written)},
                        {"after", binary(each.after)}});
  for (const SavedVariable& each : launch.variables)
    variables.push_back({{"name", each.name}, {"before", binary(each.before)}, {"after", binary(each.after)}});
  for (const SavedPointer& each : launch.pointers)
    pointers.push_back({each.place, each.argument, each.at, each.variable, each.offset});
  for (const std::string& each : launch.arguments) arguments.push_back(binary(each));
  return {{"program", launch.program},
          {"where", launch.where},
          {"kernel", launch.kernel},
          {"grid", launch.grid},
          {"block", launch.block},
          {"shared_bytes", launch.shared_bytes},
          {"schedule", launch.schedule},
          {"is_observed", launch.is_observed},
          {"arguments", arguments},
          {"arena", {launch.arena_begin, launch.arena_bytes}},
          {"memories", memories},
          {"variables", variables},
          {"pointers", pointers},
          {"ptx", launch.ptx},
          {"registered_variables", launch.registered_variables}};
}

// Throws what nlohmann/json throws where a member is missing or of another type.
SavedLaunch launch_of(const json& value) {
  SavedLaunch launch{.program = value.at("program"),
                     .where = value.at("where"),
                     .kernel = value.at("kernel"),
                     .grid = value.at("grid"),
                     .block = value.at("block"),
                     .shared_bytes = value.at("shared_bytes"),
                     .schedule = value.at("schedule"),
                     .is_observed = value.at("is_observed"),
                     .arguments = {},
                     .arena_begin = value.at("arena").at(0),
                     .arena_bytes = value.at("arena").at(1),
                     .memories = {},
                     .variables = {},
                     .pointers = {},
                     .ptx = value.at("ptx"),
                     .registered_variables = value.at("registered_variables")};
  for (const json& each : value.at("arguments")) launch.arguments.push_back(text(each));
  for (const json& each : value.at("memories"))
    launch.memories.push_back({.name = each.at("name"),
                               .address = each.at("address"),
                               .bytes = each.at("bytes"),
                               .accessed = ranges(each.at("accessed")),
                               .with_value = ranges(each.at("with_value")),
                               .before = text(each.at("before")),
                               .written = ranges(each.at("written")),
                               .after = text(each.at("after"))});
  for (const json& each : value.at("variables"))
    launch.variables.push_back({each.at("name"), text(each.at("before")), text(each.at("after"))});
  for (const json& each : value.at("pointers"))
    launch.pointers.push_back({each.at(0), each.at(1), each.at(2), each.at(3), each.at(4)});
  return launch;
}

bool lie_within(const std::vector<ByteRange>& ranges, uint64_t bytes) {
  for (const ByteRange& range : ranges)
    if (range.begin > bytes || range.bytes > bytes - range.begin) return false;
  return true;
}

// Whether a replay may take every offset of the file as it is.
bool is_sound(const SavedLaunch& launch) {
  uint64_t end = launch.arena_begin;
  for (const SavedMemory& each : launch.memories) {
    if (each.address < end || each.address - launch.arena_begin > launch.arena_bytes ||
        each.bytes > launch.arena_bytes - (each.address - launch.arena_begin))
      return false;
    for (const auto* ranges : {&each.accessed, &each.with_value, &each.written})
      if (!lie_within(*ranges, each.bytes)) return false;
    if (bytes_of(each.with_value) != each.before.size() || bytes_of(each.written) != each.after.size()) return false;
    end = each.address + each.bytes;
  }
  for (const SavedVariable& each : launch.variables)
    if (each.before.size() != each.after.size()) return false;
  for (const SavedPointer& each : launch.pointers) {
    const bool is_argument = each.place == SavedPointer::kArguments;
    if (is_argument ? each.argument >= launch.arguments.size() : each.place >= launch.memories.size()) return false;
    const uint64_t room = is_argument ? launch.arguments[each.argument].size() : launch.memories[each.place].bytes;
    if (room < sizeof(uint64_t) || each.at > room - sizeof(uint64_t)) return false;
  }
  return true;
}

}  // namespace

Result<void> write_launch(const std::string& path, const SavedLaunch& launch) {
  const std::vector<uint8_t> plain = json::to_cbor(value_of(launch));
  std::string file(kBeginOfFile);
  for (unsigned i = 0; i < 4; ++i) file += static_cast<char>(kVersion >> 8 * i & 0xff);
  const size_t head = file.size();
  file.resize(head + ZSTD_compressBound(plain.size()));
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  const size_t size = ZSTD_compress2(context.get(), file.data() + head, file.size() - head, plain.data(), plain.size());
  if (ZSTD_isError(size) != 0) return fail(fmt::format("cannot pack {}: {}", path, ZSTD_getErrorName(size)));
  file.resize(head + size);
  return write_file(path, file);
}

Result<SavedLaunch> read_launch(const std::string& path) {
  std::error_code none;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    return fail(path + " is no regular file", "give the path of a .launch file");  // opening a pipe would wait
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)), "give the path of a .launch file");
  std::ostringstream whole;
  whole << in.rdbuf();
  const std::string file = whole.str();
  const char* const again = "write it again with `assay run --capture`";
  constexpr size_t kHead = kBeginOfFile.size() + sizeof kVersion;
  if (!file.starts_with(kBeginOfFile.substr(0, std::max<size_t>(1, std::min(file.size(), kBeginOfFile.size())))))
    return fail(path + " is no launch that `assay run --capture` has written", again);
  if (file.size() <= kHead) return fail(path + " is cut off", again);
  uint32_t version = 0;
  for (unsigned i = 0; i < 4; ++i) version |= uint32_t{static_cast<unsigned char>(file[kBeginOfFile.size() + i])} << 8 * i;
  if (version != kVersion)
    return fail(fmt::format("{} is of version {}, and this assay reads version {}", path, version, kVersion),
                "use the assay that wrote it, or write it again");
  const size_t frame = ZSTD_findFrameCompressedSize(file.data() + kHead, file.size() - kHead);
  const uint64_t size = ZSTD_getFrameContentSize(file.data() + kHead, file.size() - kHead);
  if (ZSTD_isError(frame) != 0 || frame != file.size() - kHead || size > kBytesMax)
    return fail(path + " is cut off or damaged", again);
  std::vector<uint8_t> plain(size);
  const size_t got = ZSTD_decompress(plain.data(), plain.size(), file.data() + kHead, frame);
  if (ZSTD_isError(got) != 0 || got != size)
    return fail(fmt::format("{} is damaged ({})", path, ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : "too short"),
                again);
  try {
    SavedLaunch launch = launch_of(json::from_cbor(plain));
    if (is_sound(launch)) return launch;
  } catch (const json::exception&) {
  }
  return fail(path + " does not hold what a launch needs", again);
}

}  // namespace assay
