/**
 * The devices from which a user has signed in, as far as a service can recognise them without marking them: a kind of
 * browser and system at a network. Digests are stored, of the latest ones only. (docs/spec/notices.md#devices)
 */
import { createHash } from 'node:crypto'
import type { Credentials } from '../../call/credentials.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { getWideNetwork } from '../../security/network.js'

/** Browsers by a part of their `User-Agent`, which may contain the parts of browsers that come later in this list. */
const browsers: readonly (readonly [string, string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari']
]

const operatingSystems: readonly (readonly [string, string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux']
]

/** Maximum number of characters of a `User-Agent` that are searched. */
const maxAgentLength = 1000

/**
 * Returns the browser and the system: `Firefox, Linux`; a dash for any other program. The client's own text is never
 * copied: an attacker could write a part of the mail.
 */
export function describeAgent(userAgent: unknown): string {
  const text = typeof userAgent === 'string' ? userAgent.slice(0, maxAgentLength) : ''
  const words = [browsers, operatingSystems].flatMap(
    names => names.find(([part]) => text.includes(part))?.[1] ?? []
  )
  return words.length === 0 ? unknownLabel : words.join(', ')
}

/** Returns the browser and the system of a client, like {@link describeAgent}; empty for any other program. */
export function describeBrowser({ headers }: Pick<Credentials, 'headers'>): string {
  const words = describeAgent(headers?.['user-agent'])
  return words === unknownLabel ? '' : words
}

/** Shown for an unknown value. */
export const unknownLabel = '–'

/** The state's name. */
const name = 'devices'
/** Maximum number of stored devices, the most recently used first. */
const maxDevices = 30

/**
 * Records the device of a sign-in. Returns whether the device is new although others are known: the first device is not
 * announced, as it is the user's own. Must run within a transaction.
 */
export function recordDevice(store: UserStore, credentials: Pick<Credentials, 'headers' | 'ip'>): boolean {
  const known = (store.signIn.getState(name) as readonly string[] | undefined) ?? []
  const device = digestDevice(credentials)
  if (known[0] === device) return false
  store.signIn.setState(name, [device, ...known.filter(other => other !== device)].slice(0, maxDevices))
  return known.length > 0 && !known.includes(device)
}

function digestDevice({ headers, ip }: Pick<Credentials, 'headers' | 'ip'>): string {
  const subject = `${describeAgent(headers?.['user-agent'])} ${getWideNetwork(ip)}`
  return createHash('sha256').update(subject).digest('base64url').slice(0, 22)
}
