// Tensors in guarded memory: what kernels read and write.
//
// Every tensor owns its mapping: [no-access page | guard | elements | guard | no-access page]. The guards hold a known
// pattern and show small overruns; the no-access pages stop large ones at the spot. The elements end as close to the
// upper guard as the alignment allows. They begin at a multiple of 256 bytes, or `offset` bytes after one, as a view of
// a larger tensor does. Poison and guard bits are NaN in every float type and a large index in u32, so that a stray
// read cannot pass for data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/tensor/dtype.h"
#include "harness/tensor/regions.h"

namespace assay {

enum class Role : uint8_t {
  input,       // never written by the kernel
  output,      // every element is overwritten
  accumulate,  // out += …: starts from known values
  inout,       // transformed in place
};

std::string_view name(Role role);
inline bool is_written(Role role) { return role != Role::input; }

// Two 16-bit poison patterns, so that an element that a run did not write can be distinguished from one that was
// legitimately given the poison's bits: an untouched element shows each run's own poison.
enum class Poison : uint16_t { first = 0xFFA5, second = 0xFFB6 };

struct Unmap {
  size_t length = 0;
  void operator()(std::byte* base) const;
};

class Tensor {
 public:
  Tensor(std::string name, DType dtype, Role role, std::vector<int64_t> shape, size_t offset = 0);
  Tensor(const Tensor& other);  // a deep copy with fresh, intact guards
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  ~Tensor() = default;

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  Role role() const { return role_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t count() const { return count_; }
  size_t offset() const { return offset_; }  // in bytes, from an aligned address
  size_t bytes() const { return static_cast<size_t>(count_) * size_of(dtype_); }

  // The meaning of its elements to the op; none marked at first. Aborts for marks past its end.
  const Regions& regions() const { return *regions_; }
  void set_regions(Regions regions);

  // A case may leave a tensor out (TensorSpec::absent): it has no elements, and a kernel is given a null pointer.
  bool absent() const { return absent_; }
  void set_absent() { absent_ = true; }

  // The elements with both guards: what a device copies there and back so that the guards can be checked here.
  std::span<std::byte> guarded();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }

  uint64_t bits(int64_t i) const;
  void set_bits(int64_t i, uint64_t bits);
  double at(int64_t i) const { return to_double(dtype_, bits(i)); }
  void set(int64_t i, double value) { set_bits(i, from_double(dtype_, value)); }  // rounded to nearest even

  void poison(Poison pattern);  // all elements but those that are kept
  bool is_poison(int64_t i, Poison pattern) const;

  // Where the guard pattern is first broken, in bytes from the first element (negative: before it); 0 when intact.
  // (An overrun's first byte is at `bytes()`, or at 1 for an empty tensor.)
  int64_t guard_broken_at() const;

 private:
  static std::shared_ptr<const Regions> no_regions();
  void map();

  std::string name_;
  DType dtype_;
  Role role_;
  std::vector<int64_t> shape_;
  int64_t count_;
  size_t offset_ = 0;
  std::shared_ptr<const Regions> regions_ = no_regions();
  bool absent_ = false;
  std::unique_ptr<std::byte, Unmap> mapping_;
  std::byte* data_ = nullptr;
};

// "[3,17]": the multi-dimensional index of element `flat` of `shape`.
std::string index_text(const std::vector<int64_t>& shape, int64_t flat);

// All tensors of a case, in the contract's order.
struct Tensors : std::vector<Tensor> {
  Tensor& get(std::string_view name);
  const Tensor& get(std::string_view name) const;
};

}  // namespace assay
