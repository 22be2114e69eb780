/** `letter.unsubscribe`: turns the weekly letter off with the token of a mail. (docs/api/letter.md#turning-it-off) */
import { Type } from 'typebox'
import { digestSecret } from '../../../schemas/secret-digest.js'
import { getConfirmedAddress } from '../../account/email/address.js'
import { anyone } from '../../auth/allow.js'
import { method, type ServiceCall } from '../../call/method.js'
import { fail } from '../../errors.js'
import { isTokenCurrent } from '../../letters/settings.js'

/**
 * Turns the letter off; does nothing if it is off. Needs no other token, so that mail programs can call it
 * (RFC 8058). The token allows nothing else. Throws `invalid-access-token` for an unknown one: guesses are
 * counted.
 */
export const unsubscribe = method({
  id: 'letter.unsubscribe',
  summary: 'Turn the weekly letter off with the token of a mail',
  // Mail programs send a form, whose fields are ignored.
  params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
  result: Type.Object({}),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyone,
  auditActor: 'public',
  run(call, { token }) {
    const { account, changes, services, store } = call
    const guess = toGuess(call, account.username)
    services.throttle.check(guess)
    const letter = store.letter.find()
    const isKnown = letter !== undefined && digestSecret(letter.token) === digestSecret(token)
    if (!isKnown || !isTokenCurrent(letter, getConfirmedAddress(store)))
      return refuseToken(call, account.username)
    services.throttle.succeeded(guess)
    store.letter.put({ ...letter, isOn: false })
    changes.add('timers')
    return {}
  },
  handleUnknownUser(call, username) {
    call.services.throttle.check(toGuess(call, username))
    return refuseToken(call, username)
  }
})

function toGuess({ credentials }: ServiceCall, username: string): { subject: string; ip: string } {
  return { subject: `letter:${username}`, ip: credentials.ip }
}

function refuseToken(call: ServiceCall, username: string): never {
  call.services.throttle.failed(toGuess(call, username))
  fail('invalid-access-token', 'The token is unknown')
}
