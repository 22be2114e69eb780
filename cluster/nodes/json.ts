/** Parses untrusted JSON of other processes. */

/** Parses an object; `undefined` if the bytes are not a JSON object. */
export function readJson(bytes: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
