// The current stream and the first refused launch, for each thread.
#include "harness/device/cuda/stream.h"

#include <utility>

namespace assay {
namespace {

thread_local void* stream_now = nullptr;
thread_local std::string refused;

}  // namespace

void* current_stream() { return stream_now; }

StreamScope::StreamScope(void* stream) : before_(std::exchange(stream_now, stream)) {}
StreamScope::~StreamScope() { stream_now = before_; }

void note_refused_launch(std::string why) {
  if (refused.empty()) refused = std::move(why);
}

std::string take_refused_launch() { return std::exchange(refused, ""); }

}  // namespace assay
