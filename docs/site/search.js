// Search of the manual: a dialog over an index that is loaded as a script, so it works from file:// without a server.
(function () {
  "use strict";
  const root = new URL("..", document.currentScript.src);
  const MOST = 40; // results shown
  let dialog, input, list, chosen = -1;

  function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  function words(query) {
    return query.toLowerCase().split(/[^\p{L}\p{N}_#+]+/u).filter(Boolean);
  }

  // Returns the points of an entry; 0 if a term does not occur. Titles count more than text, whole words more than parts of words.
  function points(entry, terms) {
    let sum = 0;
    for (const term of terms) {
      let best = 0;
      entry.lower.forEach((text, i) => {
        const at = text.indexOf(term);
        if (at < 0) return;
        const begins = at === 0 || /[^\p{L}\p{N}_]/u.test(text[at - 1]);
        const whole = begins && !/[\p{L}\p{N}_]/u.test(text[at + term.length] || " ");
        best = Math.max(best, [8, 10, 1][i] * (whole ? 3 : begins ? 2 : 1));
        if (i === 2) best += Math.min(text.split(term).length, 6) / 4; // occurrences
      });
      if (best === 0) return 0;
      sum += best;
    }
    return entry[0].startsWith("source/") ? sum / 2 : sum; // the change log and the like
  }

  function find(query) {
    const terms = words(query);
    if (terms.length === 0) return [];
    return window.ckptSearchIndex
      .map((entry) => ({ entry, terms, points: points(entry, terms) }))
      .filter((result) => result.points > 0)
      .sort((a, b) => b.points - a.points)
      .slice(0, MOST);
  }

  // Returns the text around the first term, with every term marked.
  function excerpt(text, terms) {
    const lower = text.toLowerCase();
    const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0), text.length);
    const begin = first === text.length ? 0 : Math.max(0, first - 40);
    const shown = text.slice(begin, begin + 160);
    const line = element("p", {});
    if (begin > 0) line.append("… ");
    const pattern = new RegExp("(" + terms.map((term) => term.replace(/[+]/g, "\\+")).join("|") + ")", "giu");
    shown.split(pattern).forEach((piece, i) => line.append(i % 2 ? element("mark", { textContent: piece }) : piece));
    if (begin + 160 < text.length) line.append(" …");
    return line;
  }

  function choose(number) {
    const items = list.querySelectorAll("a");
    if (items.length === 0) return;
    if (chosen >= 0 && items[chosen]) items[chosen].classList.remove("chosen");
    chosen = (number + items.length) % items.length;
    items[chosen].classList.add("chosen");
    items[chosen].scrollIntoView({ block: "nearest" });
  }

  function show() {
    chosen = -1;
    const results = window.ckptSearchIndex ? find(input.value) : [];
    list.replaceChildren(
      ...results.map(({ entry, terms }) => {
        const [address, page, section, text] = entry;
        const title = section && section !== page ? page + " › " + section : page;
        const link = element("a", { href: new URL(address, root).href }, element("strong", { textContent: title }));
        link.append(excerpt(text, terms));
        link.addEventListener("click", () => dialog.close());
        return element("li", {}, link);
      }),
    );
    if (results.length === 0 && words(input.value).length > 0) {
      list.append(element("li", { className: "none", textContent: window.ckptSearchIndex ? "No results" : "Loading the index" }));
    }
    choose(0);
  }

  function load() {
    if (window.ckptSearchIndex || document.getElementById("ckpt-search-index")) return;
    const script = element("script", { id: "ckpt-search-index", src: new URL("site/search_index.js", root).href });
    script.addEventListener("load", () => {
      window.ckptSearchIndex.forEach((entry) => (entry.lower = entry.slice(1).map((text) => text.toLowerCase())));
      show();
    });
    document.head.append(script);
  }

  function open() {
    load();
    if (!dialog.open) dialog.showModal();
    input.select();
  }

  function build() {
    input = element("input", { type: "search", placeholder: "Search", autocomplete: "off", spellcheck: false });
    input.setAttribute("aria-label", "Search");
    list = element("ol", {});
    dialog = element("dialog", { className: "ckpt-search" }, input, list);
    document.body.append(dialog);
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") choose(chosen + 1);
      else if (event.key === "ArrowUp") choose(chosen - 1);
      else if (event.key === "Enter" && list.querySelector("a.chosen")) list.querySelector("a.chosen").click();
      else return;
      event.preventDefault();
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // the area around it
    });
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
      if (typing || event.ctrlKey || event.metaKey || event.altKey || (event.key !== "/" && event.key !== "s")) return;
      event.preventDefault();
      open();
    });
    const button = element("button", { type: "button", title: "Search (/)" });
    button.className = "md-header__button md-icon ckpt-search-button";
    button.setAttribute("aria-label", "Search");
    button.innerHTML =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">' +
      '<path d="M9.5 3a6.5 6.5 0 0 1 5 10.7l.3.3h.7l5 5-1.5 1.5-5-5v-.7l-.3-.3A6.5 6.5 0 1 1 9.5 3' +
      'm0 2a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Z"/></svg>';
    button.addEventListener("click", open);
    document.querySelector(".md-header__inner").append(button);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", build);
  else build();
})();
