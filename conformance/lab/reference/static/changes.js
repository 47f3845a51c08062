/* Lists the changes between two releases that the reader chooses; the address keeps the choice. Works from file:// too. */
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const { load, made, running, choices } = window.conformance;
  const form = document.getElementById("changes-chosen");
  const list = document.getElementById("changes-found");
  const verbs = {
    breaks: ["breaks code", "break code"],
    changes: ["changes what code gives", "change what code gives"],
    warns: ["makes code warn", "make code warn"],
  };
  const number = (release) => { const [major, minor] = release.split(".").map(Number); return major * 1000 + minor; };

  const facts = (one) => {
    const found = made("dl", undefined, "facts");
    const rows = [["Only if", one.condition], ["Before", one.before], ["Now", one.after], ["Write", one.instead]];
    for (const [name, text] of rows) {
      if (text.length) found.append(made("dt", name), running("dd", text));
    }
    return found;
  };
  const shown = (one, open) => {
    const box = made("details", undefined, `change verdict-${one.style}`);
    box.open = open;
    const head = running("summary", one.title);
    head.append(" ", made("span", `torch ${one.release}`, "chip verdict-none"));
    const foot = made("p", `${one.reach === "common" ? "Much code has it" : "Little code has it"}; ${one.proof}. `, "aside");
    if (one.page) {
      const link = made("a", `All of torch ${one.release}`);
      link.href = `${one.page}#${one.id}`;
      foot.append(link);
    }
    box.append(head, facts(one), foot);
    return box;
  };
  const show = (all, { from, to, module, reach }) => {
    const between = all.filter((one) => number(one.release) > number(from) && number(one.release) <= number(to));
    const chosen = between.filter((one) => (!module || `${one.module}.`.startsWith(`${module}.`)) && (!reach || one.reach === reach));
    list.replaceChildren();
    if (number(from) >= number(to)) {
      list.append(made("p", "Choose a newer release to upgrade to.", "missing"));
      return;
    }
    const left = between.length - chosen.length;
    const rest = left ? ` ${left} more in other modules or code.` : "";
    list.append(made("p", `${chosen.length} changes from torch ${from} to ${to}.${rest}`));
    for (const harm of Object.keys(verbs)) {
      const ones = chosen.filter((one) => one.harm === harm);
      if (!ones.length) continue;
      list.append(made("h2", `${ones.length} ${verbs[harm][ones.length > 1 ? 1 : 0]}`), ...ones.map((one) => shown(one, chosen.length <= 12 || one.reach === "common")));
    }
  };
  const start = async () => {
    try {
      const { changes } = (await load(form.dataset.file)).parts;
      choices(form, (chosen) => show(changes, chosen));
    } catch {
      list.replaceChildren(made("p", "The changes could not be loaded.", "missing"));
    }
  };
  start();
});
