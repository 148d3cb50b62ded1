// kv_cache_write and kv_cache_repack: rows of heads, copied to slots that begin a head's capacity apart.
#include "harness/tensor/dtype.h"
#include "reference/vendor/cudart/copies.h"

namespace assay::vendor {
namespace {

int64_t bytes(const Case& c, int64_t elements) { return elements * static_cast<int64_t>(size_of(c.dtype)); }
int64_t slot_bytes(const Case& c) { return bytes(c, c.dim("ad")); }
int64_t head_bytes(const Case& c) { return c.dim("capacity") * slot_bytes(c); }

void write(Call& call) {
  const Case& c = call.c();
  const int64_t padding = bytes(c, c.dim("pad")), width = slot_bytes(c) - padding;
  for (const auto& [row, cache] : {std::pair{"k", "k_cache"}, std::pair{"v", "v_cache"}}) {
    char* const slot = call.out<char>(cache) + c.dim("slot") * slot_bytes(c);
    copy_rows(slot, head_bytes(c), call.in<char>(row), slot_bytes(c), width, c.dim("HK"));
    clear_rows(slot + width, head_bytes(c), padding, c.dim("HK"));
  }
}

// Heads overlap where they were before, which no copy allows: they go by way of the workspace.
int64_t packed_bytes(const Case& c) { return c.dim("T") * slot_bytes(c); }
void repack(Call& call) {
  const Case& c = call.c();
  const int64_t heads = c.dim("HK"), packed = packed_bytes(c);
  char *const cache = call.out<char>("cache"), *const aside = call.workspace<char>();
  copy_rows(aside, packed, cache, packed, packed, heads);
  copy_rows(cache, head_bytes(c), aside, packed, packed, heads);
}

std::optional<std::string> unsupported(const Case& c) { return refused_pitch(head_bytes(c)); }

const RegisterVariant kWrite({.op = "kv_cache_write",
                              .name = "cuda_memcpy_2d",
                              .summary = "cudaMemcpy2DAsync of the rows, cudaMemset2DAsync of their padding",
                              .vendor = "CUDA",
                              .unsupported = unsupported,
                              .run = write});
const RegisterVariant kRepack({.op = "kv_cache_repack",
                               .name = "cuda_memcpy_2d",
                               .summary = "two copies by cudaMemcpy2DAsync, to a workspace and from there",
                               .vendor = "CUDA",
                               .unsupported = unsupported,
                               .workspace_bytes = [](const Case& c) { return c.dim("HK") * packed_bytes(c); },
                               .run = repack});

}  // namespace
}  // namespace assay::vendor
