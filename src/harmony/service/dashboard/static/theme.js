// Runs before the page is painted: says that scripts work, and applies the theme that was chosen.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const inFrame = window !== top; // there the colours are the system's, and storage may be refused
  const kept = inFrame ? null : localStorage.getItem("harmony-theme");
  if (kept) root.dataset.theme = kept;
  const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";

  const recolour = () => document.dispatchEvent(new Event("recolour"));
  system.addEventListener("change", recolour);

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
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
      recolour();
    });
    system.addEventListener("change", label);
  });
})();
