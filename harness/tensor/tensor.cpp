// Guarded memory for tensors, by mmap.
#include "harness/tensor/tensor.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <numeric>

#include "harness/base/check.h"

namespace assay {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 256;  // what cudaMalloc promises
constexpr auto kGuardByte = std::byte{0xFF};

size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::input:
      return "input";
    case Role::output:
      return "output";
    case Role::accumulate:
      return "accumulate";
    case Role::inout:
      return "in place";
  }
  ASSAY_CHECK(false, "unknown role");
}

Tensor::Tensor(std::string name, DType dtype, Role role, std::vector<int64_t> shape)
    : name_(std::move(name)), dtype_(dtype), role_(role), shape_(std::move(shape)) {
  count_ = std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<>());
  map();
}

Tensor::Tensor(const Tensor& other)
    : name_(other.name_), dtype_(other.dtype_), role_(other.role_), shape_(other.shape_), count_(other.count_) {
  map();
  std::memcpy(data_, other.data_, bytes());
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

void Tensor::map() {
  // Guards of at least a page on both sides, and whatever rounding leaves over; all of it is checked.
  const size_t inner = kPage + round_up(round_up(bytes(), kAlignment), kPage) + kPage;
  const size_t length = inner + 2 * kPage;
  void* base = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSAY_CHECK(base != MAP_FAILED, "cannot map " + std::to_string(length) + " bytes: " + std::strerror(errno));
  mapping_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(base), Unmap{length});
  std::byte* readable = mapping_.get() + kPage;
  ASSAY_CHECK(mprotect(readable, inner, PROT_READ | PROT_WRITE) == 0, std::strerror(errno));
  data_ = readable + inner - kPage - round_up(bytes(), kAlignment);
  std::memset(readable, static_cast<int>(kGuardByte), static_cast<size_t>(data_ - readable));
  std::byte* end = data_ + bytes();
  std::memset(end, static_cast<int>(kGuardByte), static_cast<size_t>(readable + inner - end));
}

std::span<std::byte> Tensor::guarded() { return {mapping_.get() + kPage, mapping_.get_deleter().length - 2 * kPage}; }

void Unmap::operator()(std::byte* base) const { munmap(base, length); }

uint32_t Tensor::bits(int64_t i) const {
  const size_t size = size_of(dtype_);
  if (size == 4) return reinterpret_cast<const uint32_t*>(data_)[i];
  if (size == 2) return reinterpret_cast<const uint16_t*>(data_)[i];
  return std::to_integer<uint32_t>(data_[i]);
}

void Tensor::set_bits(int64_t i, uint32_t bits) {
  const size_t size = size_of(dtype_);
  if (size == 4)
    reinterpret_cast<uint32_t*>(data_)[i] = bits;
  else if (size == 2)
    reinterpret_cast<uint16_t*>(data_)[i] = static_cast<uint16_t>(bits);
  else
    data_[i] = static_cast<std::byte>(bits);
}

void Tensor::poison(Poison pattern) {
  ASSAY_CHECK(size_of(dtype_) > 1, "a byte holds no poison that could be told from data");
  auto* halves = reinterpret_cast<uint16_t*>(data_);
  std::fill_n(halves, bytes() / 2, static_cast<uint16_t>(pattern));
}

bool Tensor::is_poison(int64_t i, Poison pattern) const {
  const auto half = static_cast<uint32_t>(pattern);
  return bits(i) == (size_of(dtype_) == 4 ? half << 16 | half : half);
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
