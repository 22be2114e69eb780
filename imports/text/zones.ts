/** Names of time zones, as files have them. */

/** Whether there is a zone, by its name in small letters. */
const known = new Map<string, boolean>()
/** Names that are looked up at most, which takes half a millisecond each: there are 600. */
const mostNames = 5000
const longestName = 100

/** The name of a zone that the service knows; `undefined` for anything else. */
export function zoneOf(name: string | undefined): string | undefined {
  if (name === undefined || name.length > longestName || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name))
    return undefined
  const key = name.toLowerCase()
  let is = known.get(key)
  if (is === undefined) {
    if (known.size >= mostNames) return undefined
    known.set(key, (is = isZone(key)))
  }
  return is ? name : undefined
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Hours by names that mean one offset everywhere. */
const fixed: Readonly<Record<string, number>> = {
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

/** Hours by names that mean different offsets in different countries. */
const shared: Readonly<Record<string, readonly number[]>> = {
  CST: [-6, 8, -5],
  IST: [5.5, 1, 2],
  BST: [1, 6],
  AST: [-4, 3]
}

/** Returns the offsets (hours) that a name such as `CST` may mean. */
export function sharedOffsets(name: string): readonly number[] {
  const key = name.toUpperCase()
  return Object.hasOwn(shared, key) ? shared[key]! : []
}

/**
 * Reads a time zone: `UTC`, `GMT+2`, `UTC+0200`, `+02:00`, `CEST`, `Europe/Zurich`. Returns an offset such as `+02:00` or an IANA
 * name, `undefined` for anything else.
 */
export function parseZone(text: string): string | undefined {
  const plain = text.trim().replace('\u2212', '-')
  if (plain.length > 60) return undefined
  const name = plain.toUpperCase()
  if (Object.hasOwn(fixed, name)) return offsetText(fixed[name]! * 60)
  const offset = /^(?:UTC|GMT)? ?([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(plain)
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? 0)
    return minutes <= 15 * 60 ? offsetText(offset[1] === '-' ? -minutes : minutes) : undefined
  }
  return plain.includes('/') ? zoneOf(plain) : undefined
}

/** Writes an offset (minutes) as `+02:00`. */
export function offsetText(minutes: number): string {
  const away = Math.abs(minutes)
  const hours = String(Math.floor(away / 60)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${hours}:${String(away % 60).padStart(2, '0')}`
}
