// A device of two "cards" that needs no hardware, under PrivateUse1, to try the project on: see backend.py.
//
// Memory of the device is address space that nobody can read or write: whatever takes a tensor here for one on the CPU
// ends with a signal. The bytes lie elsewhere, at a fixed distance, and only the kernels below go there.
#include <sys/mman.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/ScopeExit.h>
#include <torch/extension.h>
#include <torch/library.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>

using namespace at;

namespace standin {

constexpr auto kType = DeviceType::PrivateUse1;
constexpr int kDevices = 2;
constexpr size_t kSpace = size_t(1) << 30; // of one device
constexpr size_t kBlock = 512;
constexpr int kFresh = 0xA5; // what fresh memory holds: never zero

int8_t* reserve(int protection) {
  void* p = mmap(nullptr, kDevices * kSpace, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(p != MAP_FAILED, "standin: no address space");
  return static_cast<int8_t*>(p);
}
int8_t* const addresses = reserve(PROT_NONE);
int8_t* const bytes = reserve(PROT_READ | PROT_WRITE);

void* seen_by_kernels(const void* address) {
  return address == nullptr ? nullptr : bytes + (static_cast<const int8_t*>(address) - addresses);
}

struct Card {
  std::map<size_t, size_t> taken; // offset and size of each block
  size_t current = 0, ever = 0, limit = size_t(256) << 20;
  std::string failure; // what an asynchronous kernel left: nothing works on the card any more
};
Card cards[kDevices];
std::mutex mutex;
thread_local DeviceIndex current_device = 0;
thread_local StreamId current_stream[kDevices] = {};
thread_local bool writes_back = false;
std::set<std::string> lacking;

void check(DeviceIndex index) {
  TORCH_CHECK(cards[index].failure.empty(), "standin error: ", cards[index].failure);
}

void release(void* address) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t offset = static_cast<int8_t*>(address) - addresses;
  Card& card = cards[offset / kSpace];
  auto block = card.taken.find(offset);
  card.current -= block->second;
  card.taken.erase(block);
}

struct StandinAllocator final : c10::Allocator {
  DataPtr allocate(size_t size) override {
    Device device(kType, current_device);
    if (size == 0) return {nullptr, nullptr, &release_nothing, device};
    std::lock_guard<std::mutex> lock(mutex);
    Card& card = cards[current_device];
    size_t rounded = (size + kBlock - 1) / kBlock * kBlock, start = current_device * kSpace + kBlock, place = start;
    TORCH_CHECK_WITH(
        OutOfMemoryError, card.current + rounded <= card.limit, "standin out of memory. Tried to allocate ", size,
        " bytes. Device ", int(current_device), " has a limit of ", card.limit, " bytes, of which ", card.current,
        " are taken.");
    for (auto& block : card.taken) {
      if (block.first >= place + rounded) break;
      place = block.first + block.second;
    }
    card.taken[place] = rounded;
    card.current += rounded;
    card.ever += size;
    void* address = addresses + place;
    memset(seen_by_kernels(address), kFresh, rounded);
    return {address, address, &release, device};
  }
  static void release_nothing(void*) {}
  DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t n) const override {
    memcpy(seen_by_kernels(to), seen_by_kernels(from), n);
  }
};
StandinAllocator allocator;
REGISTER_ALLOCATOR(kType, &allocator);

struct StandinGuard final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override { return kType; }
  Device exchangeDevice(Device device) const override {
    Device before = getDevice();
    setDevice(device);
    return before;
  }
  Device getDevice() const override { return Device(kType, current_device); }
  void setDevice(Device device) const override {
    TORCH_CHECK(device.index() < kDevices, "standin: there is no device ", int(device.index()));
    uncheckedSetDevice(device);
  }
  void uncheckedSetDevice(Device device) const noexcept override {
    if (device.has_index()) current_device = device.index();
  }
  Stream getStream(Device device) const noexcept override {
    DeviceIndex index = device.has_index() ? device.index() : current_device;
    return Stream(Stream::UNSAFE, Device(kType, index), current_stream[index]);
  }
  Stream getDefaultStream(Device device) const override { return Stream(Stream::DEFAULT, device); }
  Stream getNewStream(Device device, int) const override {
    static std::atomic<StreamId> last{0};
    return Stream(Stream::UNSAFE, device.has_index() ? device : getDevice(), ++last);
  }
  Stream exchangeStream(Stream stream) const noexcept override {
    Stream before = getStream(stream.device());
    current_stream[stream.device_index()] = stream.id();
    return before;
  }
  void record(void** event, const Stream&, const DeviceIndex, const c10::EventFlag) const override { *event = this_event(); }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const DeviceIndex) const noexcept override {}
  void synchronizeEvent(void*) const override {}
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream& stream) const override { check(stream.device_index()); }
  void synchronizeDevice(const DeviceIndex index) const override { check(index); }
  DeviceIndex deviceCount() const noexcept override { return kDevices; }
  void recordDataPtrOnStream(const DataPtr&, const Stream&) const override {}
  static void* this_event() {
    static char event;
    return &event;
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, StandinGuard);

