/** `letter.update`: turns the weekly letter on or off, and says when and how it is sent. (docs/api/letter.md) */
import { Type } from 'typebox'
import { LetterSettings, type StoredLetter } from '../../../schemas/plans/letter.js'
import { closed } from '../../../schemas/scalars.js'
import { getConfirmedAddress } from '../../account/email/address.js'
import { personalOnly } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { requireOwnChannel } from '../../channels/rules.js'
import { fail } from '../../errors.js'
import { createToken } from '../../ids.js'
import { findNextLetter } from '../../letters/schedule.js'
import { getLetterSettings, sendsLetters, ShownLetter, showLetter } from '../../letters/settings.js'
import { assertZone } from '../../validation/zones.js'

/**
 * Changes the given settings, and returns all. Plans the next letter. Throws `invalid-operation` if the
 * letter could not reach the user.
 */
export const update = method({
  id: 'letter.update',
  summary: 'Change the settings of the weekly letter',
  params: Type.Object({ update: Type.Partial(LetterSettings, closed) }, closed),
  result: Type.Object({ letter: ShownLetter }),
  mode: 'write',
  mayExceedQuota: true,
  allow: personalOnly,
  async prepare({ account, services }, { update: { isOn } }) {
    if (isOn === true) await services.timers.mark(account)
  },
  run(call, { update: given }) {
    const { changes, now, store } = call
    assertZone(given.zone, '#/update/zone')
    for (const id of given.channelIds ?? []) requireOwnChannel(call, id)
    const before = store.letter.find()
    const settings = { ...getLetterSettings(store), ...given }
    if (settings.isOn && ['isOn', 'byMail', 'channelIds'].some(name => name in given))
      assertWay(call, settings)
    const { last } = before ?? {}
    const letter = { ...settings, ...(last !== undefined && { last }), ...keepToken(before, given) }
    store.letter.put({ ...letter, next: findNextLetter(letter, now), ...keepAttempt(before, settings) })
    changes.add('timers')
    return showLetter(call)
  }
})

/**
 * Returns the token of the letter, a new one if it is turned on again: the links in earlier mails no longer
 * count then.
 */
function keepToken(
  before: StoredLetter | undefined,
  { isOn }: Partial<LetterSettings>
): Pick<StoredLetter, 'addressDigest' | 'token'> {
  if (!before || (isOn === true && !before.isOn)) return { token: createToken() }
  const { addressDigest, token } = before
  return { token, ...(addressDigest !== undefined && { addressDigest }) }
}

/** Checks that the letter can reach the user. */
function assertWay({ services, store }: Call, { byMail, channelIds }: LetterSettings): void {
  if (channelIds.length > 0) return
  if (!byMail) fail('invalid-operation', 'The letter needs a channel, or mail')
  if (!sendsLetters(services)) fail('invalid-operation', 'This service sends no mail')
  if (getConfirmedAddress(store) === undefined)
    fail('invalid-operation', 'The account has no confirmed email address')
}

/**
 * Returns what stays of a mail in progress. A mail that is being handed over must not be sent again. One that
 * is due, or has failed, is still sent, unless it is due at another time now.
 */
function keepAttempt(
  before: StoredLetter | undefined,
  { isOn, time, weekday, zone }: LetterSettings
): Partial<StoredLetter> {
  if (!before) return {}
  const { attempts, next, retry, sending } = before
  const isSame = before.time === time && before.weekday === weekday && before.zone === zone
  const isKept = before.isOn && isOn && isSame
  return {
    ...(sending !== undefined && { sending }),
    ...(isKept && { next }),
    ...(isKept && retry !== undefined && { retry }),
    ...(isKept && attempts !== undefined && { attempts })
  }
}
