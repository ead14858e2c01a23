import { pageHeader } from "@holdfast/protocol";

/** What a login link opens: a button, so that nothing that only looks at links uses it up. */
export const loginPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Log in · Holdfast</title>
<link rel="icon" href="/assets/needs-0.svg">
<link rel="stylesheet" href="/login.css">
<script src="/login.js" defer></script>
</head>
<body>
<main>
<h1>Holdfast</h1>
<p id="said" role="status">Let this browser in?</p>
<p id="hint" hidden>A link works once, for ten minutes. A new one comes from the machine that
runs this host:</p>
<pre id="command" hidden>npx holdfast login-link</pre>
<button id="login">Log in</button>
</main>
</body>
</html>
`;

export const loginStyle = `:root { color-scheme: light dark; }
body {
  margin: 0;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  background: light-dark(#f6f7f9, #101216);
  color: light-dark(#1b1f27, #e7eaf0);
}
main {
  max-width: 26rem;
  margin: 18vh auto 0;
  padding: 2rem;
  border: 1px solid light-dark(#dfe3ea, #2a2f3a);
  border-radius: 12px;
  background: light-dark(#fff, #171a20);
}
h1 { margin: 0 0 0.5rem; font-size: 1.25rem; }
p { margin: 0 0 1rem; }
pre {
  margin: 0 0 1rem;
  padding: 0.5rem 0.75rem;
  border-radius: 6px;
  background: light-dark(#eef0f4, #0d0f13);
}
button {
  display: inline-block;
  padding: 0.5rem 1rem;
  border: 0;
  border-radius: 7px;
  font: inherit;
  font-weight: 600;
  color: #fff;
  background: #2f4bd8;
  cursor: pointer;
}
[hidden] { display: none; }
:focus-visible { outline: 3px solid light-dark(#2f4bd8, #8fa2ff); outline-offset: 2px; }
`;

/**
 * The code stands behind the #, where no server and no log sees it, and is taken off at once.
 * Other pages of this browser are told, so that they go on where the login before was over.
 */
export const loginScript = `const code = location.hash.slice(1);
history.replaceState(null, "", "/login");
const ids = ["said", "hint", "command", "login"];
const [said, hint, command, login] = ids.map((id) => document.getElementById(id));
const others = new BroadcastChannel("holdfast-login");

async function post(path, body) {
  const headers = { "content-type": "application/json", "${pageHeader}": "login" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const read = await answer.json();
  if (!answer.ok) throw new Error(read.detail + " " + (read.remedy ?? ""));
  return read;
}

function showHint() {
  for (const each of [hint, command]) each.hidden = false;
}

function tell(asking) {
  asking.catch((error) => {
    said.textContent = error.message;
    showHint();
  });
}

if (code === "") {
  said.textContent = "This browser is let in by a login link.";
  login.hidden = true;
  showHint();
}

login.addEventListener("click", () => tell(post("/login", { code }).then(({ name, role }) => {
  said.textContent = "Logged in as " + name + " (" + role + ").";
  others.postMessage("in");
  location.replace("/");
})));
`;
