import { pageHeader } from "@holdfast/protocol";

/** What a login link opens: a button, so that nothing that only looks at links uses it up. */
export const loginPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Holdfast</title>
<script src="/login.js" defer></script>
</head>
<body>
<h1>Holdfast</h1>
<p id="said" role="status">Let this browser in?</p>
<button id="login">Log in</button>
<button id="logout" hidden>Log out</button>
</body>
</html>
`;

/** The code stands behind the #, where no server and no log sees it, and is taken off at once. */
export const loginScript = `const code = location.hash.slice(1);
history.replaceState(null, "", "/login");
const [said, login, logout] = ["said", "login", "logout"].map((id) => document.getElementById(id));

async function post(path, body) {
  const headers = { "content-type": "application/json", "${pageHeader}": "login" };
  const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const read = await answer.json();
  if (!answer.ok) throw new Error(read.detail + " " + (read.remedy ?? ""));
  return read;
}

function tell(asking) {
  asking.catch((error) => {
    said.textContent = error.message;
  });
}

login.addEventListener("click", () => tell(post("/login", { code }).then(({ name, role }) => {
  said.textContent = "Logged in as " + name + " (" + role + ").";
  login.hidden = true;
  logout.hidden = false;
})));

logout.addEventListener("click", () => tell(post("/logout", {}).then(() => {
  said.textContent = "Logged out.";
  logout.hidden = true;
})));
`;
