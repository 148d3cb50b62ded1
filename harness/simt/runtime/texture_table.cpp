// The handles of textures and surfaces, which share one count.
#include <vector>

#include "harness/simt/include/simt/textures.h"
#include "harness/simt/runtime/texture_names.h"

namespace assay::simt {
namespace {

struct TableEntry {
  Texture texture;
  bool is_surface = false, is_alive = true;
};

// Begins where neither a small number nor an address is, so that what was never set is known.
constexpr uint64_t kFirstHandle = uint64_t{0x7e} << 56;

std::vector<TableEntry>& entries() {
  static std::vector<TableEntry>& all = *new std::vector<TableEntry>;  // kernels may run while the program exits
  return all;
}

TableEntry* entry_of(uint64_t handle) {
  const uint64_t index = handle - kFirstHandle;
  return index < entries().size() ? &entries()[index] : nullptr;
}

TableEntry* living_entry(uint64_t handle, bool is_surface) {
  TableEntry* const entry = entry_of(handle);
  return entry != nullptr && entry->is_alive && entry->is_surface == is_surface ? entry : nullptr;
}

uint64_t add_entry(const TableEntry& entry) {
  entries().push_back(entry);
  return kFirstHandle + entries().size() - 1;
}

bool remove_entry(uint64_t handle, bool is_surface) {
  TableEntry* const entry = living_entry(handle, is_surface);
  if (entry == nullptr) return false;
  entry->is_alive = false;
  return true;
}

}  // namespace

uint64_t add_texture(const Texture& texture) { return add_entry({texture, false}); }
uint64_t add_surface(const Image& image) {
  Texture texture;
  texture.image = image;
  return add_entry({texture, true});
}
bool remove_texture(uint64_t handle) { return remove_entry(handle, false); }
bool remove_surface(uint64_t handle) { return remove_entry(handle, true); }

const Texture* texture_of(uint64_t handle) {
  const TableEntry* const entry = living_entry(handle, false);
  return entry == nullptr ? nullptr : &entry->texture;
}
const Image* surface_of(uint64_t handle) {
  const TableEntry* const entry = living_entry(handle, true);
  return entry == nullptr ? nullptr : &entry->texture.image;
}

std::string why_no_texture(uint64_t handle) {
  const TableEntry* const entry = entry_of(handle);
  if (entry == nullptr) return "which is none: was it created, and passed by value?";
  if (!entry->is_alive) return "which has been destroyed";
  return entry->is_surface ? "which is a surface" : "which is a texture";
}

}  // namespace assay::simt
