/**
 * The devices from which a user has signed in, as far as a service can recognise them without marking them: a kind of
 * browser and system at a network. Digests are stored, of the latest ones only. (docs/spec/notices.md#devices)
 */
import { createHash } from 'node:crypto'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Credentials } from '../../call/credentials.js'
import { getWideNetwork } from '../../security/network.js'
import { describeAgent } from './agent.js'

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
