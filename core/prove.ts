/** Proof of a password: throttled, and as slow for those who do not exist. (security: guessing, telling whether an account exists) */
import { fail } from './errors.js'
import type { Core, Credentials } from './method.js'

/**
 * Raises `invalid-credentials` unless the password has this hash; without a hash it never does, after the same work.
 * Failures count against the user name and the address. Those already waiting for their turn are refused too, once the
 * failures before them were too many: many attempts at once are no way around.
 */
export async function mustKnowPassword(
  { passwords, throttle }: Core,
  { ip }: Credentials,
  username: string,
  password: string,
  hash: string | undefined
): Promise<void> {
  const guess = { subject: `login:${username}`, ip }
  const guard = {
    check: () => throttle.check(guess),
    settled: (isRight: boolean) => (isRight ? throttle.succeeded(guess) : throttle.failed(guess))
  }
  guard.check()
  const isRight =
    hash === undefined
      ? await passwords.verifyNothing(password, guard)
      : await passwords.verify(hash, password, guard)
  if (!isRight) fail('invalid-credentials')
}
