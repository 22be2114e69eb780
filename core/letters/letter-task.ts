/**
 * Sends the weekly letters: one mail for each week, and none twice. A mail that may have been handed over before a crash is not sent
 * again. (docs/api/letter.md#when-it-is-sent)
 */
import type { StoredLetter } from '../../schemas/plans/letter.js'
import { formatDate } from '../../schemas/zones.js'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { getConfirmedAddress } from '../account/email/address.js'
import type { Services } from '../call/services.js'
import { queueMessage } from '../channels/queue-message.js'
import { writeAsService } from '../cmc/service-calls.js'
import { createToken } from '../ids.js'
import type { Message } from '../outgoing/mail/message.js'
import { getAccountUrl, getAppPageUrl } from '../service-info.js'
import type { TimedTask } from '../timers/timed-task.js'
import { readWeek, type Week } from './read-week.js'
import { findNextLetter, getLetterWeek, retryDelays } from './schedule.js'
import { digestAddress, getDueTime, isTokenCurrent, sendsLetters } from './settings.js'
import { getLetterTexts } from './texts.js'
import { writeLetter } from './write-letter.js'

/** Sends the letter of an account when it is due. */
export class LetterTask implements TimedTask {
  readonly name = 'letters'

  constructor(private readonly services: Services) {}

  findNext({ letter }: UserStore, { deletion }: Account): number | undefined {
    const stored = deletion === null ? letter.find() : undefined
    return stored?.isOn === true ? getDueTime(stored) : undefined
  }

  /**
   * Sends the letter that is due, and tells channels that it is ready. Notes that a week is done if there is
   * nothing to send, or if an earlier attempt was interrupted, which may have sent it; plans another attempt
   * if the mail fails.
   */
  async run(account: Account): Promise<void> {
    const { accounts, clock, mailer } = this.services
    const store = accounts.openStore(account)
    const due = store.read(() => store.letter.find())
    if (due?.isOn !== true || getDueTime(due) > clock.now()) return
    const stored = await this.#renewToken(account, due)
    const last = getLetterWeek(stored, clock.now())
    const isUnsure = stored.sending === last
    const week = isUnsure ? undefined : await this.#readWeek(account, stored, last)
    if (week) await this.#tell(account, stored, last)
    const message = week && this.#buildMessage(account, stored, { last, week })
    if (!message) return await this.#finish(account, last)
    const isStarted = await this.#update(account, letter =>
      letter.isOn && letter.sending !== last && letter.next === stored.next
        ? { ...letter, sending: last }
        : undefined
    )
    if (!isStarted) return
    const result = await mailer.attempt(message)
    if (result === 'failed') await this.#postpone(account, last)
    else await this.#finish(account, last)
  }

  /**
   * Returns the letter with a token for the address to which it goes now, which is stored: the links in mails
   * to others must not count.
   */
  async #renewToken(account: Account, letter: StoredLetter): Promise<StoredLetter> {
    const store = this.services.accounts.openStore(account)
    const address = store.read(() => getConfirmedAddress(store))
    const addressDigest = address === undefined ? undefined : digestAddress(address)
    if (addressDigest === undefined || addressDigest === letter.addressDigest) return letter
    const token = isTokenCurrent(letter, address) ? letter.token : createToken()
    await this.#update(account, current =>
      current.token === letter.token ? { ...current, addressDigest, token } : undefined
    )
    return store.read(() => store.letter.find()) ?? letter
  }

  /** Returns the week; `undefined` if it has no data. */
  async #readWeek(account: Account, { zone }: StoredLetter, last: number): Promise<Week | undefined> {
    const week = await readWeek(this.services, account, { last, zone })
    return week.measures.every(({ days }) => days === 0) ? undefined : week
  }

  /** Tells channels that the letter is ready, once: without data, as anyone may see it. */
  async #tell(account: Account, { channelIds = [], language }: StoredLetter, last: number): Promise<void> {
    if (channelIds.length === 0 || !this.services.config.channels.enabled) return
    const { ready, readyText } = getLetterTexts(language)
    await writeAsService(this.services, account, call =>
      queueMessage(call, {
        key: `letter:${last}`,
        channelIds,
        title: ready,
        text: readyText,
        urgency: 'low',
        page: `letter?to=${formatDate(last)}`,
        source: { kind: 'letter', id: formatDate(last) }
      })
    )
  }

  /** Returns the mail; `undefined` if none can be sent. */
  #buildMessage(
    account: Account,
    stored: StoredLetter,
    { last, week }: { readonly last: number; readonly week: Week }
  ): Message | undefined {
    const { accounts, config } = this.services
    if (stored.byMail === false || !sendsLetters(this.services)) return undefined
    const store = accounts.openStore(account)
    const email = store.read(() => getConfirmedAddress(store))
    if (email === undefined) return undefined
    const { language, showsValues, token } = stored
    const { username } = accounts.toOwn(account)
    const to = formatDate(last)
    const unsubscribe = new URL(`${config.publicUrl}/access/letter-off.html`)
    unsubscribe.searchParams.set('username', username)
    // The token is in the fragment, which browsers do not send to servers.
    unsubscribe.hash = `token=${token}`
    const { text, title } = writeLetter(week, { language, last, showsValues })
    return {
      kind: 'letter',
      accountId: account.id,
      username,
      email,
      language,
      substitutions: {
        USERNAME: username,
        TITLE: title,
        TEXT: text,
        LINK: getAppPageUrl(config, username, `letter?to=${to}`),
        SETTINGS_LINK: getAppPageUrl(config, username, 'letter'),
        UNSUBSCRIBE_LINK: unsubscribe.href
      },
      unsubscribe: `${getAccountUrl(config, username)}letter/unsubscribe/${token}`
    }
  }

  /** Plans another attempt, unless there have been too many. */
  async #postpone(account: Account, last: number): Promise<void> {
    const now = this.services.clock.now()
    await this.#update(account, ({ retry: _retry, sending: _sending, ...letter }) => {
      const { attempts = 0 } = letter
      const delay = retryDelays[attempts]
      if (delay === undefined) return finish(letter, last, now)
      return { ...letter, attempts: attempts + 1, retry: now + delay }
    })
  }

  async #finish(account: Account, last: number): Promise<void> {
    const now = this.services.clock.now()
    await this.#update(account, letter => finish(letter, last, now))
  }

  /** Changes the stored letter. Returns false if `change` returns `undefined`, which changes nothing. */
  async #update(
    account: Account,
    change: (letter: StoredLetter) => StoredLetter | undefined
  ): Promise<boolean> {
    return await writeAsService(this.services, account, ({ changes, store }) => {
      const letter = store.letter.find()
      const changed = letter && change(letter)
      if (changed) store.letter.put(changed)
      changes.add('timers')
      return changed !== undefined
    })
  }
}

/** Returns the letter once a week is done. */
function finish(
  { attempts: _attempts, retry: _retry, sending: _sending, ...letter }: StoredLetter,
  last: number,
  now: number
): StoredLetter {
  const done = { ...letter, last: Math.max(last, letter.last ?? -Infinity) }
  return { ...done, next: findNextLetter(done, now) }
}
