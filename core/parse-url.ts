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

/** An http or https URL as RFC 3986 has it: two slashes, and a host. */
const webPattern = /^https?:\/\/[^/\\?#]+(?:[/?#]|$)/i
/** Characters that parsers drop or encode. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const invalidCharacters = /[\u0000-\u0020\u007f]/

/**
 * Parses text as an http or https URL; `undefined` if it is none. Unlike `parseUrl`, refuses `https:example.com`, `https:/\example.com`
 * and the like: what reads them as relative, or as text, would see another host than the parser.
 */
export function parseWebUrl(text: string): URL | undefined {
  return webPattern.test(text) && !invalidCharacters.test(text) ? parseUrl(text) : undefined
}
