/** The random secrets that the service signs with, made when it first starts. */
import { randomBytes } from 'node:crypto'
import type { Services } from '../call/services.js'

/** Names of the secrets. */
const secretNames = ['readToken', 'passkeyChallenge', 'webPush'] as const

/** Creates the secrets that do not exist yet. Concurrent callers all get the secrets that were created first. */
export async function createSecrets({ platform }: Pick<Services, 'platform'>): Promise<void> {
  const missing = secretNames.filter(name => platform.secrets.find(name) === undefined)
  if (missing.length === 0) return
  const made = missing.map(name => ({ name, value: randomBytes(32).toString('base64url') }))
  await platform.change('addSecrets', made)
}

/** Returns a secret. Throws if {@link createSecrets} has not created it. */
export function getSecret(
  { platform }: Pick<Services, 'platform'>,
  name: (typeof secretNames)[number]
): string {
  const secret = platform.secrets.find(name)
  if (secret === undefined) throw new Error(`The secret "${name}" has not been made`)
  return secret
}
