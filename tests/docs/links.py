"""links.py SITE: checks every page of the built manual.

Each link, picture, script and style sheet inside the site exists, each anchor is on its page, and no page loads anything from the
network. Links to other sites are not followed.
"""

import functools
import html.parser
import os
import re
import sys
import urllib.parse

# Attributes with a file that the browser loads together with the page.
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data"),
          ("embed", "src")}
NOT_LOADED = {"canonical", "prev", "next", "alternate"}  # rel of <link>
REMOTE = re.compile(r"(?:[a-z]+:)?//", re.I)
# doxygen 1.9 links to nested-classes also where all of them are private; 1.17 links to each letter of an index, also on short pages
# without headings for them, and to "~", with another anchor.
DOXYGEN_ANCHOR = re.compile(r"nested-classes|index_.", re.S)
OTHER_SCHEME = re.compile(r"(?:mailto|javascript|data|tel):", re.I)


class Page(html.parser.HTMLParser):
    """Collects the anchors of a page and its references: (address, whether the browser loads it)."""

    def __init__(self):
        super().__init__()
        self.anchors, self.references, self.in_style = set(), [], False

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        self.in_style = tag == "style"
        for name in ("href", "src", "data", "srcset"):
            if values.get(name) and tag != "base" and (tag in ("a", "area") or (tag, name) in LOADED):
                self.references.append((values[name], (tag, name) in LOADED and values.get("rel") not in NOT_LOADED))
        if "style" in values:
            self.handle_css(values["style"])

    def handle_endtag(self, tag):
        self.in_style = False

    def handle_data(self, data):
        if self.in_style:
            self.handle_css(data)

    def handle_css(self, text):
        self.references += [(address, True) for address in css_references(text)]


def css_references(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [a or b for a, b in re.findall(r"url\(\s*[\"']?([^\"')]+)[\"']?\s*\)|@import\s+[\"']([^\"']+)[\"']", text)]


@functools.lru_cache(maxsize=None)
def page_of(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    return page


def problem(path, address, loaded):
    if OTHER_SCHEME.match(address):
        return None
    if REMOTE.match(address):
        return "is loaded from the network" if loaded else None
    parts = urllib.parse.urlsplit(address)
    target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
    if parts.path.startswith("/"):
        return "is absolute: works on one server only"
    if not os.path.isfile(target):
        return "does not exist" if not os.path.isdir(target) else "is a folder: a browser lists it"
    fragment = urllib.parse.unquote(parts.fragment)
    is_anchor = fragment and target.endswith(".html") and not loaded and not DOXYGEN_ANCHOR.fullmatch(fragment)
    if is_anchor and fragment not in page_of(target).anchors:
        return f"has no anchor {fragment}"
    return None


def main():
    site = os.path.abspath(sys.argv[1])
    problems, count = [], 0
    for folder, _, names in sorted(os.walk(site)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".html"):
                references = page_of(path).references
            elif name.endswith(".css"):
                with open(path, encoding="utf-8") as file:
                    references = [(address, True) for address in css_references(file.read())]
            else:
                continue
            count += len(references)
            for address, loaded in dict.fromkeys(references):
                text = problem(path, address, loaded)
                if text:
                    problems.append(f"{os.path.relpath(path, site)}: {address} {text}")
    print(f"{count} references")
    if count == 0:
        sys.exit(f"{site}: no page")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
