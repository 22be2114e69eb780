/** The names of accounts across servers: a user name and a host, and the slug of both. (docs/spec/consent.md#names) */
import type { Call } from '../call/method.js'
import type { Config } from '../settings/config.js'
import { getAccountUrl } from '../service-info.js'
import type { Person } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { refuseContent } from './failures.js'

/** Returns the name under which an account takes part. */
export function getOwnName(config: Config, username: string): Person {
  const host = config.domain || new URL(getAccountUrl(config, username)).hostname
  return { username, host: host.toLowerCase() }
}

/**
 * Returns the name under which the account of a call takes part. Error: `cmc-invalid-event-content` for a name that allows no
 * slug, and for callers who must not learn the name: peers would tell them. (docs/spec/usernames.md#aliases)
 */
export function requireOwnName({ account, services }: Call, eventType: string): Person {
  const self = getOwnName(services.config, account.username)
  if (account.alias !== undefined || createSlug(self) === undefined)
    refuseContent(eventType, [`"${self.username}@${self.host}" cannot take part`])
  return self
}

const partPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Returns the slug of an account, which is part of stream ids; `undefined` if its name allows none. */
export function createSlug({ host, username }: Person): string | undefined {
  const parts = [username.toLowerCase(), host.toLowerCase().replace(/:\d+$/, '').replaceAll('.', '-')]
  return parts.every(part => partPattern.test(part)) ? parts.join('--') : undefined
}

/** Returns whether two names are those of one account. */
export function isSamePerson(a: Person, b: Person): boolean {
  return (
    a.username.toLowerCase() === b.username.toLowerCase() && a.host.toLowerCase() === b.host.toLowerCase()
  )
}

/** Reads a name from a peer's content; `undefined` if it has another form. */
export function readPerson(value: unknown): Person | undefined {
  if (!isObject(value)) return undefined
  const { host, username } = value
  if (typeof host !== 'string' || typeof username !== 'string') return undefined
  const person = { username: username.toLowerCase(), host: host.toLowerCase().replace(/:\d+$/, '') }
  return createSlug(person) === undefined ? undefined : person
}
