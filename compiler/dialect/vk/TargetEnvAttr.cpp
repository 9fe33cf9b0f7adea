//===- TargetEnvAttr.cpp - parsing, printing and checking #vk.target_env ----===//
//   #vk.target_env<v1.1, r(120), [VK_KHR_spirv_1_4], {subgroupSize = 64 : i32, shaderInt64}>
//   #vk.target_env<opencl v3.0, r(0), [cl_khr_fp16], {spirvMinor = 2 : i32}>
//
// The attribute is stored in a canonical form: equal environments are equal attributes, whatever
// their order and spelling. Extensions are sorted. The dictionary holds the limits that Limits.def
// prints, the supported features, workarounds, matrix shapes, and processors for native code. The
// printed attribute may therefore be shorter than the text it was read from.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"

#include "compiler/target/MatrixText.h"
#include "compiler/target/Tables.h"

#include "mlir/IR/Builders.h"
#include "support/NearestName.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::vk;
using namespace pumice::target;

namespace {

constexpr StringLiteral deviceNameKey = "deviceName";
using EmitError = llvm::function_ref<InFlightDiagnostic()>;

StringRef ref(std::string_view text) { return {text.data(), text.size()}; }
/// Converts names to text. target::toString does this for values with a form of their own.
std::string toString(const std::string &name) { return name; }
Result<std::string> parseName(std::string_view text) { return std::string(text); }
std::string_view view(StringRef text) { return {text.data(), text.size()}; }

//===-------------------------------------------------------------------------===//
// Dictionary → environment
//===-------------------------------------------------------------------------===//

/// Reads a number in the range of `limit`. A signless number with its highest bit set may have been
/// written as a positive or as a negative number. To state which, use a wider or an unsigned type.
template <typename T>
LogicalResult readNumber(Attribute value, StringRef key, T &result, EmitError emitError) {
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || isa<IndexType>(integer.getType()))
    return emitError() << key << " = " << value << ": must be an integer such as 64 : i32";
  APInt number = integer.getValue();
  if (!integer.getType().isUnsignedInteger() && number.isNegative())
    return emitError() << key << " = " << value
                       << ": must not be negative; numbers of 2^31 and more are i64, of 2^63 and "
                          "more ui64";
  if (number.getActiveBits() > 8 * sizeof(T))
    return emitError() << key << " = " << value << ": does not fit " << 8 * sizeof(T) << " bits";
  result = static_cast<T>(number.getZExtValue());
  return success();
}

LogicalResult readSizes(Attribute value, StringRef key, Size3 &sizes, EmitError emitError) {
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  if (!dense || dense.getNumElements() != 3 || dense.getElementType().isIndex())
    return emitError() << key << " = " << value
                       << ": must be three sizes such as dense<[128, 8, 4]> : vector<3xi32>";
  for (auto [size, number] : llvm::zip(sizes, dense.getValues<APInt>())) {
    if (number.isNegative() || number.getActiveBits() > 32)
      return emitError() << key << " = " << value << ": sizes must lie between 1 and 4294967295";
    size = static_cast<uint32_t>(number.getZExtValue());
  }
  return success();
}

LogicalResult readLimit(Attribute value, const LimitInfo &info, Limits &limits,
                        EmitError emitError) {
  return std::visit(
      [&](auto member) -> LogicalResult {
        if constexpr (std::is_same_v<decltype(member), Size3 Limits::*>)
          return readSizes(value, ref(info.name), limits.*member, emitError);
        else
          return readNumber(value, ref(info.name), limits.*member, emitError);
      },
      info.member);
}

/// Parses `shaderInt64`, `shaderInt64 = true` or `= false`.
template <typename Flag>
LogicalResult readFlag(Attribute value, StringRef key, Flag feature, TargetEnv &env,
                       EmitError emitError) {
  if (auto flag = dyn_cast<BoolAttr>(value))
    env.set(feature, flag.getValue());
  else if (isa<UnitAttr>(value))
    env.set(feature);
  else
    return emitError() << key << " = " << value << ": a feature has no value, or is true or false";
  return success();
}

