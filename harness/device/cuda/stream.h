// The stream that launches of this thread go to, and the first thing of a run that was refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace assay {

// A cudaStream_t; null is CUDA's default stream.
void* current_stream();

// Makes `stream` the current one of this thread for its lifetime.
class StreamScope {
 public:
  explicit StreamScope(void* stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  void* before_;
};

// Why work of a run was not done, though the GPU can go on.
enum class Refusal : uint8_t {
  launch,     // CUDA or a library refused what it was asked: the variant's fault
  no_plan,    // a library has no way to do the case: the variant does not support it
  no_memory,  // for what a library needs besides the case's tensors
};

struct Refused {
  Refusal kind = Refusal::launch;
  std::string why;  // CUDA's or the library's words
};

// Remembers it for this thread; the first one of a run counts.
void note_refusal(Refusal kind, std::string why);
bool was_refused();
std::optional<Refused> take_refusal();  // nothing when there was none; forgets it

inline void note_refused_launch(std::string why) { note_refusal(Refusal::launch, std::move(why)); }

}  // namespace assay
