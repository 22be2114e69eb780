/** Integrity values recomputed from a client's data: a reference that shares no code with the service. */
import { createHash } from 'node:crypto'
import type { Answer } from './coffer.js'

/** Returns the integrity value of an event, an earlier version or a deletion, as a client computes it. */
export function eventSeal(event: Answer): string {
  const copy = structuredClone(event)
  for (const key of ['integrity', 'headId', 'tags', 'endTime', 'streamId']) delete copy[key]
  if (!copy.duration) delete copy.duration
  if (!copy.trashed) delete copy.trashed
  for (const attachment of copy.attachments ?? []) delete attachment.readToken
  return seal('EVENT', copy, event.integrity)
}

/** Returns the integrity value of an access. */
export function accessSeal(access: Answer): string {
  const copy = structuredClone(access)
  for (const key of ['integrity', 'lastUsed', 'calls', 'apiEndpoint', 'user']) delete copy[key]
  return seal('ACCESS', copy, access.integrity)
}

/** Returns the digest of a file's bytes, in the form used in attachments. */
export function fileSeal(bytes: string | Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('base64')}`
}

function seal(kind: string, item: Answer, given: string | undefined): string {
  const algorithm = /:(\w+)-/.exec(given ?? '')?.[1] ?? 'sha256'
  const digest = createHash(algorithm).update(stable(item)).digest('base64')
  return `${kind}:0:${algorithm}-${digest}`
}

function stable(value: Answer): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`
  if (typeof value === 'string') {
    let text = ''
    for (let i = 0; i < value.length; i++) text += one(value[i]!)
    return `"${text}"`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const kept = Object.keys(value).filter(key => value[key] !== null && value[key] !== undefined)
  kept.sort()
  return `{${kept.map(key => `${stable(key)}:${stable(value[key])}`).join(',')}}`
}

/** Ranges of code units that are escaped. */
const hidden = [
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x600, 0x604],
  [0x70f, 0x70f],
  [0x17b4, 0x17b5],
  [0x200c, 0x200f],
  [0x2028, 0x202f],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xffff]
] as const

function one(character: string): string {
  const code = character.charCodeAt(0)
  if (hidden.some(([from, to]) => code >= from && code <= to))
    return `\\u${code.toString(16).padStart(4, '0')}`
  return code >= 0xd800 && code <= 0xdfff ? character : JSON.stringify(character).slice(1, -1)
}
