/** Verifies passwords: throttled, and as slow for users who do not exist. (docs/spec/limits.md#guessing) */
import { fail } from '../errors.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'

/**
 * Whether the password has this hash; without a hash always false, after the same work. Failures count against the user
 * name and the address. Queued attempts are refused too (`too-many-requests`) once those before them have failed too often,
 * so that parallel attempts cannot get around the limit.
 */
export async function verifyPassword(
  { passwords, throttle }: Services,
  { ip }: Credentials,
  username: string,
  password: string,
  hash: string | undefined
): Promise<boolean> {
  const guess = { subject: `login:${username}`, ip }
  const hooks = {
    check: () => throttle.check(guess),
    settled: (isRight: boolean) => (isRight ? throttle.succeeded(guess) : throttle.failed(guess))
  }
  hooks.check()
  return hash === undefined
    ? await passwords.verifyDummy(password, hooks)
    : await passwords.verify(hash, password, hooks)
}

/** Throws `invalid-credentials` unless the password has this hash; see {@link verifyPassword}. */
export async function assertPassword(
  services: Services,
  credentials: Credentials,
  username: string,
  password: string,
  hash: string | undefined
): Promise<void> {
  if (!(await verifyPassword(services, credentials, username, password, hash))) fail('invalid-credentials')
}
