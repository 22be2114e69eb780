/** Names this browser, as the channel of a device is called: `Firefox, Android`. */

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari']
] as const
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux']
] as const

/** Returns the names of the browser and the system; a general name if neither is known. */
export function describeThisDevice(): string {
  const found = [browsers, systems].flatMap(
    names => names.find(([part]) => navigator.userAgent.includes(part))?.[1] ?? []
  )
  return found.join(', ') || 'Web Push'
}