template <typename Entry>
LogicalResult readTexts(Attribute value, StringRef key, std::vector<Entry> &entries,
                        Result<Entry> (*parse)(std::string_view), EmitError emitError) {
  auto array = dyn_cast<ArrayAttr>(value);
  if (!array)
    return emitError() << key << " = " << value << ": must be an array of strings";
  for (Attribute element : array) {
    auto text = dyn_cast<StringAttr>(element);
    if (!text)
      return emitError() << key << ": " << element << " is not a string";
    Result<Entry> entry = parse(view(text.getValue()));
    if (!entry.isOk())
      return emitError() << key << ": " << entry.status().message();
    entries.push_back(*entry);
  }
  return success();
}

LogicalResult unknownKey(StringRef key, EmitError emitError) {
  std::vector<std::string_view> names = {view(deviceNameKey), matricesKey,   matricesNVKey,
                                         fragmentMapsKey,     nativeCodeKey, architectureKey,
                                         spirvMinorKey,       addressBitsKey};
  for (const FeatureInfo &info : allFeatures())
    names.push_back(info.name);
  for (const LimitInfo &info : allLimits())
    names.push_back(info.name);
  for (const WorkaroundInfo &info : allWorkarounds())
    names.push_back(info.name);
  InFlightDiagnostic diagnostic = emitError() << "'" << key << "' is not a feature or limit";
  if (std::string_view nearest = nearestName(view(key), names); !nearest.empty())
    diagnostic << "; did you mean '" << ref(nearest) << "'?";
  else
    diagnostic << "; executable/Features.def and compiler/target/Limits.def list them";
  return diagnostic;
}

LogicalResult readEntry(NamedAttribute entry, TargetEnv &env, EmitError emitError) {
  StringRef key = entry.getName().strref();
  Attribute value = entry.getValue();
  if (const LimitInfo *limit = findLimit(view(key)))
    return readLimit(value, *limit, env.limits, emitError);
  if (view(key) == spirvMinorKey)
    return readNumber(value, key, env.spirvMinor, emitError);
  if (view(key) == addressBitsKey)
    return readNumber(value, key, env.addressBits, emitError);
  if (env.isOpenCl() && findFeature(view(key)))
    return emitError()
           << key << ": the features of an OpenCL device follow from its extensions; name those";
  if (std::optional<Feature> feature = findFeature(view(key)))
    return readFlag(value, key, *feature, env, emitError);
  if (std::optional<Workaround> workaround = findWorkaround(view(key)))
    return readFlag(value, key, *workaround, env, emitError);
  if (view(key) == matricesKey)
    return readTexts(value, key, env.cooperativeMatrices, parseMatrixShape, emitError);
  if (view(key) == matricesNVKey)
    return readTexts(value, key, env.cooperativeMatricesNV, parseMatrixShape, emitError);
  if (view(key) == fragmentMapsKey)
    return readTexts(value, key, env.fragmentMaps, parseFragmentMap, emitError);
  if (view(key) == nativeCodeKey)
    return readTexts(value, key, env.nativeCode, parseName, emitError);
  if (key == deviceNameKey || view(key) == architectureKey) {
    auto text = dyn_cast<StringAttr>(value);
    if (!text)
      return emitError() << key << " = " << value << ": must be a string";
    (key == deviceNameKey ? env.name : env.architecture) = text.str();
    return success();
  }
  return unknownKey(key, emitError);
}

FailureOr<TargetEnv> readEnvironment(bool openCl, uint32_t major, uint32_t minor, uint32_t revision,
                                     ArrayAttr extensions, DictionaryAttr capabilities,
                                     EmitError emitError) {
  TargetEnv env;
  env.api = openCl ? Api::OpenCl : Api::Vulkan;
  env.versionMajor = major, env.versionMinor = minor, env.revision = revision;
  for (Attribute extension : extensions) {
    auto name = dyn_cast<StringAttr>(extension);
    if (!name)
      return emitError() << extension << " is not the name of an extension";
    if (!env.extensions.insert(name.str()).second)
      return emitError() << "extensions: '" << name.getValue() << "' occurs twice; remove one";
  }
  for (NamedAttribute entry : capabilities)
    if (failed(readEntry(entry, env, emitError)))
      return failure();
  env.complete();
  if (Status status = target::verify(env); !status.isOk())
    return emitError() << status.message();
  return env;
}

//===-------------------------------------------------------------------------===//
// Environment → dictionary
//===-------------------------------------------------------------------------===//

