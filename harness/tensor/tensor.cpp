// Guarded memory for tensors, by mmap.
#include "harness/tensor/tensor.h"

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "harness/base/check.h"
#include "harness/base/fresh_memory.h"

namespace assay {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 256;  // what cudaMalloc promises
constexpr auto kGuardByte = std::byte{0xFF};

size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

std::string_view name(Role role) {
  static constexpr std::array kNames{"input", "output", "accumulate", "in place"};  // as in the enum
  return kNames.at(static_cast<size_t>(role));
}

Tensor::Tensor(std::string name, DType dtype, Role role, std::vector<int64_t> shape, size_t offset)
    : name_(std::move(name)), dtype_(dtype), role_(role), shape_(std::move(shape)), offset_(offset) {
  count_ = std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<>());
  map();
}

Tensor::Tensor(const Tensor& other)
    : name_(other.name_),
      dtype_(other.dtype_),
      role_(other.role_),
      shape_(other.shape_),
      count_(other.count_),
      offset_(other.offset_),
      regions_(other.regions_),
      absent_(other.absent_) {
  map();
  const auto copy = [&](int64_t begin, int64_t end) {
    std::memcpy(data_ + begin, other.data_ + begin, static_cast<size_t>(end - begin));
  };
  if (bytes() >= kLargeBytes)
    in_parts(static_cast<int64_t>(bytes()), copy);
  else
    copy(0, static_cast<int64_t>(bytes()));
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

void Tensor::map() {
  // Guards of at least a page on both sides, and whatever rounding leaves over; all of it is checked.
  const size_t room = round_up(offset_ + bytes(), kAlignment);
  const size_t inner = kPage + round_up(room, kPage) + kPage;
  const size_t length = inner + 2 * kPage;
  void* base = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSAY_CHECK(base != MAP_FAILED, "cannot map " + std::to_string(length) + " bytes: " + std::strerror(errno));
  mapping_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(base), Unmap{length});
  std::byte* readable = mapping_.get() + kPage;
  ASSAY_CHECK(mprotect(readable, inner, PROT_READ | PROT_WRITE) == 0, std::strerror(errno));
  data_ = readable + inner - kPage - room + offset_;
  std::memset(readable, static_cast<int>(kGuardByte), static_cast<size_t>(data_ - readable));
  std::byte* end = data_ + bytes();
  std::memset(end, static_cast<int>(kGuardByte), static_cast<size_t>(readable + inner - end));
}

std::shared_ptr<const Regions> Tensor::no_regions() {
  static const auto none = std::make_shared<const Regions>();
  return none;
}

void Tensor::set_regions(Regions regions) {
  const std::vector<Regions::Run>& runs = regions.runs();
  ASSAY_CHECK(runs.empty() || (runs.front().begin >= 0 && runs.back().end <= count_),
              "regions of '" + name_ + "' lie outside of its " + std::to_string(count_) + " elements");
  regions_ = std::make_shared<const Regions>(std::move(regions));
}

std::span<std::byte> Tensor::guarded() { return {mapping_.get() + kPage, mapping_.get_deleter().length - 2 * kPage}; }

void Unmap::operator()(std::byte* base) const { munmap(base, length); }

uint64_t Tensor::bits(int64_t i) const {
  const size_t size = size_of(dtype_);
  if (size == 8) return reinterpret_cast<const uint64_t*>(data_)[i];
  if (size == 4) return reinterpret_cast<const uint32_t*>(data_)[i];
  if (size == 2) return reinterpret_cast<const uint16_t*>(data_)[i];
  return std::to_integer<uint64_t>(data_[i]);
}

void Tensor::set_bits(int64_t i, uint64_t bits) {
  const size_t size = size_of(dtype_);
  if (size == 8)
    reinterpret_cast<uint64_t*>(data_)[i] = bits;
  else if (size == 4)
    reinterpret_cast<uint32_t*>(data_)[i] = static_cast<uint32_t>(bits);
  else if (size == 2)
    reinterpret_cast<uint16_t*>(data_)[i] = static_cast<uint16_t>(bits);
  else
    data_[i] = static_cast<std::byte>(bits);
}

// A byte is poisoned with the pattern's low one. It may be data by itself, but not both patterns' in two runs.
void Tensor::poison(Poison pattern) {
  const auto fill = [&](int64_t begin, int64_t end) {
    std::byte* const first = data_ + static_cast<size_t>(begin) * size_of(dtype_);
    const auto bytes = static_cast<size_t>(end - begin) * size_of(dtype_);
    if (size_of(dtype_) == 1)
      std::fill_n(first, bytes, static_cast<std::byte>(pattern));
    else
      std::fill_n(reinterpret_cast<uint16_t*>(first), bytes / 2, static_cast<uint16_t>(pattern));
  };
  int64_t done = 0;
  for (const Regions::Run& run : regions_->runs()) {
    if (run.region != Region::kept) continue;
    fill(done, run.begin);
    done = run.end;
  }
  fill(done, count_);
}

bool Tensor::is_poison(int64_t i, Poison pattern) const {
  const auto half = static_cast<uint64_t>(pattern);
  const uint64_t all = half << 48 | half << 32 | half << 16 | half;
  if (size_of(dtype_) == 1) return bits(i) == (half & 0xFF);
  return bits(i) == all >> (64 - 8 * size_of(dtype_));
}

int64_t Tensor::guard_broken_at() const {
  const std::byte* readable = mapping_.get() + kPage;
  for (const std::byte* p = data_ - 1; p >= readable; --p)
    if (*p != kGuardByte) return p - data_;
  const std::byte* end = mapping_.get() + mapping_.get_deleter().length - kPage;
  for (const std::byte* p = data_ + bytes(); p < end; ++p)
    if (*p != kGuardByte) return p == data_ ? 1 : p - data_;
  return 0;
}

std::string index_text(const std::vector<int64_t>& shape, int64_t flat) {
  std::string text = "]";
  for (size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(flat % shape[d]) + (text == "]" ? "" : ",") + text;
    flat /= shape[d];
  }
  return "[" + text;
}

Tensor& Tensors::get(std::string_view name) {
  for (Tensor& tensor : *this)
    if (tensor.name() == name) return tensor;
  ASSAY_CHECK(false, "no tensor named '" + std::string(name) + "' in this op's contract");
}

const Tensor& Tensors::get(std::string_view name) const { return const_cast<Tensors*>(this)->get(name); }

}  // namespace assay
