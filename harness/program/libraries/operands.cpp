// Looking at operands by the allocations of the process and the checker's record of what has been written.
#include "harness/program/libraries/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/program/runtime/copies.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

bool is_empty(const Operand& operand) { return operand.rows <= 0 || operand.columns <= 0 || operand.batches <= 0; }

std::string shape_of(const Operand& operand) {
  std::string text = operand.rows == 1
                         ? fmt::format("{} of {} elements", operand.name, operand.columns)
                         : fmt::format("{} of {} x {} elements", operand.name, operand.rows, operand.columns);
  if (operand.ld != operand.rows)
    text += (operand.rows == 1 ? ", increment " : ", leading dimension ") + std::to_string(operand.ld);
  return text;
}

// Elements from the first of a matrix to behind its last.
int64_t extent_of(const Operand& operand) { return (operand.columns - 1) * operand.ld + operand.rows; }

const std::byte* address_in(const Operand& operand, int64_t element) {
  return static_cast<const std::byte*>(operand.begin) + element * static_cast<int64_t>(operand.element_bytes);
}

// Calls body(begin, bytes) for the pieces that lie together, and ends when it returns false.
template <class Body>
bool for_each_piece(const Operand& operand, const Body& body) {
  const bool is_dense = operand.ld == operand.rows || operand.columns == 1;
  const int64_t matrices = operand.stride == 0 ? 1 : operand.batches;
  const int64_t pieces = is_dense ? 1 : operand.columns;
  const int64_t elements = is_dense ? operand.rows * operand.columns : operand.rows;
  for (int64_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t piece = 0; piece < pieces; ++piece)
      if (!body(address_in(operand, matrix * operand.stride + piece * operand.ld),
                static_cast<size_t>(elements) * operand.element_bytes))
        return false;
  return true;
}

bool is_inside(GpuProcess& process, const char* call, const Operand& operand, const char* does) {
  if (operand.begin == nullptr || !is_on_device(process, operand.begin)) {
    process.found(simt::Kind::out_of_bounds,
                  fmt::format("{} {} {}, which is no device memory", call, does, shape_of(operand)), call);
    return false;
  }
  const int64_t last = (operand.batches - 1) * operand.stride;
  const std::byte* const begin = address_in(operand, std::min<int64_t>(last, 0));
  const std::byte* const end = address_in(operand, std::max<int64_t>(last, 0) + extent_of(operand));
  const Allocation* const allocation = process.allocation_of(operand.begin);
  if (allocation == nullptr) return true;  // a variable of a module
  if (process.allocation_of(begin) == allocation && process.allocation_of(end - 1) == allocation) return true;
  process.found(
      simt::Kind::out_of_bounds,
      fmt::format("{} {} {}{}: {} bytes, and not all of them are in {}, which has {}", call, does, shape_of(operand),
                  operand.batches > 1 ? fmt::format(", {} times", operand.batches) : std::string(), end - begin,
                  allocation->call, allocation->bytes),
      call);
  return false;
}

}  // namespace

Operand vector_operand(const char* name, const void* begin, size_t element_bytes, int64_t n, int64_t increment) {
  return {name, begin, element_bytes, 1, n, std::abs(increment)};
}

bool can_read(GpuProcess& process, const char* call, const Operand& operand) {
  if (is_empty(operand)) return true;
  if (!is_inside(process, call, operand, "reads")) return false;
  if (!process.is_checked()) return true;
  for_each_piece(operand, [&](const std::byte* begin, size_t bytes) {
    library_accessed(begin, bytes, simt::Touch::read);
    return true;
  });
  for_each_piece(operand, [&](const std::byte* begin, size_t bytes) {
    const size_t known = simt::device_bytes_with_values(begin, bytes);
    if (known == bytes) return true;
    const Allocation* const allocation = process.allocation_of(operand.begin);
    const auto element =
        (begin + known - static_cast<const std::byte*>(operand.begin)) / static_cast<int64_t>(operand.element_bytes);
    process.found(simt::Kind::uninitialised,
                  fmt::format("{} reads {}, whose element {} in memory was never written{}", call, shape_of(operand),
                              element, allocation == nullptr ? std::string() : ": " + allocation->call),
                  call);
    return false;
  });
  return true;  // as a kernel that reads such memory goes on
}

bool can_write(GpuProcess& process, const char* call, const Operand& operand) {
  return is_empty(operand) || is_inside(process, call, operand, "writes");
}

void wrote(const Operand& operand) {
  if (is_empty(operand)) return;
  for_each_piece(operand, [](const std::byte* begin, size_t bytes) {
    simt::device_wrote(begin, bytes);
    library_accessed(begin, bytes, simt::Touch::write);
    return true;
  });
}

}  // namespace assay::program
