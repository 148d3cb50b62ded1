// cuDNN's backend interface on the host, as far as cudnn-frontend calls it for graphs of ours: descriptors keep what
// they are given, one engine takes every graph whose operations cudnn_operations.cpp knows, and its plan executes them.
//
// Plans have no serialised form, so that none is kept in a file.
#include "reference/vendor/fake/cudnn_backend.h"

#include <algorithm>

#include "reference/vendor/fake/second_run.h"

namespace fake {

std::string& last_error() {
  static thread_local std::string sentence;
  return sentence;
}

const std::vector<std::shared_ptr<Contents>>& Contents::descriptors(cudnnBackendAttributeName_t name) const {
  const auto found = attributes.find(name);
  if (found == attributes.end() || found->second.descriptors.empty())
    throw Refused{"attribute " + std::to_string(name) + " of a descriptor of type " + std::to_string(type) +
                  " is not set"};
  return found->second.descriptors;
}

namespace {

struct Descriptor {
  std::shared_ptr<Contents> contents;
};

Contents& contents_of(cudnnBackendDescriptor_t descriptor) { return *static_cast<Descriptor*>(descriptor)->contents; }

size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_CHAR:
      return sizeof(char);
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
      return sizeof(void*);
    case CUDNN_TYPE_INT64:
      return sizeof(int64_t);
    case CUDNN_TYPE_DOUBLE:
      return sizeof(double);
    case CUDNN_TYPE_FRACTION:
      return sizeof(cudnnFraction_t);
    default:
      return sizeof(int32_t);  // f32, i32 and enums
  }
}

void set(Contents& contents, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
         const void* values) {
  Attribute& attribute = contents.attributes[name] = {};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const auto* given = static_cast<const cudnnBackendDescriptor_t*>(values);
    for (int64_t i = 0; i < count; ++i)
      attribute.descriptors.push_back(static_cast<const Descriptor*>(given[i])->contents);
    return;
  }
  const auto* bytes = static_cast<const char*>(values);
  attribute.bytes.assign(bytes, bytes + static_cast<size_t>(count) * size_of(type));
}

template <class T>
void set_value(Contents& contents, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, T value) {
  set(contents, name, type, 1, &value);
}

std::shared_ptr<Contents> holding(cudnnBackendDescriptorType_t type, cudnnBackendAttributeName_t name,
                                  std::vector<std::shared_ptr<Contents>> descriptors) {
  auto made = std::make_shared<Contents>(Contents{type});
  made->attributes[name].descriptors = std::move(descriptors);
  return made;
}

// A descriptor that is complete becomes what NVIDIA makes of it: a heuristic answers, a plan knows its workspace.
void finalize(Contents& contents) {
  if (contents.type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
    assay::vendor::fake::not_in_second_run("planning a graph of cuDNN");
  if (contents.type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    for (const auto& operation : contents.descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS)) check(*operation);
    set_value(contents, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64, int64_t{1});
  }
  if (contents.type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) {
    const auto engine = holding(CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_OPERATION_GRAPH,
                                contents.descriptors(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
    set_value(*engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, int64_t{0});
    const auto config = holding(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
    set_value(*config, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64, int64_t{0});
    set_value(*config, CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED, CUDNN_TYPE_INT32, int32_t{0});
    contents.attributes[CUDNN_ATTR_ENGINEHEUR_RESULTS].descriptors = {config};
  }
  if (contents.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)
    set_value(contents, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, int64_t{0});
}

// Up to `room` values into `values`; how many there are into `count`.
void get(const Contents& contents, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t room,
         int64_t* count, void* values) {
  const auto found = contents.attributes.find(name);
  const Attribute none, &attribute = found == contents.attributes.end() ? none : found->second;
  const bool nested = type == CUDNN_TYPE_BACKEND_DESCRIPTOR;
  const auto there =
      static_cast<int64_t>(nested ? attribute.descriptors.size() : attribute.bytes.size() / size_of(type));
  if (count) *count = there;
  if (!values) return;
  const auto taken = static_cast<size_t>(std::min(room, there));
  if (!nested && taken > 0) std::memcpy(values, attribute.bytes.data(), taken * size_of(type));
  if (nested)
    for (size_t i = 0; i < taken; ++i)
      static_cast<Descriptor*>(static_cast<cudnnBackendDescriptor_t*>(values)[i])->contents = attribute.descriptors[i];
}

void execute_plan(const Contents& plan, const Contents& pack) {
  const auto ids = pack.values<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = pack.values<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::map<int64_t, void*> addresses;
  for (size_t i = 0; i < ids.size(); ++i) addresses.emplace(ids[i], pointers.at(i));
  execute(plan.descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
              .descriptor(CUDNN_ATTR_ENGINECFG_ENGINE)
              .descriptor(CUDNN_ATTR_ENGINE_OPERATION_GRAPH),
          addresses);
}

template <class F>
cudnnStatus_t status_of(F f) {
  try {
    f();
    return CUDNN_STATUS_SUCCESS;
  } catch (const Refused& refused) {
    last_error() = refused.why;
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
}

}  // namespace
}  // namespace fake

extern "C" {

void cudnnGetLastErrorString(char* message, size_t size) {
  std::string& sentence = fake::last_error();
  if (size > 0) message[sentence.copy(message, size - 1)] = '\0';
  sentence.clear();
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
  *descriptor = new fake::Descriptor{std::make_shared<fake::Contents>(fake::Contents{type})};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<fake::Descriptor*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void* values) {
  fake::set(fake::contents_of(descriptor), name, type, count, values);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t room, int64_t* count, void* values) {
  if (name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) return CUDNN_STATUS_NOT_SUPPORTED;
  fake::get(fake::contents_of(descriptor), name, type, room, count, values);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return fake::status_of([&] { fake::finalize(fake::contents_of(descriptor)); });
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  cudaStream_t stream = nullptr;
  cudnnGetStream(handle, &stream);
  assay::vendor::fake::must_be_current("a graph of cuDNN", stream);
  return fake::status_of([&] { fake::execute_plan(fake::contents_of(plan), fake::contents_of(pack)); });
}
}
