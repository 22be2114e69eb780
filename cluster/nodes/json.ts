/** Reads what other processes have written as JSON, whatever it may be. */

/** The object that the bytes stand for; `undefined` if they stand for none. */
export function readJson(bytes: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
