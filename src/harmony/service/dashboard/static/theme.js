// Runs before the page is painted: says that scripts work, and applies the theme that was chosen.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = localStorage.getItem("harmony-theme");
  if (kept) root.dataset.theme = kept;
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`);
    };
    button.hidden = false;
    label();
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      localStorage.setItem("harmony-theme", root.dataset.theme);
      label();
      document.dispatchEvent(new Event("recolour"));
    });
    system.addEventListener("change", () => {
      label();
      document.dispatchEvent(new Event("recolour"));
    });
  });
})();
