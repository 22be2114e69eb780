/**
 * The devices from which a user has signed in, as far as a service can know them without marking them: a kind of browser and
 * system at a network. Digests are kept, of the latest ones only. (docs/spec/notices.md#devices)
 */
import { createHash } from 'node:crypto'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Credentials } from '../../call/credentials.js'
import { getWideNetwork } from '../../security/network.js'
import { describeAgent } from './agent.js'

/** The state's name. */
const name = 'devices'
/** Number of devices that are kept, the latest used first. */
const maxDevices = 30

/**
 * Notes the device of a sign-in. Returns whether others are known, but not this one: nobody is told of the first, as that is
 * the person themselves. Must run within a write.
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
