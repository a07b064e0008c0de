// plot.css, page.css and page.js, which the build embeds into the command.
#pragma once

namespace ckpt::cli::report {

extern const char* const plot_style;
extern const char* const page_style;
extern const char* const script;

}  // namespace ckpt::cli::report
