/** Parses URLs from callers. */

/**
 * Returns a text as URL; `undefined` if it is not one. `URL.canParse` must not be used: after many calls Node 20 returns
 * wrong results for it, as its optimised version reads other characters than those of the text.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
