// The token of the server, which only its own page has.

/** Where the page keeps the token: only pages of the same address and port can read it. */
const TOKEN = "refit-token";

/**
 * The token, which the first address has. It is kept for this page's other tabs and its reloads; a cookie would reach
 * every server of this machine.
 */
export function ownToken(): string {
  const given = new URLSearchParams(location.search).get("token");
  try {
    if (given) localStorage.setItem(TOKEN, given);
    return given ?? localStorage.getItem(TOKEN) ?? "";
  } catch {
    // Without storage the token lasts as long as the page.
    return given ?? "";
  }
}
