/** The weekly letter: a mail about the last seven days. (docs/api/letter.md) */
import { Type, type Static } from 'typebox'
import { closed, Identifier } from '../scalars.js'

/** Languages in which letters are written. */
const letterLanguages = ['en', 'de', 'fr'] as const

const settings = {
  isOn: Type.Boolean(),
  /** 1 is Monday. */
  weekday: Type.Integer({ minimum: 1, maximum: 7 }),
  /** Local time in `zone`. */
  time: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' }),
  zone: Type.String({ maxLength: 64 }),
  language: Type.Enum([...letterLanguages]),
  /** Whether the mail holds the letter itself, rather than a link to it. */
  showsValues: Type.Boolean()
}

/** Ways besides the mail. */
const ways = {
  /** Whether it comes by mail, if the service sends mails and the account has a confirmed address. */
  byMail: Type.Boolean(),
  /** Channels that tell that the letter is ready. */
  channelIds: Type.Array(Identifier, { maxItems: 10 })
}

/** What the user has chosen. */
export const LetterSettings = Type.Object({ ...settings, ...ways }, closed)
export type LetterSettings = Static<typeof LetterSettings>

/** A day, counted from 1 January 1970. */
const Day = Type.Integer({ minimum: 0, maximum: 1_000_000 })
/** In seconds. */
const Time = Type.Number({ minimum: 0, maximum: 1e11 })

/** A letter as it is stored. */
export const StoredLetter = Type.Object(
  {
    ...settings,
    ...Type.Partial(Type.Object(ways)).properties,
    /** What the link in mails proves: it turns the letter off, and allows nothing else. */
    token: Type.String({ pattern: '^[\\w-]{20,100}$' }),
    /** Digest of the address to which the token has been sent: the token is that of this address only. */
    addressDigest: Type.Optional(Type.String({ pattern: '^[\\w-]{43}$' })),
    /** When the next letter is due, in seconds. */
    next: Time,
    /** The last day of the last week that is done, counted from 1 January 1970, whether or not a mail was sent. */
    last: Type.Optional(Day),
    /** The last day of the week whose mail is being handed over to the mail server. */
    sending: Type.Optional(Day),
    /** Number of attempts of this week's mail that have failed. */
    attempts: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    /** When the next attempt is due, in seconds. */
    retry: Type.Optional(Time)
  },
  closed
)
export type StoredLetter = Static<typeof StoredLetter>
