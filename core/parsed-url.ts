/** URLs of callers. */

/**
 * A text as URL; `undefined` if it is none. `URL.canParse` is not to be asked: once it has been called often, the engine
 * answers for other characters than those of the text (Node 20).
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
