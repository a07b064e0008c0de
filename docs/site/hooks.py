"""MkDocs hooks of the manual: navigation, links to files outside docs/, and the search index.

Pages link to each other and to the sources by paths that also work in a checkout. MkDocs reads only docs/. Each file outside of
docs/ that a page links to therefore becomes a page below source/, and the links are rewritten.
"""

import html.parser
import json
import os
import posixpath
import re
import xml.etree.ElementTree

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("CKPT_DOCS", os.path.join(ROOT, "build", "docs"))
API = "reference/c-api"  # doxygen's pages
ASSETS = ("site/search.js", "site/site.css")

# Folder, title, and the order of its pages. Pages that are not named follow in the order of their names; missing ones are left out.
SECTIONS = [
    ("get-started", "Get started", "c cpp python java csharp"),
    ("how-to", "How to", "train-under-a-budget resume-after-a-crash save-from-many-ranks save-to-s3 adjoint-codes "
                         "bring-your-own-framework choose-when-to-save find-what-uses-memory embed-the-library"),
    ("reference", "Reference", "c-api base memory tensor storage strategy plan engine pipeline state async adaptive s3 mpi "
                               "python java csharp command file-format text-forms errors compatibility renames"),
    ("explanation", "Explanation", "architecture schedule commit-protocol determinism benchmarks scale"),
    ("explanation/decisions", "Decisions", ""),
]
PROJECT = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "THIRD_PARTY_NOTICES.md"]
LANGUAGES = {".h": "c", ".c": "c", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".java": "java", ".cs": "csharp", ".sh": "sh",
             ".json": "json", ".txt": "cmake"}
LINK = re.compile(r"(\]\(|^\[[^\]]+\]:\s+)([^)\s#]+)(#[^)\s]*)?(?=\)|\s*$)", re.M)
FENCE = re.compile(r"^ *(```|~~~)")
ITEM = re.compile(r"^ *([-*+]|\d+\.) ")

real_path = {}  # path of a page in the site -> path in the repository
index = []  # of the search: [address, page, section, text]


# ---- Navigation ----


def title_of(path):
    """Returns the first heading of a page for the navigation: up to a colon, without markup."""
    with open(path, encoding="utf-8") as file:
        heading = next((line for line in file if line.startswith("# ")), "# " + os.path.basename(path))
    return re.sub(r"[`*]|Get started in ", "", heading[2:].strip()).split(": ", 1)[0]


def pages_of(folder, order):
    path = os.path.join(ROOT, "docs", folder)
    found = {name[:-3] for name in os.listdir(path) if name.endswith(".md")} if os.path.isdir(path) else set()
    named = [name for name in ["index", "README", *order.split()] if name in found]
    names = named + sorted(found - set(named))
    return [{title_of(f"{path}/{name}.md"): f"{folder}/{name}.md"} for name in names]