/// Writes a limit's value as i32, or as i64 or ui64 if it would otherwise read as negative.
struct LimitWriter {
  mutable Builder builder;
  Attribute operator()(uint64_t value) const {
    if (value > INT64_MAX)
      return builder.getIntegerAttr(builder.getIntegerType(64, /*isSigned=*/false),
                                    APInt(64, value));
    return value > INT32_MAX ? Attribute(builder.getI64IntegerAttr(value))
                             : builder.getI32IntegerAttr(value);
  }
  Attribute operator()(const Size3 &sizes) const {
    unsigned width = *llvm::max_element(sizes) > INT32_MAX ? 64 : 32;
    SmallVector<APInt> numbers;
    for (uint32_t size : sizes)
      numbers.emplace_back(width, size);
    return DenseElementsAttr::get(VectorType::get(3, builder.getIntegerType(width)), numbers);
  }
};

template <typename Entry>
void writeTexts(Builder &builder, StringRef key, const std::vector<Entry> &entries,
                SmallVectorImpl<NamedAttribute> &result) {
  SmallVector<Attribute> texts;
  for (const Entry &entry : entries)
    texts.push_back(builder.getStringAttr(toString(entry)));
  if (!texts.empty())
    result.push_back(builder.getNamedAttr(key, builder.getArrayAttr(texts)));
}

DictionaryAttr writeCapabilities(Builder &builder, const TargetEnv &env) {
  SmallVector<NamedAttribute> entries;
  Limits defaults;
  defaults.minSubgroupSize = defaults.maxSubgroupSize = env.limits.subgroupSize;
  if (env.isOpenCl()) { // these follow from the extensions
    defaults.subgroupFeatures = env.limits.subgroupFeatures;
    defaults.requiredSubgroupSizeStages = env.limits.requiredSubgroupSizeStages;
    entries.push_back(
        builder.getNamedAttr(ref(spirvMinorKey), builder.getI32IntegerAttr(env.spirvMinor)));
  }
  for (const LimitInfo &info : allLimits())
    std::visit(
        [&](auto member) {
          if ((info.alwaysPrinted && !(env.isOpenCl() && info.name == "subgroupFeatures")) ||
              env.limits.*member != defaults.*member)
            entries.push_back(
                builder.getNamedAttr(ref(info.name), LimitWriter{builder}(env.limits.*member)));
        },
        info.member);
  for (const FeatureInfo &info : allFeatures())
    if (env.has(featureOf(info)) && !env.isOpenCl())
      entries.push_back(builder.getNamedAttr(ref(info.name), builder.getUnitAttr()));
  for (const WorkaroundInfo &info : allWorkarounds())
    if (env.needs(info.workaround))
      entries.push_back(builder.getNamedAttr(ref(info.name), builder.getUnitAttr()));
  writeTexts(builder, ref(matricesKey), env.cooperativeMatrices, entries);
  writeTexts(builder, ref(matricesNVKey), env.cooperativeMatricesNV, entries);
  writeTexts(builder, ref(fragmentMapsKey), env.fragmentMaps, entries);
  writeTexts(builder, ref(nativeCodeKey), env.nativeCode, entries);
  if (!env.architecture.empty())
    entries.push_back(
        builder.getNamedAttr(ref(architectureKey), builder.getStringAttr(env.architecture)));
  if (!env.name.empty())
    entries.push_back(builder.getNamedAttr(deviceNameKey, builder.getStringAttr(env.name)));
  return builder.getDictionaryAttr(entries);
}

ParseResult parseVersion(AsmParser &parser, TargetEnv &env) {
  env.api = succeeded(parser.parseOptionalKeyword("opencl")) ? Api::OpenCl : Api::Vulkan;
  SMLoc location = parser.getCurrentLocation();
  StringRef version;
  if (parser.parseOptionalKeyword(&version))
    return parser.emitError(location) << "expected a version such as v1.1";
  StringRef major, minor;
  std::tie(major, minor) = version.split('.');
  if (!major.consume_front("v") || major.getAsInteger(10, env.versionMajor) ||
      minor.getAsInteger(10, env.versionMinor))
    return parser.emitError(location) << "'" << version << "' is not a version such as v1.1";
  return success();
}

