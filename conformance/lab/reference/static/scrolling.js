/* What scrolls sideways can be reached with the keyboard. Works from file:// too. */
(() => {
  "use strict";
  const update = () => {
    for (const box of document.querySelectorAll("article pre, article .table-wrapper")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  window.addEventListener("resize", update);
  document.addEventListener("conformance-loaded", update);
  document.addEventListener("toggle", update, true);
  window.addEventListener("load", update);
})();
