// The current stream and the first refusal, for each thread.
#include "harness/device/cuda/stream.h"

#include <utility>

namespace assay {
namespace {

thread_local void* stream_now = nullptr;
thread_local std::optional<Refused> refused;

}  // namespace

void* current_stream() { return stream_now; }

StreamScope::StreamScope(void* stream) : before_(std::exchange(stream_now, stream)) {}
StreamScope::~StreamScope() { stream_now = before_; }

void note_refusal(Refusal kind, std::string why) {
  if (!refused) refused = {kind, std::move(why)};
}

bool was_refused() { return refused.has_value(); }

std::optional<Refused> take_refusal() { return std::exchange(refused, std::nullopt); }

}  // namespace assay
