// Text: numbers in a foreign locale, UTF-8, and names in messages.
#include "base/text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

#include "base/error.h"

namespace ckpt::base {
namespace {

// Formats numbers as a German host program might: 1.234.567,5
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class ForeignLocale : public testing::Test {
 protected:
  void SetUp() override {
    former_ = std::locale::global(std::locale(std::locale::classic(), new German));
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) break;  // also the C library's locale, if the system has one
    }
  }
  void TearDown() override {
    std::locale::global(former_);
    std::setlocale(LC_ALL, "C");
  }

 private:
  std::locale former_;
};

TEST_F(ForeignLocale, BaseTextNumbersDoNotDependOnIt) {
  std::ostringstream shows;
  shows << 1234567.5;
  ASSERT_NE(shows.str().find(','), std::string::npos) << "the locale has no effect: the test proves nothing";
  EXPECT_EQ(cat(1234567.5), "1234567.5");
  EXPECT_EQ(cat(1234567), "1234567");
  EXPECT_EQ(cat(0.1, " ", -1e-300), "0.1 -1e-300");
  EXPECT_EQ(cat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(cat(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(BaseText, CatTakesAllKindsOfPieces) {
  const char* missing = nullptr;
  EXPECT_EQ(cat("a", std::string("b"), std::string_view("c"), 'd', true, false, 1.5F, missing), "abcdtruefalse1.5NULL");
  EXPECT_EQ(cat(), "");
  EXPECT_EQ(cat(std::numeric_limits<double>::quiet_NaN(), ' ', std::numeric_limits<double>::infinity()), "nan inf");
}

TEST(BaseText, DoublesReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, std::numeric_limits<double>::max()}) {
    const std::string text = cat(value);
    double back = 0;
    ASSERT_EQ(std::from_chars(text.data(), text.data() + text.size(), back).ec, std::errc());
    EXPECT_EQ(back, value);
  }
}

TEST(BaseText, Utf8AcceptsWellFormedText) {
  for (const char* good : {"", "plain", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "Gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(is_utf8(good)) << base::quote(good);
  }
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
}

TEST(BaseText, Utf8RefusesMalformedText) {
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE2\x82", "\xE2\x82z", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF", "tail\xC3"}) {
    EXPECT_FALSE(is_utf8(bad)) << base::quote(bad);
  }
}

TEST(BaseText, BlankIsEmptyOrWhiteSpace) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \t\n\v\f\r"));
  EXPECT_FALSE(is_blank(" x "));
}

TEST(BaseText, QuoteEscapesTerminalControls) {
  EXPECT_EQ(base::quote("fc1"), "'fc1'");
  EXPECT_EQ(base::quote("\x1b[31m"), "'\\x1b[31m'");
  EXPECT_EQ(base::quote("a\nb\x7F"), "'a\\x0ab\\x7f'");
  EXPECT_EQ(base::quote("\xC2\x9B"), "'\\xc2\\x9b'");  // a control character of the C1 set
  EXPECT_EQ(base::quote("\xC2\xA0"), "'\xC2\xA0'");
  EXPECT_EQ(base::quote("\xFF\xC3"), "'\\xff\\xc3'");
}

TEST(BaseText, QuoteTruncatesAtACharacter) {
  EXPECT_EQ(base::quote(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(base::quote(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
  EXPECT_EQ(base::quote(std::string(79, 'x') + "\xC3\xBC"), "'" + std::string(79, 'x') + "...'");
  EXPECT_TRUE(is_utf8(base::quote(std::string(78, 'x') + "\xF0\x9F\x98\x80 and more")));
}

TEST(BaseText, NamesAreUtf8AndNotBlank) {
  EXPECT_NO_THROW(require_name("name", "Schicht \xC3\xBC"));
  EXPECT_THROW(require_name("name", ""), Error);
  EXPECT_THROW(require_name("name", "  "), Error);
  try {
    require_name("layer", "\xFFx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "layer is not valid UTF-8: '\\xffx'");
  }
}

}  // namespace
}  // namespace ckpt::base
