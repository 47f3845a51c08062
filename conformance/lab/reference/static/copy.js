/* A button on each block of code copies it; also on those that are loaded later. Works from file:// too. */
(() => {
  "use strict";
  const copy = async (pre) => {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(pre.textContent);
      return;
    }
    getSelection().selectAllChildren(pre); // pages from http:// may not write to the clipboard themselves
    document.execCommand("copy");
    getSelection().removeAllRanges();
  };
  const addTo = (part) => {
    for (const box of part.querySelectorAll("div.highlight:not(.output)")) {
      const pre = box.querySelector("pre");
      if (!pre || box.querySelector("button.copy")) continue;
      const button = document.createElement("button");
      button.className = "copy";
      button.textContent = "copy";
      button.addEventListener("click", async () => {
        try {
          await copy(pre);
          button.textContent = "copied";
        } catch {
          button.textContent = "not copied";
        }
        setTimeout(() => { button.textContent = "copy"; }, 2000);
      });
      box.classList.add("copied");
      box.append(button);
    }
  };
  document.addEventListener("conformance-loaded", (event) => addTo(event.target));
  addTo(document);
})();
