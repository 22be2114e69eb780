/** Parses URLs from callers. */

/**
 * Parses text as a URL; `undefined` if the text is no URL. `URL.canParse` must not be used: after many calls Node 20
 * returns wrong results for it, as its optimised version reads other characters than those of the text.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
