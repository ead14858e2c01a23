/** More than these are shown as "9+". */
const shownMax = 9;

/** The mark in the browser's tab, with how many questions are open. */
export function pageIcons(): Readonly<Record<string, string>> {
  const counts = Array.from({ length: shownMax + 2 }, (_, count) => count);
  return Object.fromEntries(counts.map((count) => [`needs-${count}.svg`, iconOf(count)]));
}

function iconOf(count: number): string {
  const text = count > shownMax ? `${shownMax}+` : `${count}`;
  const mark =
    count === 0
      ? ""
      : `<circle cx="22" cy="10" r="10" fill="#d97706"/>
  <text x="22" y="14.6" text-anchor="middle" font-family="system-ui, sans-serif"
    font-weight="700" font-size="13" fill="#fff">${text}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="#2f4bd8"/>
  <path d="M10 8v16M22 8v16M10 16h12" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/>
  ${mark}
</svg>
`;
}
