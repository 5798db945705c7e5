"use strict";
for (const table of document.querySelectorAll("table")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.key ?? row.cells[column].textContent.trim();
      const compare = (one, other) => {
        const [left, right] = [key(one), key(other)];
        const numbers = left !== "" && right !== "" && !isNaN(left) && !isNaN(right);
        return numbers ? left - right : left.localeCompare(right, "en", { numeric: true });
      };
      const rows = Array.from(body.rows).sort(compare);
      body.append(...(down ? rows.reverse() : rows));
    });
  });
}
