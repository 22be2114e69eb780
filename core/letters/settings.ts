/** The user's choices for the weekly letter, and whether it can be sent. (docs/api/letter.md) */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { LetterSettings, type StoredLetter } from '../../schemas/plans/letter.js'
import { orNull, Timestamp } from '../../schemas/scalars.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getConfirmedAddress, normalizeAddress } from '../account/email/address.js'
import type { Call } from '../call/method.js'
import { getTextLanguage } from '../channels/texts.js'

/** The letter as methods return it. */
export const ShownLetter = Type.Object({
  ...LetterSettings.properties,
  /** When the next mail is due; `null` if the letter is off. */
  next: orNull(Timestamp),
  /** The confirmed address to which it goes; `null` if there is none. */
  address: orNull(Type.String()),
  /** Whether the service sends mails. */
  hasMail: Type.Boolean()
})

/** Returns the settings; the defaults before the first change. */
export function getLetterSettings(store: UserStore): LetterSettings {
  const stored = store.letter.find()
  if (stored) {
    const { byMail = true, channelIds = [], isOn, language, showsValues, time, weekday, zone } = stored
    return { isOn, weekday, time, zone, language, showsValues, byMail, channelIds }
  }
  const language = getTextLanguage(store)
  const rhythm = { weekday: 1, time: '08:00', zone: 'UTC' }
  return { isOn: false, ...rhythm, language, showsValues: false, byMail: true, channelIds: [] }
}

/** Returns the letter as methods return it. */
export function showLetter({ services, store }: Pick<Call, 'services' | 'store'>): object {
  const stored = store.letter.find()
  return {
    letter: {
      ...getLetterSettings(store),
      next: stored?.isOn === true ? getDueTime(stored) : null,
      address: getConfirmedAddress(store) ?? null,
      hasMail: sendsLetters(services)
    }
  }
}

/** Returns when there is something to do, in seconds. */
export function getDueTime({ next, retry }: StoredLetter): number {
  return retry ?? next
}

/** Returns whether the service sends letters: it needs a mail server, and the operator can turn them off. */
export function sendsLetters({ mailer }: Pick<Call['services'], 'mailer'>): boolean {
  return mailer.hasServer && mailer.sends('letter')
}

/**
 * Returns the digest by which a letter remembers an address. Notations of the same address have the same
 * digest.
 */
export function digestAddress(address: string): string {
  return createHash('sha256')
    .update(`letter ${normalizeAddress(address)}`)
    .digest('base64url')
}

/**
 * Returns whether the link in mails still turns the letter off: not if they went to a former address. True
 * for letters that have noted no address yet.
 */
export function isTokenCurrent({ addressDigest }: StoredLetter, address: string | undefined): boolean {
  return addressDigest === undefined || (address !== undefined && addressDigest === digestAddress(address))
}
