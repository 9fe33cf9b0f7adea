//===- HostSites.cpp - the gpu operations of a host program as plain data ---===//
#include "compiler/host/HostSites.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::host;

static constexpr llvm::StringLiteral functions[] = {
    "pumice_host_launch", "pumice_host_alloc", "pumice_host_dealloc",  "pumice_host_copy",
    "pumice_host_fill",   "pumice_host_wait",  "pumice_host_register", "pumice_host_unregister",
    "pumice_host_place",  "pumice_host_fail"};

StringRef host::functionOf(Action action) { return functions[static_cast<size_t>(action)]; }

std::string host::placeOf(Location loc) {
  std::string place = "unknown place";
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

Attribute host::toAttr(MLIRContext *context, const Site &site) {
  Builder builder(context);
  SmallVector<int64_t> ranks, bytes;
  SmallVector<StringRef> types;
  for (const Operand &operand : site.operands) {
    ranks.push_back(operand.rank);
    bytes.push_back(operand.bytes);
    types.push_back(operand.type);
  }
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute value) { fields.emplace_back(name, value); };
  add("call", builder.getStringAttr(functionOf(site.action)));
  add("location", builder.getStringAttr(site.location));
  add("ranks", builder.getDenseI64ArrayAttr(ranks));
  add("bytes", builder.getDenseI64ArrayAttr(bytes));
  add("types", builder.getStrArrayAttr(types));
  if (site.async)
    add("async", builder.getUnitAttr());
  if (site.hostShared)
    add("host_shared", builder.getUnitAttr());
  if (site.action == Action::Launch) {
    add("symbol", builder.getStringAttr(site.symbol));
    add("kernel", builder.getI64IntegerAttr(site.kernel));
  }
  if (site.action == Action::Fail)
    add("message", builder.getStringAttr(site.message));
  return builder.getDictionaryAttr(fields);
}

static Site readSite(DictionaryAttr attr) {
  Site site;
  StringRef call = attr.getAs<StringAttr>("call").getValue();
  for (size_t i = 0; i < std::size(functions); ++i)
    if (call == functions[i])
      site.action = Action(i);
  site.location = attr.getAs<StringAttr>("location").str();
  site.async = attr.contains("async");
  site.hostShared = attr.contains("host_shared");
  if (auto symbol = attr.getAs<StringAttr>("symbol"))
    site.symbol = symbol.str();
  if (auto message = attr.getAs<StringAttr>("message"))
    site.message = message.str();
  if (auto kernel = attr.getAs<IntegerAttr>("kernel"))
    site.kernel = kernel.getInt();
  for (auto [rank, bytes, type] :
       llvm::zip(attr.getAs<DenseI64ArrayAttr>("ranks").asArrayRef(),
                 attr.getAs<DenseI64ArrayAttr>("bytes").asArrayRef(),
                 attr.getAs<ArrayAttr>("types").getAsRange<StringAttr>()))
    site.operands.push_back({rank, bytes, type.str()});
  return site;
}

std::vector<Site> host::readSites(ModuleOp module) {
  std::vector<Site> sites;
  if (auto list = module->getAttrOfType<ArrayAttr>(sitesAttrName))
    for (auto attr : list.getAsRange<DictionaryAttr>())
      sites.push_back(readSite(attr));
  return sites;
}
