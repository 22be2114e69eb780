/**
 * Throttles guessing of secrets, and bulk registrations. (docs/spec/limits.md#guessing) Written by hand because
 * rate-limiter-flexible uses `Date.now` and one timer for each key, which tests cannot control, and its block times do
 * not grow.
 */
import { BoundedMap } from './bounded-map.js'
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import { isLoopback, getNetwork, getWideNetwork } from './network.js'
import { truncateText } from '../truncate-text.js'
import { limitWait, type Clock } from '../time.js'

/** An attempt at a secret. */
export interface Guess {
  /** What is guessed at; the subjects of an account end in its name: `login:alice`. */
  readonly subject: string
  /** The guesser's address. */
  readonly ip: string
  /** Set for look-ups, which are not sign-in attempts: their failures delay only other look-ups from the address. */
  readonly isLookUp?: true
}

/**
 * Counts failures by subject and address, by address, and by account; too many make further attempts wait, longer each
 * time. Failures of look-ups make only look-ups from their address wait, a minute at most. Failures by account may come
 * from anyone: they make others wait a minute at most, and never an address that has succeeded before, so that users
 * are not locked out of their accounts.
 */
export interface Throttle {
  /** Throws `too-many-requests` with `retryAfter` while an attempt has to wait. */
  check(guess: Guess): void
  /** Counts a failure. */
  failed(guess: Guess): void
  /**
   * Resets the failures of this subject and address. The failures of the address stay: signing in to one's own account
   * must not reset the failures at others.
   */
  succeeded(guess: Guess): void
  /** Resets all failures at an account, from every address. */
  forget(username: string): void
  /**
   * Counts a registration. Throws `too-many-requests` after too many from one address. Returns a function that undoes
   * the count.
   */
  register(ip: string): () => void
  /**
   * Counts a look-up of a user name or email address. Throws `too-many-requests` after too many from one address, or from
   * all addresses of its network (/24, /48).
   */
  lookUp(ip: string): void
  /** Counts an OAuth client that registers itself. Throws `too-many-requests` after too many from one address. */
  registerClient(ip: string): void
  /** Counts an authorisation request. Throws `too-many-requests` after too many from one address. */
  ask(ip: string): void
  /**
   * Counts a call without the token that it needs, or with an unknown token or key. After too many such calls from one
   * address, throws `too-many-requests` instead of counting. Valid tokens never have to wait, so that guessing does not
   * lock others out.
   */
  unknownToken(ip: string): void
  /**
   * Counts an attempt to retrieve a shared secret of an account, known or not, successful or not. Throws
   * `too-many-requests` after too many from one address within a minute. All attempts at an account run in one thread,
   * so others need not know of them.
   */
  retrieveSecret(username: string, ip: string): void
  /**
   * Counts a use of the operator's key. Throws `too-many-requests`, even for the right key, while its address has to
   * wait because of wrong ones: a minute at most, since the operator may share the address.
   */
  operator(ip: string, isRight: boolean): void
}

interface Failures {
  count: number
  /** Seconds: when the counted failures expire, and until when the next attempt has to wait. */
  expiresAt: number
  waitUntil: number
}

/** A count of events that begins again at a time (seconds). */
interface TimedCount {
  count: number
  readonly endsAt: number
}

/** Maximum number of entries in each map; the least recently used go first. */
const maxEntries = 50_000
/** The first wait, in seconds; each further failure doubles it. */
const firstWait = 2
/** The longest wait for failures that others may have caused, in seconds. */
const maxSharedWait = 60
const hour = 3600
/** Look-ups of a network (/24, /48), as a multiple of the look-ups of one address. */
const networkLookUpFactor = 4

/**
 * Creates a throttle that counts attempts in memory. Loopback addresses are not limited in what is counted by
 * the hour.
 */
