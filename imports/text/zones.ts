/** Names of time zones, as files have them. */

const known = new Map<string, string | undefined>()

/** The name of a zone that the service knows; `undefined` for anything else. */
export function zoneOf(name: string | undefined): string | undefined {
  if (name === undefined || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined
  if (!known.has(name)) {
    if (known.size > 1000) known.clear()
    known.set(name, isZone(name) ? name : undefined)
  }
  return known.get(name)
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
