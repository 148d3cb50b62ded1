// Gathers what a launch needs, and refuses what a file cannot hold.
#include "harness/program/runtime/launch_capture.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/program/runtime/settings.h"
#include "harness/simt/checked/monitor.h"
#include "harness/simt/include/simt/textures.h"

namespace assay::program {
namespace {

// The captures of this process so far.
struct Captures {
  uint64_t begun = 0, unchecked = 0;
  std::set<std::string> launched;  // names of kernels
};

Captures& captures() {
  static Captures& captures = *new Captures;
  return captures;
}

std::string bytes_at(const void* begin, size_t bytes) { return {static_cast<const char*>(begin), bytes}; }

// Whether a launch in which this was found may have ended there.
bool may_end_a_launch(simt::Kind worst) { return worst >= simt::Kind::out_of_bounds; }
constexpr uint64_t kWholeBytesMax = uint64_t{16} << 20;

// Where pointers among the arguments may lead: their words.
std::vector<uint64_t> words_of(const std::vector<std::string>& arguments) {
  std::vector<uint64_t> words;
  for (const std::string& each : arguments)
    for (size_t at = 0; at + sizeof(uint64_t) <= each.size(); at += sizeof(uint64_t))
      std::memcpy(&words.emplace_back(), each.data() + at, sizeof(uint64_t));
  return words;
}

// "softmax_forward" of "void mine::softmax_forward<float>(float*, int)", for a file's name.
std::string plain_name(const std::string& kernel) {
  std::string text = readable(kernel);
  text = text.substr(0, text.find_first_of("<("));
  if (const size_t before = text.find_last_of(" :"); before != std::string::npos) text = text.substr(before + 1);
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '_';
  return text.empty() ? "kernel" : text;
}

// Looks for words that mean something in this process alone.
class ProcessWords {
 public:
  explicit ProcessWords(const RegisteredKernel& kernel) : variables_(kernel.image->variables) {
    const void* const function = kernel.image->kernels.at(kernel.name)->function;
    Dl_info info{};
    if (dladdr(function, &info) != 0) base_ = info.dli_fbase;
    code_ = reinterpret_cast<uintptr_t>(function);
  }

  // Adds the pointers to variables among the words of these bytes, which begin at `from.at`. Errors: a word that a file
  // cannot hold.
  Result<void> look_at(std::string_view bytes, SavedPointer from, std::vector<SavedPointer>& pointers) const {
    const uint64_t skipped = (8 - from.at % 8) % 8, begin = from.at;
    for (uint64_t at = skipped; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (word >> 56 == 0x7e && (simt::texture_of(word) != nullptr || simt::surface_of(word) != nullptr))
        return fail("it is given a texture or surface, which a file cannot hold yet");
      if (word - code_ + kFar >= 2 * kFar) continue;  // no library of this process is there
      if (const auto* const variable = variable_with(word); variable != nullptr) {
        from.at = begin + at, from.variable = variable->name;
        from.offset = word - reinterpret_cast<uintptr_t>(variable->address);
        pointers.push_back(from);
      } else if (is_code(word) || Modules::get().is_variable(reinterpret_cast<const void*>(word))) {
        return fail(
            "it is given the address of a function, a constant or another module's variable, which a file "
            "cannot hold");
      }
    }
    return {};
  }

 private:
  // Libraries lie apart by what is mapped between two of them, as the memory of the device with its shadow; on either
  // side of any round address.
  static constexpr uint64_t kFar = uint64_t{1} << 44;

  const simt::ProgramVariable* variable_with(uint64_t word) const {
    for (const auto& [name, each] : variables_)
      if (word - reinterpret_cast<uintptr_t>(each->address) < each->bytes) return each;
    return nullptr;
  }
  bool is_code(uint64_t word) const {
    constexpr uint64_t kNear = uint64_t{64} << 20;
    Dl_info info{};
    return base_ != nullptr && word - code_ + kNear < 2 * kNear &&
           dladdr(reinterpret_cast<const void*>(word), &info) != 0 && info.dli_fbase == base_;
  }

  uintptr_t code_ = 0;
  const void* base_ = nullptr;
  const std::map<std::string, const simt::ProgramVariable*>& variables_;
};

// Pointers in all that the launch is given.
Result<std::vector<SavedPointer>> pointers_of(const SavedLaunch& launch, const ProcessWords& words) {
  std::vector<SavedPointer> pointers;
  for (size_t i = 0; i < launch.arguments.size(); ++i)
    ASSAY_TRY(words.look_at(launch.arguments[i], {.argument = i, .at = 0}, pointers));
  for (size_t i = 0; i < launch.memories.size(); ++i) {
    const SavedMemory& memory = launch.memories[i];
    size_t at = 0;
    for (const ByteRange& range : memory.with_value) {
      const std::string_view bytes = std::string_view(memory.before).substr(at, range.bytes);
      ASSAY_TRY(words.look_at(bytes, {.place = i, .at = range.begin}, pointers));
      at += range.bytes;
    }
  }
  return pointers;
}

std::string size_text(uint64_t bytes) {
  return bytes < 1024 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1024);
}

}  // namespace