export function createThrottle(
  { access, oauth, throttle, registration, sharedSecrets }: Config,
  clock: Clock
): Throttle {
  const bySubject = new BoundedMap<string, Failures>(maxEntries)
  const byAddress = new BoundedMap<string, Failures>(maxEntries)
  const byAccount = new BoundedMap<string, Failures>(maxEntries)
  /** Subjects and addresses that have succeeded. */
  const succeededBefore = new BoundedMap<string, true>(maxEntries)
  const unknownTokens = new BoundedMap<string, Failures>(maxEntries)
  const wrongKeys = new BoundedMap<string, Failures>(maxEntries)
  const registrations = new BoundedMap<string, TimedCount>(maxEntries)
  const requests = new BoundedMap<string, TimedCount>(maxEntries)
  const clients = new BoundedMap<string, TimedCount>(maxEntries)
  const lookUps = new BoundedMap<string, TimedCount>(maxEntries)
  const retrievals = new BoundedMap<string, TimedCount>(maxEntries)

  const assertNotThrottled = (failures: Failures | undefined): void => {
    const now = clock.now()
    const seconds = Math.ceil(limitWait(failures?.waitUntil ?? 0, now, throttle.window) - now)
    if (seconds > 0) refuse(seconds)
  }
  const count = (
    cache: BoundedMap<string, Failures>,
    key: string,
    limit: number,
    longest = throttle.window
  ): void => {
    const now = clock.now()
    const known = cache.get(key)
    const failures = known && known.expiresAt > now ? known : { count: 0, expiresAt: 0, waitUntil: 0 }
    failures.count++
    const excess = failures.count - limit
    const wait = excess < 0 ? 0 : Math.min(firstWait * 2 ** excess, longest)
    failures.waitUntil = now + wait
    failures.expiresAt = now + wait + throttle.window
    cache.set(key, failures)
  }
  /** Counts one more event under a key; returns a function that undoes the count. */
  const countWithin = (
    counts: BoundedMap<string, TimedCount>,
    key: string,
    { limit, seconds }: { readonly limit: number; readonly seconds: number }
  ): (() => void) => {
    const now = clock.now()
    const known = counts.get(key)
    const current =
      known && limitWait(known.endsAt, now, seconds) > now ? known : { count: 0, endsAt: now + seconds }
    if (current.count >= limit) refuse(Math.ceil(current.endsAt - now))
    current.count++
    counts.set(key, current)
    return () => void current.count--
  }
  /** Counts one more event of an address in this hour. Loopback addresses are not counted. */
  const countHourly = (counts: BoundedMap<string, TimedCount>, ip: string, limit: number): (() => void) =>
    isLoopback(ip) ? () => {} : countWithin(counts, getNetwork(ip), { limit, seconds: hour })
  return {
    check(guess) {
      assertNotThrottled(bySubject.get(getSubjectKey(guess)))
      assertNotThrottled(byAddress.get(getAddressKey(guess)))
      if (!succeededBefore.get(getSubjectKey(guess))) assertNotThrottled(byAccount.get(shortenSubject(guess)))
    },
    failed(guess) {
      count(bySubject, getSubjectKey(guess), throttle.failures)
      count(byAddress, getAddressKey(guess), throttle.perAddress, guess.isLookUp ? maxSharedWait : undefined)
      if (concernsAccount(guess)) count(byAccount, shortenSubject(guess), throttle.perAccount, maxSharedWait)
    },
    succeeded(guess) {
      bySubject.delete(getSubjectKey(guess))
      succeededBefore.set(getSubjectKey(guess), true)
    },
    forget(username) {
      for (const known of [bySubject, byAccount, succeededBefore])
        for (const key of known.keys()) if (key.endsWith(`:${username}`)) known.delete(key)
    },
    register: ip => countHourly(registrations, ip, registration.maxPerHour),
    lookUp(ip) {
      if (isLoopback(ip)) return
      countHourly(lookUps, ip, registration.maxLookupsPerHour)
      countHourly(lookUps, getWideNetwork(ip), registration.maxLookupsPerHour * networkLookUpFactor)
    },
    registerClient: ip => void countHourly(clients, ip, oauth.maxClientsPerHour),
    ask: ip => void countHourly(requests, ip, access.maxRequestsPerHour),
    unknownToken(ip) {
      assertNotThrottled(unknownTokens.get(getNetwork(ip)))
      count(unknownTokens, getNetwork(ip), throttle.invalidTokens)
    },
    retrieveSecret(username, ip) {
      const limit = sharedSecrets.maxTriesPerMinute
      countWithin(retrievals, `${getNetwork(ip)} ${username}`, { limit, seconds: 60 })
    },
    operator(ip, isRight) {
      assertNotThrottled(wrongKeys.get(getNetwork(ip)))
      if (isRight) wrongKeys.delete(getNetwork(ip))
      else count(wrongKeys, getNetwork(ip), throttle.invalidTokens, maxSharedWait)
    }
  }
}

function getSubjectKey(guess: Guess): string {
  return `${getNetwork(guess.ip)} ${shortenSubject(guess)}`
}

function getAddressKey({ ip, isLookUp }: Guess): string {
  return isLookUp ? `${getNetwork(ip)} look-ups` : getNetwork(ip)
}

/** Shortens long subjects, which come from clients. */
function shortenSubject({ subject }: Guess): string {
  return subject.length > maxSubjectLength ? truncateText(subject, maxSubjectLength) : subject
}

const maxSubjectLength = 100

function concernsAccount({ subject }: Guess): boolean {
  return subject.includes(':')
}

function refuse(retryAfter: number): never {
  throw new ApiError('too-many-requests', undefined, { retryAfter })
}