// A Mersenne Twister, as the CPU has, of which the device is another.
struct StandinGenerator final : CPUGeneratorImpl {
  explicit StandinGenerator(DeviceIndex index) : CPUGeneratorImpl(default_rng_seed_val) {
    device_ = Device(kType, index);
    key_set_ = DispatchKeySet(DispatchKey::PrivateUse1);
  }
  StandinGenerator* clone_impl() const override {
    auto copy = new StandinGenerator(device_.index());
    copy->set_state(*get_state());
    return copy;
  }
};
const Generator& default_generator(DeviceIndex index) {
  static Generator generators[kDevices] = {make_generator<StandinGenerator>(0), make_generator<StandinGenerator>(1)};
  return generators[index < 0 ? current_device : index];
}

std::set<const void*> pinned;
struct PinnedAllocator final : c10::Allocator {
  DataPtr allocate(size_t size) override {
    void* p = malloc(std::max(size, size_t(1)));
    pinned.insert(p);
    return {p, p, &unpin, Device(DeviceType::CPU)};
  }
  static void unpin(void* p) {
    pinned.erase(p);
    free(p);
  }
  DeleterFnPtr raw_deleter() const override { return &unpin; }
  void copy_data(void* to, const void* from, std::size_t n) const override { memcpy(to, from, n); }
};
PinnedAllocator pinned_allocator;

struct StandinHooks final : PrivateUse1HooksInterface {
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  bool isAvailable() const override { return true; }
  bool isBuilt() const override { return true; }
  DeviceIndex deviceCount() const override { return kDevices; }
  DeviceIndex getCurrentDevice() const override { return current_device; }
  void setCurrentDevice(DeviceIndex index) const override { StandinGuard().setDevice(Device(kType, index)); }
  DeviceIndex exchangeDevice(DeviceIndex index) const override {
    return StandinGuard().exchangeDevice(Device(kType, index)).index();
  }
  DeviceIndex maybeExchangeDevice(DeviceIndex index) const override {
    return index < 0 ? current_device : exchangeDevice(index);
  }
  const Generator& getDefaultGenerator(DeviceIndex index) const override { return default_generator(index); }
  Generator getNewGenerator(DeviceIndex index) const override {
    return make_generator<StandinGenerator>(index < 0 ? current_device : index);
  }
  bool isPinnedPtr(const void* p) const override { return pinned.count(p); }
  Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator; }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t size) const override {
    auto* impl = storage.unsafeGetStorageImpl();
    c10::DeviceGuard guard(impl->device());
    DataPtr fresh = impl->allocator()->allocate(size);
    if (impl->data() && size) {
      memcpy(seen_by_kernels(fresh.get()), seen_by_kernels(impl->data()), std::min(size, impl->nbytes()));
    }
    impl->set_data_ptr_noswap(std::move(fresh));
    impl->set_nbytes(size);
  }
};
StandinHooks hooks;
int registered = (RegisterPrivateUse1HooksInterface(&hooks), 0);

// --- kernels ---

constexpr DispatchKeySet kKeys(DispatchKey::PrivateUse1);

ScalarType chosen_dtype(std::optional<ScalarType> dtype) {
  return dtype.value_or(typeMetaToScalarType(get_default_dtype()));
}

bool fills_fresh_memory() {
  return globalContext().deterministicAlgorithms() && globalContext().deterministicFillUninitializedMemory();
}

Tensor filled(Tensor fresh) { return fills_fresh_memory() ? native::fill_empty_deterministic_(fresh) : fresh; }

