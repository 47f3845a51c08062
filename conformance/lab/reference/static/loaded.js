/* Folded parts are loaded when they are opened, from a file of data beside the pages; this works from file:// too. */
(() => {
  "use strict";
  const files = new Map();
  let latest = null;
  window.conformanceLoaded = (parts, impostors) => { latest = { parts, impostors }; };

  const made = (name, text, style) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (style) element.className = style;
    return element;
  };
  const running = (name, pieces) => {
    const element = made(name);
    for (const [text, code, address] of pieces) {
      const piece = code ? made("code", text) : document.createTextNode(text);
      const link = address && /^(https?:\/\/|[\w.#\/-]+$)/.test(address) ? made("a") : null;
      if (link) { link.href = address; link.append(piece); }
      element.append(link || piece);
    }
    return element;
  };
  const list = (items) => {
    const element = made("ul");
    element.append(...items);
    return element;
  };
  const table = ([head, ...rows], style) => {
    const box = made("div", undefined, "table-wrapper");
    const element = made("table", undefined, `docutils align-default ${style}`);
    const add = (part, cell, cells) => part.insertRow().append(...cells.map((pieces) => running(cell, pieces)));
    add(element.createTHead(), "th", head);
    const body = element.createTBody();
    for (const cells of rows) add(body, "td", cells);
    box.append(element);
    return box;
  };
  const shown = (block, impostors) => {
    if (block.heading !== undefined) return made("p", block.heading, "part");
    if (block.table) return table(block.table, block.style || "");
    if (block.items) return list(block.items.map((pieces) => running("li", pieces)));
    if (block.impostors) {
      const named = block.impostors.map((number) => impostors[number]);
      return list(named.map(([name, meaning]) => running("li", [[name, 1], [meaning ? `: ${meaning}` : "", 0]])));
    }
    const box = made("div", undefined, "highlight");
    box.append(made("pre", block.code));
    return box;
  };
  const load = (file) => {
    if (!files.has(file)) {
      files.set(file, new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = file;
        script.onload = () => done(latest);
        script.onerror = failed;
        document.head.append(script);
      }));
    }
    return files.get(file);
  };
  const fill = async (details) => {
    const link = details.querySelector(":scope > a");
    if (!link) return;
    try {
      const { parts, impostors } = await load(link.href);
      link.replaceWith(...(parts[details.dataset.key] || []).map((block) => shown(block, impostors)));
      details.dispatchEvent(new Event("conformance-loaded", { bubbles: true }));
    } catch {
      link.replaceWith(made("p", `${link.href} could not be loaded.`, "missing"));
    }
  };
  /* Keeps what a reader chooses in a form in the address, and takes it from there; calls show with the values. */
  const choices = (form, show) => {
    const fields = [...form.elements].filter((field) => field.name);
    const values = () => Object.fromEntries(fields.map((field) => [field.name, field.value]));
    const take = () => {
      const given = new URLSearchParams(location.hash.slice(1) || location.search);
      for (const field of fields) {
        const value = given.get(field.name);
        if (value !== null && [...field.options].some((one) => one.value === value)) field.value = value;
      }
      show(values());
    };
    form.addEventListener("change", () => {
      history.replaceState(null, "", `#${new URLSearchParams(Object.entries(values()).filter(([, value]) => value))}`);
      show(values());
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", take);
    take();
  };
  window.conformance = { load, made, running, choices };
  /* Opens what the address names: what it stands in, and what is loaded of it. */
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let part = target; part; part = part.parentElement) if (part.matches("details")) part.open = true;
    for (const body of target.querySelectorAll(":scope > details.body")) body.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  window.addEventListener("load", reveal);
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.matches("details.loads")) fill(event.target);
  }, true);
})();
