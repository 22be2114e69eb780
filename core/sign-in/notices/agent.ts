/** Describes clients in words that can be used in mails. */

import type { Credentials } from '../../call/credentials.js'

/** Browsers by a part of their `User-Agent`, which may contain the parts of browsers that come later in this list. */
const browsers: readonly (readonly [string, string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari']
]

const operatingSystems: readonly (readonly [string, string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux']
]

/** Maximum number of characters of a `User-Agent` that are searched. */
const maxAgentLength = 1000

/**
 * Returns the browser and the system: `Firefox, Linux`; a dash for any other program. The client's own text is never
 * copied: an attacker could write a part of the mail.
 */
export function describeAgent(userAgent: unknown): string {
  const text = typeof userAgent === 'string' ? userAgent.slice(0, maxAgentLength) : ''
  const words = [browsers, operatingSystems].flatMap(
    names => names.find(([part]) => text.includes(part))?.[1] ?? []
  )
  return words.length === 0 ? unknownLabel : words.join(', ')
}

/** Returns the browser and the system of a client, like {@link describeAgent}; empty for any other program. */
export function describeBrowser({ headers }: Pick<Credentials, 'headers'>): string {
  const words = describeAgent(headers?.['user-agent'])
  return words === unknownLabel ? '' : words
}

/** Shown for an unknown value. */
export const unknownLabel = '–'
