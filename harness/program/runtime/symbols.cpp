// Variables of the program: their addresses, and copies to and from them.
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/symbol_address.h"

namespace assay::program {
namespace {

tl::expected<const simt::ProgramVariable*, cudaError_t> variable_of(GpuProcess& process, const char* name,
                                                                    const void* symbol) {
  const auto variable = Modules::get().variable_of(symbol);
  if (variable) return *variable;
  process.found(simt::Kind::skipped, fmt::format("{}: {}", name, variable.error().line()), name);
  return tl::unexpected(cudaErrorInvalidSymbol);
}

// Copies to a variable, or from one. `check`: whether the call may be made now.
template <class Check, class Copy>
cudaError_t with_address(const char* name, const void* symbol, size_t bytes, size_t offset, Check check, Copy copy) {
  return call(name, [&](GpuProcess& process) -> cudaError_t {
    if (const cudaError_t error = check(); error != cudaSuccess) return error;
    const auto address = symbol_address(process, name, symbol, bytes, offset);
    return address ? copy(*address) : address.error();
  });
}

constexpr auto kAlways = [] { return cudaSuccess; };

}  // namespace

tl::expected<char*, cudaError_t> symbol_address(GpuProcess& process, const char* name, const void* symbol, size_t bytes,
                                                size_t offset) {
  const auto variable = variable_of(process, name, symbol);
  if (!variable) return tl::unexpected(variable.error());
  if (offset <= (*variable)->bytes && bytes <= (*variable)->bytes - offset)
    return static_cast<char*>((*variable)->address) + offset;
  process.found(simt::Kind::out_of_bounds,
                fmt::format("{} of {} bytes from byte {} of {}, which has {}", name, bytes, offset,
                            readable((*variable)->name), (*variable)->bytes),
                name);
  return tl::unexpected(cudaErrorInvalidValue);
}

ASSAY_EXPORTED cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                              cudaMemcpyKind) {
  constexpr const char* kName = "cudaMemcpyToSymbol";
  return with_address(kName, symbol, bytes, offset, check_synchronous,
                      [&](char* to) { return run(kName, linear_copy(to, from, bytes, cudaMemcpyDefault)); });
}
ASSAY_PER_THREAD(cudaMemcpyToSymbol, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                                   cudaMemcpyKind, cudaStream_t stream) {
  constexpr const char* kName = "cudaMemcpyToSymbolAsync";
  return with_address(kName, symbol, bytes, offset, kAlways,
                      [&](char* to) { return submit(kName, stream, linear_copy(to, from, bytes, cudaMemcpyDefault)); });
}
ASSAY_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                                cudaMemcpyKind) {
  constexpr const char* kName = "cudaMemcpyFromSymbol";
  return with_address(kName, symbol, bytes, offset, check_synchronous,
                      [&](char* from) { return run(kName, linear_copy(to, from, bytes, cudaMemcpyDefault)); });
}
ASSAY_PER_THREAD(cudaMemcpyFromSymbol, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                                     cudaMemcpyKind, cudaStream_t stream) {
  constexpr const char* kName = "cudaMemcpyFromSymbolAsync";
  return with_address(kName, symbol, bytes, offset, kAlways, [&](char* from) {
    return submit(kName, stream, linear_copy(to, from, bytes, cudaMemcpyDefault));
  });
}
ASSAY_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);

ASSAY_EXPORTED cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return with_address("cudaGetSymbolAddress", symbol, 0, 0, kAlways, [&](char* begin) {
    *address = begin;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call("cudaGetSymbolSize", [&](GpuProcess& process) {
    const auto variable = variable_of(process, "cudaGetSymbolSize", symbol);
    if (!variable) return variable.error();
    *bytes = (*variable)->bytes;
    return cudaSuccess;
  });
}

}  // namespace assay::program
