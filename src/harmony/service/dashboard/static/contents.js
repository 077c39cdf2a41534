// Finds attributes and values on a survey's page by what their names contain, and opens or closes all attributes.
(() => {
  const holds = (text, wanted) => text.toLocaleLowerCase().includes(wanted);
  const wish = (input) => input.value.trim().toLocaleLowerCase();

  const find = document.getElementById("find-attribute");
  if (find) {
    const cards = [...document.querySelectorAll("section.attribute")];
    const links = [...document.querySelectorAll(".contents li")];
    const found = document.getElementById("found");
    find.addEventListener("input", () => {
      const wanted = wish(find);
      cards.forEach((card, place) => {
        card.hidden = !holds(card.dataset.name, wanted);
        links[place].hidden = card.hidden;
      });
      const left = cards.filter((card) => !card.hidden);
      found.textContent = wanted ? `${left.length} of ${cards.length}` : "";
      if (wanted && left.length === 1) left[0].querySelector("details").open = true;
    });
    const all = (open) => () => cards.forEach((card) => { card.querySelector("details").open = open; });
    document.getElementById("open-all").addEventListener("click", all(true));
    document.getElementById("close-all").addEventListener("click", all(false));
  }

  // A link to an attribute opens it.
  const follow = () => {
    const details = document.querySelector(`#${CSS.escape(location.hash.slice(1))} > details`);
    if (details) details.open = true;
  };
  addEventListener("hashchange", follow);
  if (location.hash) follow();

  for (const input of document.querySelectorAll("[data-filters]")) {
    const table = document.getElementById(input.dataset.filters);
    const filter = () => {
      for (const row of table.querySelectorAll("tbody tr")) row.hidden = !holds(row.cells[0].textContent, wish(input));
    };
    input.addEventListener("input", filter);
    new MutationObserver(filter).observe(table, { childList: true }); // live updates bring new rows
  }
})();