Tensor empty(
    IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout>, std::optional<Device> device,
    std::optional<bool> pin, std::optional<MemoryFormat> format) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  c10::OptionalDeviceGuard guard(device);
  return filled(at::detail::empty_generic(size, &allocator, kKeys, chosen_dtype(dtype), format));
}

Tensor empty_strided(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype, std::optional<Layout>,
    std::optional<Device> device, std::optional<bool> pin) {
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
  c10::OptionalDeviceGuard guard(device);
  return filled(at::detail::empty_strided_generic(size, stride, &allocator, kKeys, chosen_dtype(dtype)));
}

// The bytes of a tensor as one on the CPU.
Tensor on_cpu(const Tensor& tensor) {
  if (tensor.device().is_cpu()) return tensor;
  check(tensor.device().index());
  auto options = TensorOptions().dtype(tensor.scalar_type()).device(kCPU);
  void* data = tensor.numel() ? seen_by_kernels(tensor.unsafeGetTensorImpl()->mutable_data()) : nullptr;
  Tensor window = from_blob(data, tensor.sizes(), tensor.strides(), options);
  if (tensor.is_conj()) window = at::conj(window);
  return tensor.is_neg() ? at::_neg_view(window) : window;
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
  NoGradGuard no_grad;
  if (to.numel() == 0) return to;
  Tensor target = on_cpu(to), source = on_cpu(from);
  // The result of a kernel goes back where it came from: of the elements at one place, to the first.
  for (int64_t dim = 0; writes_back && dim < target.dim(); ++dim) {
    if (target.stride(dim) == 0 && target.size(dim) > 1) {
      target = target.narrow(dim, 0, 1);
      source = source.narrow(dim, 0, 1);
    }
  }
  target.copy_(source);
  return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  return copy_from(from, to, false);
}

Scalar item(const Tensor& tensor) {
  return native::_local_scalar_dense_cpu(on_cpu(tensor));
}

bool equal(const Tensor& one, const Tensor& other) {
  TORCH_CHECK(
      one.device() == other.device(), "Expected all tensors to be on the same device, but found at least two devices, ",
      one.device(), " and ", other.device(), "!");
  return on_cpu(one).equal(on_cpu(other));
}

const Tensor& resize_(const Tensor& self, SymIntArrayRef wanted, std::optional<MemoryFormat> format) {
  auto size = C10_AS_INTARRAYREF_SLOW(wanted);
  auto* impl = self.unsafeGetTensorImpl();
  if (self.sizes() == size) {
    if (format) impl->empty_tensor_restride(*format);
    return self;
  }
  auto before = self.storage().nbytes();
  impl->set_sizes_contiguous(size);
  auto needed = at::detail::computeStorageNbytesContiguous(size, self.element_size(), self.storage_offset());
  if (self.numel() && needed > self.storage().nbytes()) {
    TORCH_CHECK(self.storage().resizable(), "Trying to resize storage that is not resizable");
    hooks.resizePrivateUse1Bytes(self.storage(), needed);
  }
  if (format) impl->empty_tensor_restride(*format);
  if (fills_fresh_memory() && self.storage().nbytes() > before) native::fill_resize_deterministic_(self, before);
  return self;
}

bool is_set_to(const Tensor& self, const Tensor& source) { return native::is_set_to(self, source); }

Tensor& set_part(Tensor& self, Storage source, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(source);
  impl->set_storage_offset(offset);
  if (stride.data() == nullptr || (stride.empty() && !size.empty())) {
    impl->set_sizes_contiguous(size);
  } else {
    impl->set_sizes_and_strides(size, stride);
  }
  return self;
}

Tensor& set_whole(Tensor& self, Storage source) {
  return set_part(self, source, 0, {int64_t(source.nbytes() / self.element_size())}, {});
}

