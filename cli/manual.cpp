#include "manual.h"

#include <string_view>

namespace ckpt::cli {
namespace {

// Escapes the requests and escapes of roff.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && out.empty()) {
      out = std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

void paragraph(std::string& page, const std::string& title, const std::string& text) {
  page += ".TP\n" + title + "\n" + text + "\n";
}

std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.empty() ? "" : " " + italic(type);
}

void add_options(std::string& page, const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    const std::string text = plain(option->get_description());
    if (option->get_positional()) {
      paragraph(page, italic(option->get_single_name()), text);
      continue;
    }
    const std::string usual = option->get_default_str();
    paragraph(page, bold(option->get_name()) + value_of(*option), usual.empty() ? text : text + ". Default: " + plain(usual));
  }
}

std::string usage_of(const CLI::App& command) {
  std::string usage = bold("ckpt " + command.get_name());
  bool has_options = false;
  std::string operands;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional()) {
      operands += " " + italic(option->get_single_name());
    } else {
      has_options = true;
    }
  }
  return usage + (has_options ? " [" + italic("option") + "...]" : "") + operands;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string page = ".TH CKPT 1 \"\" \"libckpt " + version + "\" \"User commands\"\n.SH NAME\nckpt \\- inspect, verify, " +
                     "compare, copy and convert checkpoints; train, plan and simulate\n.SH SYNOPSIS\n";
  const auto commands = app.get_subcommands(nullptr);
  for (const CLI::App* const command : commands) page += usage_of(*command) + "\n.br\n";
  page += ".SH DESCRIPTION\n" + plain(app.get_description()) + ".\n.SH OPTIONS\n";
  add_options(page, app);
  page += ".SH COMMANDS\n";
  for (const CLI::App* const command : commands) {
    page += ".SS " + plain(command->get_name()) + "\n" + plain(command->get_description()) + ".\n";
    for (const std::string& alias : command->get_aliases()) page += "Alias: " + bold(alias) + ".\n";
    add_options(page, *command);
  }
  page += ".SH EXIT STATUS\n";
  paragraph(page, bold("0"), "Success.");
  paragraph(page, bold("1"), plain("Failure: the reason is on standard error. diff: differences were found."));
  paragraph(page, bold("2"), "Usage error.");
  paragraph(page, bold("3"), plain("train --save-every auto was ended by a preemption notice."));
  return page;
}

}  // namespace ckpt::cli
