/* Filters and sorts a table by what its cells say. Works from file:// too. */
(() => {
  "use strict";
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const field = document.createElement("input");
    field.type = "search";
    field.className = "filter";
    field.placeholder = "filter: words that a row has, such as: own memory";
    field.setAttribute("aria-label", "Filter the rows");
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    (table.closest(".table-wrapper") || table).before(field);
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      let order = -1;
      const button = document.createElement("button");
      button.append(...head.childNodes);
      button.addEventListener("click", () => {
        order = -order;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order > 0 ? "ascending" : "descending");
        rows.sort((one, two) => order * one.cells[column].textContent.localeCompare(two.cells[column].textContent));
        body.append(...rows);
      });
      head.append(button);
    });
  }
})();
