/**
 * The ids of accesses as clients see them: `{base}` until the first update, then `{base}:{serial}`.
 * (docs/spec/accesses.md#versions)
 */
import type { Access } from '../schemas/access.js'

/** The parts of an access's id on the wire. */
export interface WireId {
  /** The id that the access was created with. */
  readonly base: string
  /** The number of the version; `undefined` before the first update. */
  readonly serial: number | undefined
}

/** Returns the id of the current version of an access. */
export function formatWireId({ id, serial }: Pick<Access, 'id' | 'serial'>): string {
  return serial === undefined ? id : `${id}:${serial}`
}

/** Splits an id that a client has sent; `undefined` if it is malformed. */
export function parseWireId(text: string): WireId | undefined {
  const [base = '', serial, ...more] = text.split(':')
  if (base === '' || more.length > 0) return undefined
  if (serial === undefined) return { base, serial }
  const number = /^[1-9][0-9]*$/.test(serial) ? Number(serial) : Infinity
  return Number.isSafeInteger(number) ? { base, serial: number } : undefined
}

/** Returns the id without the number of a version, for comparisons: it names the same access in all its versions. */
export function getBaseId(wireId: string): string {
  return wireId.split(':', 1)[0]!
}

/** Returns an access as clients see it: the id contains the number of the version, which is no longer a member of its own. */
export function toWireAccess<A extends Pick<Access, 'id' | 'serial'>>(access: A): Omit<A, 'serial'> {
  if (access.serial === undefined) return access
  const { serial: _stored, ...rest } = access
  return { ...rest, id: formatWireId(access) }
}
