// Chunks of a mapping without access get access one by one: each is then a mapping of its own to Linux, of which a
// process may have 65530, unless it lies beside another.
#include "harness/tensor/virtual_tensor.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "harness/base/check.h"

namespace assay {
namespace {

constexpr size_t kChunkBytes = size_t{16} << 10;
constexpr size_t kTensorAlignment = 256;       // as that of Tensor
constexpr size_t kGapBytes = size_t{1} << 36;  // 2^32 elements of 16 bytes, on either side
constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

size_t rounded_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

int64_t repeated_element(const std::vector<int64_t>& shape, const std::vector<int64_t>& base, int64_t i) {
  int64_t element = 0, stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    element += i % shape[axis] % base[axis] * stride;
    i /= shape[axis];
    stride *= base[axis];
  }
  return element;
}

Result<VirtualTensor> VirtualTensor::reserve(const Tensor& base, std::vector<int64_t> shape) {
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  VirtualTensor tensor(base, std::move(shape), count);
  const size_t room = rounded_up(base.offset() + static_cast<size_t>(count) * size_of(base.dtype()), kTensorAlignment);
  const size_t inner = rounded_up(room, kChunkBytes), length = inner + 2 * kGapBytes;
  void* const mapped = mmap(nullptr, length, PROT_NONE, kReserved, -1, 0);
  if (mapped == MAP_FAILED)
    return fail(fmt::format("cannot reserve {} bytes of addresses: {}", length, std::strerror(errno)),
                "raise the limit (ulimit -v)");
  tensor.mapping_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(mapped), Unmap{length});
  const auto begin = reinterpret_cast<uintptr_t>(mapped) + kGapBytes;
  tensor.first_chunk_ = static_cast<std::byte*>(mapped) + (rounded_up(begin, kChunkBytes) - begin) + kGapBytes;
  tensor.end_chunk_ = tensor.first_chunk_ + inner;
  tensor.data_ = tensor.end_chunk_ - room + base.offset();
  tensor.present_.resize(inner / kChunkBytes);
  return tensor;
}

VirtualTensor::VirtualTensor(const Tensor& base, std::vector<int64_t> shape, int64_t count)
    : base_(&base), shape_(std::move(shape)), count_(count) {}

bool VirtualTensor::reserves(uintptr_t address) const {
  const auto begin = reinterpret_cast<uintptr_t>(mapping_.get());
  return address >= begin && address - begin < mapping_.get_deleter().length;
}

bool VirtualTensor::touch(uintptr_t address) {
  if (address < reinterpret_cast<uintptr_t>(first_chunk_) || address >= reinterpret_cast<uintptr_t>(end_chunk_))
    return false;
  const auto chunk = static_cast<int64_t>((address - reinterpret_cast<uintptr_t>(first_chunk_)) / kChunkBytes);
  if (present_[static_cast<size_t>(chunk)]) return false;
  if (mprotect(chunk_begin(chunk), kChunkBytes, PROT_READ | PROT_WRITE) != 0) return false;
  fill_chunk(chunk, chunk_begin(chunk));
  present_[static_cast<size_t>(chunk)] = true;
  touched_.push_back(chunk);
  return true;
}

int64_t VirtualTensor::element_at(uintptr_t address) const {
  const auto bytes = static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(data_));
  const auto size = static_cast<int64_t>(size_of(base_->dtype()));
  return (bytes - (bytes < 0 ? size - 1 : 0)) / size;
}

std::vector<VirtualTensor::Change> VirtualTensor::changes() const {
  std::vector<int64_t> chunks = touched_;
  std::ranges::sort(chunks);
  std::vector<std::byte> before(kChunkBytes);
  std::vector<Change> all;
  const size_t size = size_of(base_->dtype());
  for (const int64_t chunk : chunks) {
    const std::byte* const now = chunk_begin(chunk);
    fill_chunk(chunk, before.data());
    if (std::memcmp(now, before.data(), kChunkBytes) == 0) continue;
    for (int64_t i = element_before(now); i < element_before(now + kChunkBytes); ++i) {
      const std::byte* const at = data_ + static_cast<size_t>(i) * size;
      if (std::memcmp(at, before.data() + (at - now), size) == 0) continue;
      uint64_t bits = 0;
      std::memcpy(&bits, at, size);
      all.push_back({i, bits});
    }
  }
  return all;
}

int64_t VirtualTensor::guard_broken_at() const {
  const std::byte* const end = data_ + static_cast<size_t>(count_) * size_of(base_->dtype());
  for (const int64_t chunk : touched_) {
    const std::byte *const begin = chunk_begin(chunk), *const past = begin + kChunkBytes;
    for (const std::byte* p = begin; p < std::min<const std::byte*>(data_, past); ++p)
      if (*p != std::byte{0xFF}) return p - data_;
    for (const std::byte* p = std::max(end, begin); p < past; ++p)
      if (*p != std::byte{0xFF}) return p == data_ ? 1 : p - data_;
  }
  return 0;
}

int64_t VirtualTensor::touched_bytes() const { return std::ssize(touched_) * static_cast<int64_t>(kChunkBytes); }

void VirtualTensor::forget() {
  if (touched_.empty()) return;
  const auto length = static_cast<size_t>(end_chunk_ - first_chunk_);
  void* const mapped = mmap(first_chunk_, length, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
  ASSAY_CHECK(mapped == first_chunk_, std::strerror(errno));
  for (const int64_t chunk : touched_) present_[static_cast<size_t>(chunk)] = false;
  touched_.clear();
}

std::byte* VirtualTensor::chunk_begin(int64_t chunk) const {
  return first_chunk_ + static_cast<size_t>(chunk) * kChunkBytes;
}

// How many elements lie before this place, at most all of them.
int64_t VirtualTensor::element_before(const std::byte* at) const {
  return std::clamp<int64_t>((at - data_) / static_cast<int64_t>(size_of(base_->dtype())), 0, count_);
}

void VirtualTensor::fill_chunk(int64_t chunk, std::byte* to) const {
  const std::byte* const begin = chunk_begin(chunk);
  std::memset(to, 0xFF, kChunkBytes);  // beside the elements: a guard, as that of Tensor
  const int64_t first = element_before(begin), end = element_before(begin + kChunkBytes);
  if (first < end)
    copy_elements(first, end, to + (data_ - begin) + first * static_cast<int64_t>(size_of(base_->dtype())));
}

void VirtualTensor::copy_elements(int64_t begin, int64_t end, std::byte* to) const {
  const int64_t cols = shape_.empty() ? 1 : shape_.back(), base_cols = shape_.empty() ? 1 : base_->shape().back();
  const size_t size = size_of(base_->dtype());
  while (begin < end) {
    const int64_t col = begin % cols;
    const int64_t run = std::min({end - begin, cols - col, base_cols - col % base_cols});
    const auto bytes = static_cast<size_t>(run) * size;
    std::memcpy(to, base_->data() + static_cast<size_t>(base_element(begin)) * size, bytes);
    to += bytes;
    begin += run;
  }
}

}  // namespace assay
