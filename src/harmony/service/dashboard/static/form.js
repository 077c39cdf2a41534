// Shows the plan of the survey while its form is filled in.
(() => {
  const form = document.getElementById("survey-form");
  const plan = document.getElementById("plan");
  let timer = 0;
  let latest = 0;

  async function ask() {
    const mine = ++latest;
    const fields = new URLSearchParams(new FormData(form));
    const answer = await fetch("/new-survey/plan", { method: "POST", body: fields });
    if (mine !== latest || !answer.ok) return;
    plan.innerHTML = await answer.text();
  }

  const named = () => form.elements.name.value && [...form.querySelectorAll("[name=attribute_name]")].every((one) => one.value);
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (named()) ask(); }, 350);
  });
  if (named()) ask();
})();
