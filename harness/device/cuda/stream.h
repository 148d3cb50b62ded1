// The stream that launches of this thread go to, and the first launch that was refused.
#pragma once

#include <string>

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

// Remembers that a launch was refused; the first one of a run counts.
void note_refused_launch(std::string why);
std::string take_refused_launch();  // "" when none was; forgets it

}  // namespace assay