std::unique_ptr<LaunchCapture> LaunchCapture::of(GpuProcess& process, const RegisteredKernel& kernel,
                                                 const simt::ProgramKernel& compiled, const simt::Launch& shape,
                                                 void** arguments, bool is_checked) {
  if (settings().capture.empty() || process.checker() == nullptr) return nullptr;
  captures().launched.insert(readable(kernel.name));
  if (captures().begun >= settings().captures || readable(kernel.name).find(settings().capture) == std::string::npos)
    return nullptr;
  ++(is_checked ? captures().begun : captures().unchecked);
  if (!is_checked) return nullptr;
  process.want_footprints();
  std::unique_ptr<LaunchCapture> capture(new LaunchCapture(process, kernel));
  const simt::checked::Arena& arena = process.checker()->monitor().arena;
  SavedLaunch& launch = capture->launch_;
  std::error_code none;
  launch.program = std::filesystem::read_symlink("/proc/self/exe", none).string();
  launch.kernel = kernel.name;
  launch.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  launch.block = {shape.block.x, shape.block.y, shape.block.z};
  launch.shared_bytes = shape.shared_bytes;
  launch.schedule = settings().schedule;
  launch.is_observed = compiled.is_observed;
  launch.arena_begin = arena.begin();
  launch.arena_bytes = arena.bytes();
  for (size_t i = 0; i < compiled.parameters; ++i)
    launch.arguments.push_back(bytes_at(arguments[i], compiled.sizes[i]));
  for (const auto& [name, each] : kernel.image->variables)
    launch.variables.push_back({name, bytes_at(each->address, each->bytes), {}});
  capture->snapshot_ = std::make_unique<MemorySnapshot>(arena);
  return capture;
}

Result<std::string> LaunchCapture::written(simt::Kind worst, bool has_children) {
  launch_.ptx = ASSAY_TRY(Modules::ptx_of_image(*kernel_.image));
  if (has_children) return fail("its kernel launches kernels, which a file cannot hold yet");
  if (std::ranges::any_of(process_.checker()->monitor().arena.placed(), &simt::checked::Placed::is_heap))
    return fail("the program's kernels use the device's heap (malloc, new), which a file cannot hold yet");
  const auto& variables = kernel_.image->variables;
  launch_.memories = snapshot_->accessed_by(
      may_end_a_launch(worst)
          ? snapshot_->with_whole_buffers(process_.footprint(), words_of(launch_.arguments), kWholeBytesMax)
          : process_.footprint());
  const ProcessWords words(kernel_);
  launch_.pointers = ASSAY_TRY(pointers_of(launch_, words));
  std::erase_if(launch_.variables, [&](const SavedVariable& each) {
    return !Modules::is_with(kernel_, *variables.at(each.name)) &&
           std::ranges::find(launch_.pointers, each.name, &SavedPointer::variable) == launch_.pointers.end();
  });
  for (SavedVariable& each : launch_.variables)
    each.after = bytes_at(variables.at(each.name)->address, variables.at(each.name)->bytes);
  for (const SavedVariable& each : launch_.variables) {
    std::vector<SavedPointer> in_variable;
    ASSAY_TRY(words.look_at(each.before, {}, in_variable));
    if (!in_variable.empty())
      return fail(fmt::format("{} has the address of a variable, which a file cannot hold yet", readable(each.name)));
  }
  launch_.registered_variables = Modules::get().registered_variables(*kernel_.image);
  const std::string path =
      fmt::format("{}/{}-{}.launch", settings().capture_folder, plain_name(kernel_.name), process_.launches);
  ASSAY_TRY(write_launch(path, launch_));
  return path;
}

void LaunchCapture::finish(const std::string& where, simt::Kind worst, bool has_children) {
  launch_.where = where;
  const auto path = written(worst, has_children);
  if (!path) return process_.log().note(fmt::format("not captured: {}, because {}", where, path.error().line()));
  std::error_code none;
  process_.log().captured(*path, fmt::format("captured {} in {} ({}); `assay replay` runs it again", where, *path,
                                             size_text(std::filesystem::file_size(*path, none))));
}

void tell_captures(GpuProcess& process) {
  if (settings().capture.empty() || captures().begun > 0) return;
  const auto& [begun, unchecked, launched] = captures();
  process.log().note("nothing was captured: " +
                     (launched.empty() ? "no kernel was launched"
                      : unchecked > 0
                          ? fmt::format("{} launches of '{}' ran unchecked, as --kernel-name, --launch-skip and "
                                        "--launch-count tell, or because their blocks wait for each other",
                                        unchecked, settings().capture)
                          : fmt::format("no kernel's name has '{}'; launched were {}", settings().capture,
                                        fmt::join(launched, ", "))));
}

}  // namespace assay::program