Tensor& set_same(Tensor& self, const Tensor& source) {
  return set_part(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

Tensor& set_nothing(Tensor& self) {
  c10::DeviceGuard guard(self.device());
  return set_part(self, Storage(Storage::use_byte_size_t(), 0, &allocator, true), 0, {0}, {});
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride, std::optional<int64_t> offset) {
  return native::as_strided_tensorimpl(self, size, stride, offset);
}
Tensor view(const Tensor& self, IntArrayRef size) { return native::view(self, size); }
Tensor reshape_alias(const Tensor& self, IntArrayRef size, IntArrayRef stride) {
  return native::_reshape_alias(self, size, stride);
}
Tensor unfold(const Tensor& self, int64_t dim, int64_t size, int64_t step) {
  return native::unfold(self, dim, size, step);
}
Tensor view_as_real(const Tensor& self) { return native::view_as_real(self); }
Tensor view_as_complex(const Tensor& self) { return native::view_as_complex(self); }

// A failure that shows only later, when somebody waits for the device; advice follows it, as in CUDA.
void assert_async(const Tensor& truth) {
  check(truth.device().index());
  if (!on_cpu(truth).item().toBool())
    cards[truth.device().index()].failure = "device-side assert triggered\nFor debugging consider STANDIN_BLOCKING=1";
}
void assert_async_message(const Tensor& truth, std::string_view) { assert_async(truth); }

// Every other operator runs on copies on the CPU. One that draws does so from the generator of the device.
void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  TORCH_CHECK_NOT_IMPLEMENTED(
      !lacking.count(schema.name()), "Could not run '", op.operator_name(),
      "' with arguments from the 'standin' backend. This could be because the operator doesn't exist for this backend.");
  const auto& arguments = schema.arguments();
  Generator mine, drawn;
  std::optional<DeviceIndex> index;
  for (const auto& value : torch::jit::last(stack, arguments.size())) {
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().device().type() == kType) {
      index = value.toTensor().device().index();
      check(*index);
      break;
    }
  }
  size_t first = stack->size() - arguments.size();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type()->str().find("Generator") == std::string::npos) continue;
    IValue& value = (*stack)[first + i];
    mine = value.isNone() ? default_generator(index.value_or(current_device)) : value.toGenerator();
    if (mine.device().type() != kType) continue;
    auto* engine = static_cast<CPUGeneratorImpl*>(mine.unsafeGetGeneratorImpl());
    drawn = at::detail::createCPUGenerator(engine->current_seed());
    drawn.unsafeGetGeneratorImpl()->set_state(*engine->get_state());
    value = drawn;
  }
  writes_back = true;
  auto after = c10::make_scope_exit([] { writes_back = false; });
  native::cpu_fallback(op, stack);
  if (drawn.defined()) mine.unsafeGetGeneratorImpl()->set_state(*drawn.unsafeGetGeneratorImpl()->get_state());
}

} // namespace standin

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&standin::fallback>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", standin::empty);
  m.impl("empty_strided", standin::empty_strided);
  m.impl("_copy_from", standin::copy_from);
  m.impl("_copy_from_and_resize", standin::copy_from_and_resize);
  m.impl("_local_scalar_dense", standin::item);
  m.impl("equal", standin::equal);
  m.impl("resize_", standin::resize_);
  m.impl("is_set_to", standin::is_set_to);
  m.impl("set_.source_Storage_storage_offset", standin::set_part);
  m.impl("set_.source_Storage", standin::set_whole);
  m.impl("set_.source_Tensor", standin::set_same);
  m.impl("set_", standin::set_nothing);
  m.impl("as_strided", standin::as_strided);
  m.impl("view", standin::view);
  m.impl("_reshape_alias", standin::reshape_alias);
  m.impl("unfold", standin::unfold);
  m.impl("view_as_real", standin::view_as_real);
  m.impl("view_as_complex", standin::view_as_complex);
  m.impl("_assert_async", standin::assert_async);
  m.impl("_assert_async.msg", standin::assert_async_message);
}

// Copies look at pending conjugation and negation themselves.
#define COPIES_HANDLE(key)                                                          \
  TORCH_LIBRARY_IMPL(aten, key, m) {                                                \
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());                    \
    m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());         \
  }
COPIES_HANDLE(Conjugate)
COPIES_HANDLE(Negative)

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using namespace standin;
  m.def("device_count", [] { return kDevices; });
  m.def("current_device", [] { return int(current_device); });
  m.def("set_device", [](int index) { StandinGuard().setDevice(Device(kType, index)); });
  m.def("synchronize", [](int index) { check(index); });
  m.def("default_generator", [](int index) { return default_generator(index); });
  m.def("current_bytes", [](int index) { return cards[index].current; });
  m.def("bytes_ever", [](int index) { return cards[index].ever; });
  m.def("limit", [](int index) { return cards[index].limit; });
  m.def("set_limit", [](int index, size_t limit) { cards[index].limit = limit; });
  m.def("set_lacking", [](std::set<std::string> names) { lacking = std::move(names); });
}
