/* Lists what is documented and false as the reader chooses it; the address keeps the choice. Works from file:// too. */
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const { load, made, running, choices } = window.conformance;
  const form = document.getElementById("false-chosen");
  const found = document.getElementById("false-found");
  const AT_ONCE = 20;

  const linked = (href, pieces) => {
    const link = running("a", pieces);
    link.href = href;
    return link;
  };
  const status = (pieces) => pieces.map(([text, address]) => {
    if (!/^https?:/.test(address)) return text;
    const link = made("a", text);
    link.href = address;
    return link;
  });
  const row = (one) => {
    const item = made("li");
    const more = one.promises ? `; ${one.promises}` : "";
    const facts = made("p", "Said: ");
    const harm = one.harm.charAt(0).toUpperCase() + one.harm.slice(1);
    facts.append(linked(one.saidHref, one.said), " (", made("code", one.subject), `). ${harm}; ${one.reach}; seen on ${one.seen}${more}; `);
    facts.append(...status(one.status), ".");
    item.append(linked(one.href, one.title), facts);
    return item;
  };
  const show = (all, { module, release, harm, kind }) => {
    const chosen = all.filter((one) => (!module || one.modules.includes(module)) && (!release || one.releases.includes(release))
      && (!harm || one.harm === harm) && (!kind || one.kind === kind));
    const list = made("ol", undefined, "results");
    const more = made("button", "", "more");
    const extend = () => {
      const start = list.children.length;
      list.append(...chosen.slice(start, start + AT_ONCE).map(row));
      const left = chosen.length - list.children.length;
      more.textContent = `${Math.min(left, AT_ONCE)} more of ${left}`;
      more.hidden = !left;
    };
    more.addEventListener("click", extend);
    const count = chosen.length === 1 ? "1 cause" : `${chosen.length} causes`;
    found.replaceChildren(made("p", `${count}, what costs people most first.`), list, more);
    extend();
  };
  const start = async () => {
    try {
      const { false: all } = (await load(form.dataset.file)).parts;
      choices(form, (chosen) => show(all, chosen));
    } catch {
      found.prepend(made("p", "The whole list could not be loaded; these are the first.", "missing"));
    }
  };
  if (form) start();
});
