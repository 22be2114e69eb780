/** Texts of messages that the service itself sends, in the language of the user. */
import type { UserStore } from '../../storage/user/user-store.js'

interface Texts {
  readonly test: string
  readonly testText: (service: string) => string
  readonly more: (count: number) => string
  readonly moreText: (limit: number) => string
}

/** The languages of texts. */
const languages = ['en', 'de', 'fr'] as const
export type TextLanguage = (typeof languages)[number]

const all: Readonly<Record<TextLanguage, Texts>> = {
  en: {
    test: 'Test notification',
    testText: service => `Notifications from ${service} will look like this.`,
    more: count => (count === 1 ? '1 more notification' : `${count} more notifications`),
    moreText: limit => `This channel gets at most ${limit} notifications per hour.`
  },
  de: {
    test: 'Testbenachrichtigung',
    testText: service => `So sehen Benachrichtigungen von ${service} aus.`,
    more: count => (count === 1 ? '1 weitere Benachrichtigung' : `${count} weitere Benachrichtigungen`),
    moreText: limit => `Dieser Kanal erhält höchstens ${limit} Benachrichtigungen pro Stunde.`
  },
  fr: {
    test: 'Notification de test',
    testText: service => `Les notifications de ${service} ressembleront à ceci.`,
    more: count => (count === 1 ? '1 autre notification' : `${count} autres notifications`),
    moreText: limit => `Ce canal reçoit au plus ${limit} notifications par heure.`
  }
}

/** Returns the language set in the user's account; empty if there is none. */
export function getLanguage(store: UserStore): string {
  const language = store.account.field('language')
  return typeof language === 'string' ? language : ''
}

/** Returns the language of texts for the user: the one of the account if there are texts in it, or else English. */
export function getTextLanguage(store: UserStore): TextLanguage {
  const own = getLanguage(store).slice(0, 2).toLowerCase()
  return languages.find(each => each === own) ?? 'en'
}

/** Returns the texts in the language of the user. */
export function getChannelTexts(store: UserStore): Texts {
  return all[getTextLanguage(store)]
}
