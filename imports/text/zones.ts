/** Parses names of time zones. */

/** Whether zones exist, by name in lower case. */
const zoneCache = new Map<string, boolean>()
/** Maximum number of names that are looked up, which takes half a millisecond each. There are 600 zones. */
const maxNames = 5000
const maxNameLength = 100

/**
 * Returns the name if it is a known zone; `undefined` for anything else. Caches which names are zones; beyond
 * the maximum number, new names count as unknown.
 */
export function findZone(name: string | undefined): string | undefined {
  if (name === undefined || name.length > maxNameLength || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name))
    return undefined
  const key = name.toLowerCase()
  let exists = zoneCache.get(key)
  if (exists === undefined) {
    if (zoneCache.size >= maxNames) return undefined
    zoneCache.set(key, (exists = isKnownZone(key)))
  }
  return exists ? name : undefined
}

function isKnownZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Offsets in hours of unambiguous abbreviations. */
const offsetsByName: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  ZULU: 0,
  WET: 0,
  WEST: 1,
  CET: 1,
  MEZ: 1,
  CEST: 2,
  MESZ: 2,
  HNEC: 1,
  HAEC: 2,
  EET: 2,
  OEZ: 2,
  EEST: 3,
  OESZ: 3,
  MSK: 3,
  EST: -5,
  EDT: -4,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
  SAST: 2,
  JST: 9,
  KST: 9,
  AEST: 10,
  AEDT: 11,
  ACST: 9.5,
  ACDT: 10.5,
  AWST: 8,
  NZST: 12,
  NZDT: 13
}

/** Possible offsets in hours of ambiguous abbreviations. */
const ambiguousOffsets: Readonly<Record<string, readonly number[]>> = {
  CST: [-6, 8, -5],
  IST: [5.5, 1, 2],
  BST: [1, 6],
  AST: [-4, 3]
}

/**
 * Returns the offsets (hours) that an abbreviation such as `CST` may mean. Returns an empty list for others.
 */
export function findAmbiguousOffsets(name: string): readonly number[] {
  const key = name.toUpperCase()
  return Object.hasOwn(ambiguousOffsets, key) ? ambiguousOffsets[key]! : []
}

/**
 * Parses a time zone: `UTC`, `GMT+2`, `UTC+0200`, `+02:00`, `CEST`, `Europe/Zurich`. Returns an offset such as `+02:00` or an IANA
 * name; `undefined` for anything else.
 */
export function parseZone(text: string): string | undefined {
  const plain = text.trim().replace('\u2212', '-')
  if (plain.length > 60) return undefined
  const name = plain.toUpperCase()
  if (Object.hasOwn(offsetsByName, name)) return formatOffset(offsetsByName[name]! * 60)
  const offset = /^(?:UTC|GMT)? ?([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(plain)
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0)
    return minutes <= 15 * 60 && Number(offset[3] ?? 0) < 60
      ? formatOffset(offset[1] === '-' ? -minutes : minutes)
      : undefined
  }
  return plain.includes('/') ? findZone(plain) : undefined
}

/** Formats an offset (minutes) as hours and minutes, such as `+02:00`. */
export function formatOffset(minutes: number): string {
  const absolute = Math.abs(minutes)
  const hours = String(Math.floor(absolute / 60)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${hours}:${String(absolute % 60).padStart(2, '0')}`
}