/// Parses the number by hand. parseInteger of 32 bits reads -1 as 4294967295, and its errors do not
/// say which number is too large.
ParseResult parseRevision(AsmParser &parser, uint32_t &revision) {
  SMLoc location = parser.getCurrentLocation();
  APInt number;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (!parsed.has_value())
    return parser.emitError(location) << "expected a revision such as r(120)";
  if (failed(*parsed))
    return failure();
  if (number.isNegative() || number.getActiveBits() > 32)
    return parser.emitError(location)
           << "revision r(" << llvm::toString(number, 10, /*Signed=*/true)
           << "): must be from 0 to 4294967295";
  revision = static_cast<uint32_t>(number.getZExtValue());
  return success();
}

} // namespace

Attribute TargetEnvAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  TargetEnv env;
  SmallVector<Attribute> extensions;
  DictionaryAttr capabilities = parser.getBuilder().getDictionaryAttr({});
  auto parseExtension = [&]() -> ParseResult {
    StringRef name;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseOptionalKeyword(&name))
      return parser.emitError(place)
             << "expected an extension's name such as VK_KHR_8bit_storage, without quotes";
    extensions.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseLess() || parseVersion(parser, env))
    return {};
  if (failed(parser.parseOptionalComma())) {
    parser.emitError(parser.getCurrentLocation()) << "expected a comma: " << targetEnvForm;
    return {};
  }
  if (succeeded(parser.parseOptionalKeyword("r")))
    if (parser.parseLParen() || parseRevision(parser, env.revision) || parser.parseRParen() ||
        parser.parseComma())
      return {};
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseExtension) ||
      parser.parseComma() || parser.parseAttribute(capabilities) || parser.parseGreater()) {
    parser.emitError(location) << targetEnvForm; // the parser's own message would name no field
    return {};
  }
  FailureOr<TargetEnv> read =
      readEnvironment(env.isOpenCl(), env.versionMajor, env.versionMinor, env.revision,
                      parser.getBuilder().getArrayAttr(extensions), capabilities,
                      [&] { return parser.emitError(location); });
  return failed(read) ? TargetEnvAttr() : toAttr(parser.getContext(), *read);
}

void TargetEnvAttr::print(AsmPrinter &printer) const {
  printer << (getOpenCl() ? "<opencl v" : "<v") << getVersionMajor() << '.' << getVersionMinor()
          << ", r(" << getRevision() << "), [";
  llvm::interleaveComma(getExtensions().getAsRange<StringAttr>(), printer,
                        [&](StringAttr name) { printer << name.getValue(); });
  printer << "], " << getCapabilities() << '>';
}

LogicalResult TargetEnvAttr::verify(EmitError emitError, bool openCl, uint32_t major,
                                    uint32_t minor, uint32_t revision, ArrayAttr extensions,
                                    DictionaryAttr capabilities) {
  return readEnvironment(openCl, major, minor, revision, extensions, capabilities, emitError);
}

TargetEnv vk::toTargetEnv(TargetEnvAttr attr) {
  // This cannot fail, since verify accepted the attribute.
  auto ignore = [&] { return emitError(UnknownLoc::get(attr.getContext())); };
  return *readEnvironment(attr.getOpenCl(), attr.getVersionMajor(), attr.getVersionMinor(),
                          attr.getRevision(), attr.getExtensions(), attr.getCapabilities(), ignore);
}

TargetEnvAttr vk::toAttr(MLIRContext *context, const TargetEnv &given) {
  TargetEnv env = given;
  env.complete();
  Builder builder(context);
  SmallVector<Attribute> extensions;
  for (const std::string &name : env.extensions) // a set: sorted
    extensions.push_back(builder.getStringAttr(name));
  return TargetEnvAttr::getChecked([&] { return emitError(UnknownLoc::get(context)); }, context,
                                   env.isOpenCl(), env.versionMajor, env.versionMinor, env.revision,
                                   builder.getArrayAttr(extensions),
                                   writeCapabilities(builder, env));
}

FailureOr<TargetEnv> vk::lookupTarget(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto attr = at->getAttrOfType<TargetEnvAttr>(targetEnvAttrName))
      return toTargetEnv(attr);
  return op->emitError() << "no " << targetEnvAttrName
                         << " on the gpu.module; run pumice-select-target first";
}