def github_slug(text, separator):
    """Makes the anchors of GitHub, so that links with an anchor work there and in the site."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config):
    nav = [{"Home": "index.md"}]
    for folder, title, order in SECTIONS:
        pages = pages_of(folder, order)
        if pages and "/" in folder:
            nav[-1][SECTIONS[-2][1]].append({title: pages})
        elif pages:
            nav.append({title: pages})
    project = {name: title_of(os.path.join(ROOT, name)) if name.endswith(".md") else "Licence" for name in PROJECT}
    nav.append({"Project": [{title: site_path(name)} for name, title in project.items()]})
    config["nav"] = nav
    config["mdx_configs"].setdefault("toc", {})["slugify"] = github_slug
    return config


def on_nav(nav, config, files):
    if files.get_file_from_path(f"{API}/index.html"):
        reference = next(item for item in nav.items if item.title == "Reference")
        link = Link("C and C++ API: all functions", f"{API}/index.html")
        link.parent = reference
        reference.children.insert(1 if os.path.exists(os.path.join(ROOT, "docs", API + ".md")) else 0, link)
    return nav


# ---- Files outside docs/ ----


def site_path(path):
    """Returns the path in the site of a file or folder of the repository, as the path of its Markdown source."""
    if path == "docs" or path.startswith("docs/"):
        inside = path[5:]
        if not os.path.isdir(os.path.join(ROOT, path)):
            return inside
        names = [name for name in ("index.md", "README.md") if os.path.exists(os.path.join(ROOT, path, name))]
        return posixpath.join(inside, names[0] if names else "index.md")
    if os.path.isdir(os.path.join(ROOT, path)):
        return f"source/{path}/index.md"
    return f"source/{path}" if path.endswith(".md") else f"source/{path}.md"


def text_of(path):
    """Returns a file or a folder of the repository as Markdown."""
    whole = os.path.join(ROOT, path)
    if os.path.isdir(whole):
        names = sorted(name for name in os.listdir(whole) if not name.startswith((".", "__")))
        titles = {name: title_of(os.path.join(whole, name)) if name.endswith(".md") else name for name in names}
        heading = next((title for folder, title, _ in SECTIONS if "docs/" + folder == path), path)
        return f"# {heading}\n\n" + "".join(f"- [{title}]({name})\n" for name, title in titles.items())
    with open(whole, encoding="utf-8") as file:
        text = file.read()
    language = LANGUAGES.get(os.path.splitext(path)[1], "text")
    return text if path.endswith(".md") else f"# {path}\n\n````{language}\n{text}````\n"


def split_fences(text):
    """Yields (is code, lines) for the runs of lines inside and outside of fenced code."""
    code, run = None, []
    for line in text.splitlines(keepends=True):
        fence = FENCE.match(line)
        if fence and code is None:
            yield False, run
            code, run = line.strip()[: len(line.strip()) - len(line.strip().lstrip("`~"))], [line]
        elif fence and line.strip() == code:
            yield True, run + [line]
            code, run = None, []
        else:
            run.append(line)
    yield code is not None, run


def target_of(link, path):
    """Returns the file or folder of the repository to which a link on a page points; None for an address or a missing file."""
    if re.match(r"[a-z]+:", link):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    return target if os.path.exists(os.path.join(ROOT, target)) and not target.startswith("..") else None


def links_of(text):
    return [match.group(2) for code, lines in split_fences(text) if not code for match in LINK.finditer("".join(lines))]


def on_files(files, config):
    own = [file for file in files if file.abs_src_path.startswith(config["docs_dir"] + os.sep)]  # the others are of the theme
    unused = [file for file in own if file.src_path not in ASSETS and
              (file.src_path.startswith("site/") or not file.src_path.endswith((".md", ".svg", ".png")))]
    for file in unused:
        files.remove(file)
    real_path.clear()
    real_path.update({file.src_path: "docs/" + file.src_path for file in own})

    generated = os.path.join(BUILD, "generated")
    waiting = ["docs/" + file.src_path for file in own if file not in unused and file.src_path.endswith(".md")] + PROJECT
    while waiting:
        path = waiting.pop()
        text = text_of(path)
        here = site_path(path)
        if here not in real_path:
            real_path[here] = path
            target = os.path.join(generated, here)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
            files.append(File(here, generated, config["site_dir"], False))
        if path.endswith(".md") or os.path.isdir(os.path.join(ROOT, path)):
            base = path if path.endswith(".md") else path + "/."
            targets = [target_of(link, base) for link in links_of(text)]
            waiting += [target for target in targets if target and site_path(target) not in real_path]

    api = os.path.join(BUILD, "api")
    for folder, _, names in os.walk(os.path.join(api, API)):
        for name in names:
            files.append(File(os.path.relpath(os.path.join(folder, name), api), api, config["site_dir"], False))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_path
    path = real_path[here]
    base = path + "/." if os.path.isdir(os.path.join(ROOT, path)) else path

    def rewritten(match):
        target = target_of(match.group(2), base)
        if target is None:
            return match.group(0)
        link = posixpath.relpath(site_path(target), posixpath.dirname(here) or ".")
        return match.group(1) + link + (match.group(3) or "")

    return "".join("".join(lines) if code else LINK.sub(rewritten, lists_apart(lines)) for code, lines in split_fences(markdown))


def lists_apart(lines):
    """Adds an empty line before a list that follows a paragraph directly: GitHub accepts such a list, Python-Markdown does not."""
    result = []
    for line in lines:
        if ITEM.match(line) and result and result[-1].strip() and not ITEM.match(result[-1]) and result[-1][0] not in " \t":
            result.append("\n")
        result.append(line)
    return "".join(result)


# ---- Search ----


class Sections(html.parser.HTMLParser):
    """Splits a page into [anchor, heading, text] at its headings."""

    def __init__(self):
        super().__init__()
        self.sections = [["", "", ""]]
        self.in_heading = self.in_permalink = False

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if re.fullmatch("h[1-6]", tag):
            self.in_heading = True
            self.sections.append([values.get("id", ""), "", ""])
        self.in_permalink = values.get("class") == "headerlink"
        if tag in ("p", "td", "th", "li", "pre", "br"):
            self.sections[-1][2] += " "

    def handle_endtag(self, tag):
        if re.fullmatch("h[1-6]", tag):
            self.in_heading = False
        self.in_permalink = False

    def handle_data(self, data):
        if not self.in_permalink:
            self.sections[-1][1 if self.in_heading else 2] += data


def on_page_content(html, page, config, files):
    if page.url.startswith("source/") and not page.url.startswith(tuple("source/" + name[:-3] + ".html" for name in PROJECT)):
        return html
    parser = Sections()
    parser.feed(html)
    for anchor, heading, text in parser.sections:
        text = " ".join(text.split())
        if heading or text:
            index.append([page.url + ("#" + anchor if anchor else ""), page.title, heading, text])
    return html


def api_entries():
    """Yields entries of the classes, functions, types and constants from doxygen's tag file."""
    path = os.path.join(BUILD, "ckpt.tag")
    if not os.path.exists(path):
        return
    tree = xml.etree.ElementTree.parse(path)
    for compound in tree.iter("compound"):
        if compound.get("kind") in ("class", "struct"):
            yield [f"{API}/{compound.findtext('filename')}", "API", compound.findtext("name"), compound.get("kind")]
    for member in tree.iter("member"):
        values = {child.tag: child.text or "" for child in member}
        if member.get("kind") in ("function", "define", "typedef", "enumvalue") and values.get("anchorfile"):
            yield [f"{API}/{values['anchorfile']}#{values['anchor']}", "API", values["name"], values.get("arglist", "")]


def on_post_build(config):
    site = config["site_dir"]
    with open(os.path.join(site, "site", "search_index.js"), "w", encoding="utf-8") as file:
        entries = json.dumps(index + list(api_entries()), ensure_ascii=False, separators=(",", ":"))
        file.write(f"window.ckptSearchIndex = {entries};\n")
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz"):  # for web servers; their links are absolute
        if os.path.exists(os.path.join(site, name)):
            os.remove(os.path.join(site, name))
