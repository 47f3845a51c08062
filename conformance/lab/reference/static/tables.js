/* Filters and sorts a table by what its cells say. Works from file:// too. */
(() => {
  "use strict";
  const MOST = 60;
  const prepare = (table) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    /* A long table shows its first rows until it is filtered, sorted or asked for all. */
    const first = rows.length > MOST * 1.5 ? MOST : rows.length;
    const all = document.createElement("button");
    all.className = "more";
    all.textContent = `All ${rows.length} rows`;
    const foldIf = (folded) => {
      all.hidden = !folded;
      rows.forEach((row, place) => { row.hidden = folded && place >= first; });
    };
    all.addEventListener("click", () => foldIf(false));
    const field = document.createElement("input");
    field.type = "search";
    field.className = "filter";
    field.placeholder = "filter: words that a row has, such as: own memory";
    field.setAttribute("aria-label", "Filter the rows");
    field.addEventListener("input", () => {
      all.hidden = true;
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    (table.closest(".table-wrapper") || table).before(field);
    if (first < rows.length) {
      (table.closest(".table-wrapper") || table).after(all);
      foldIf(!rows.slice(first).some((row) => row.id && `#${row.id}` === location.hash));
    }
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      let order = -1;
      const button = document.createElement("button");
      button.append(...head.childNodes);
      button.addEventListener("click", () => {
        order = -order;
        if (!all.hidden) foldIf(false);
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order > 0 ? "ascending" : "descending");
        rows.sort((one, two) => order * one.cells[column].textContent.localeCompare(two.cells[column].textContent));
        body.append(...rows);
      });
      head.append(button);
    });
  };
  const prepareAll = (part) => part.querySelectorAll("table.sortable").forEach(prepare);
  document.addEventListener("conformance-loaded", (event) => prepareAll(event.target));
  prepareAll(document);
})();
