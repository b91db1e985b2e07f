const done = arguments[arguments.length - 1];
const bound = arguments[0];
let finished = false;
const finish = (value) => {
  if (finished) return;
  finished = true;
  stop();
  clearTimeout(timer);
  done(value);
};
const everything = () => [document.body.textContent, ...deep('*').filter((element) => element.shadowRoot)
  .map((element) => element.shadowRoot.textContent)].join('\n').slice(0, 4000);
const look = () => {
  let value = false;
  try { value = EXPRESSION; } catch (error) { value = false; }
  if (value) finish([value]);
};
const timer = setTimeout(() => finish(everything()), bound);
const stop = everyChange(look);
look();
