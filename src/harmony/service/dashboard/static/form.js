// Shows what to expect of a survey, a training or an exploration while its form is filled in.
(() => {
  const form = document.getElementById("creation");
  const plan = document.getElementById("plan");
  let timer = 0;
  let latest = 0;

  async function ask() {
    const mine = ++latest;
    const fields = new URLSearchParams(new FormData(form));
    const answer = await fetch(form.dataset.plan, { method: "POST", body: fields });
    if (mine !== latest || !answer.ok) return;
    plan.innerHTML = await answer.text();
  }

  const named = () => [...form.querySelectorAll("[name=name], [name=attribute_name], [name=text]")].every((one) => one.value);
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (named()) ask(); }, 350);
  });
  if (named()) ask();
})();
