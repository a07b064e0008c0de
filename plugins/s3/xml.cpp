#include "xml.h"

#include <climits>
#include <exception>
#include <memory>

#include <expat.h>

#include "error.h"

namespace ckpt::s3 {
namespace {

constexpr std::size_t deepest = 16;
constexpr std::size_t max_elements = 200000;

// Builds the tree in expat's callbacks; an exception is stored until expat has returned.
class Builder {
 public:
  explicit Builder(XML_Parser parser) : parser_(parser) { open_.push_back(&root_); }

  Element finish() {
    if (error_) std::rethrow_exception(error_);
    if (root_.children.size() != 1) fail(CKPT_E_IO, "the store's response is not XML");
    return std::move(root_.children.front());
  }
  bool failed() const { return error_ != nullptr; }

  static void XMLCALL start(void* self, const XML_Char* name, const XML_Char**) {
    static_cast<Builder*>(self)->run([&](Builder& builder) {
      if (builder.open_.size() > deepest || ++builder.count_ > max_elements) {
        fail(CKPT_E_IO, "the store's response: the XML has too many elements");
      }
      Element* parent = builder.open_.back();
      parent->children.push_back({name, {}, {}});
      // Only the last child of each open element grows; addresses of the others are not stored.
      builder.open_.push_back(&parent->children.back());
    });
  }
  static void XMLCALL end(void* self, const XML_Char*) {
    auto& open = static_cast<Builder*>(self)->open_;
    if (open.size() > 1) open.pop_back();
  }
  static void XMLCALL text(void* self, const XML_Char* text, int length) {
    static_cast<Builder*>(self)->run(
        [&](Builder& builder) { builder.open_.back()->text.append(text, static_cast<std::size_t>(length)); });
  }
  static void XMLCALL document_type(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    static_cast<Builder*>(self)->run(
        [](Builder&) { fail(CKPT_E_UNSUPPORTED, "the store's response: the XML has a document type, which is not supported"); });
  }

 private:
  template <class Body>
  void run(Body&& body) noexcept {
    if (error_) return;
    try {
      body(*this);
    } catch (...) {
      error_ = std::current_exception();
      XML_StopParser(parser_, XML_FALSE);
    }
  }

  XML_Parser parser_;
  Element root_;
  std::vector<Element*> open_;
  std::size_t count_ = 0;
  std::exception_ptr error_;
};

struct FreeParser {
  void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
};

}  // namespace

const Element* Element::child(std::string_view wanted) const {
  for (const Element& element : children) {
    if (element.name == wanted) return &element;
  }
  return nullptr;
}

std::string_view Element::value(std::string_view wanted) const {
  const Element* element = child(wanted);
  return element == nullptr ? std::string_view() : std::string_view(element->text);
}

Element parse_xml(std::string_view text) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser(XML_ParserCreate("UTF-8"));
  if (parser == nullptr) throw std::bad_alloc();
  Builder builder(parser.get());
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), Builder::start, Builder::end);
  XML_SetCharacterDataHandler(parser.get(), Builder::text);
  XML_SetStartDoctypeDeclHandler(parser.get(), Builder::document_type);
  if (text.size() > static_cast<std::size_t>(INT_MAX)) fail(CKPT_E_IO, "the store's response is too long");
  const XML_Status status = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (status != XML_STATUS_OK && !builder.failed()) {
    if (XML_GetErrorCode(parser.get()) == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    fail(CKPT_E_IO, "the store's response is not XML: ", XML_ErrorString(XML_GetErrorCode(parser.get())));
  }
  return builder.finish();
}

}  // namespace ckpt::s3
