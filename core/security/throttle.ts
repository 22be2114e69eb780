/**
 * Slows down those who guess, and those who register without end. (docs/spec/limits.md#guessing)
 *
 * By our own hand: rate-limiter-flexible keeps time by `Date.now` and one timer a key, which tests cannot move, and its
 * blocks do not grow.
 */
import { BoundedMap } from './bounded-map.js'
import type { Config } from '../settings/config.js'
import { ApiError } from '../errors.js'
import { isLoopback, networkOf } from './network.js'
import { shortened } from '../short-text.js'
import type { Clock } from '../time.js'

/** An attempt at something secret. */
export interface Guess {
  /** What is guessed at; what belongs to an account ends in its name: `login:alice`. */
  readonly subject: string
  /** The guesser's address. */
  readonly ip: string
}

/**
 * Counts failures by subject and address, by address alone, and by account alone; too many make further attempts wait, ever
 * longer. Those of an account, which may come from anywhere, make it wait a minute at most, and never where its password was
 * known before: nobody keeps others out of their own account.
 */
export interface Throttle {
  /** Raises `too-many-requests` with `retryAfter` while an attempt has to wait. */
  check(guess: Guess): void
  /** Notes a failure. */
  failed(guess: Guess): void
  /** Forgets the failures of this subject and address. Those of the address stay: one's own account must not wash them off. */
  succeeded(guess: Guess): void
  /** Forgets all failures that have to do with an account, whatever the address. */
  forget(username: string): void
  /** Notes a registration; raises `too-many-requests` for too many from one address. Answers the function that takes it back. */
  register(ip: string): () => void
  /** Notes a look-up of who is there; raises `too-many-requests` for too many from one address. */
  lookUp(ip: string): void
  /** Notes an authorisation request; raises `too-many-requests` for too many from one address. */
  ask(ip: string): void
  /**
   * Notes a call without the token that it needs, or with a token or key that does not exist; raises `too-many-requests`
   * in its place after too many from one address. Those that do exist never wait: somebody's guesses lock nobody out.
   */
  unknownToken(ip: string): void
  /**
   * Notes a use of the operator's key; raises `too-many-requests`, whether it is right or not, while its address has to
   * wait for wrong ones: a minute at most, since the operator may be at the same one.
   */
  operator(ip: string, isRight: boolean): void
}

interface Failures {
  count: number
  /** Seconds: when they are forgotten, and until when the next attempt has to wait. */
  forgottenAt: number
  waitUntil: number
}

interface Hour {
  count: number
  readonly endsAt: number
}

/** Subjects and addresses remembered; those unseen for longest go first. */
const remembered = 50_000
/** The first wait, in seconds; each further failure doubles it. */
const firstWait = 2
/** The longest wait for what others may have done, in seconds. */
const longestForOthers = 60
const hour = 3600

export function createThrottle({ access, throttle, registration }: Config, clock: Clock): Throttle {
  const bySubject = new BoundedMap<string, Failures>(remembered)
  const byAddress = new BoundedMap<string, Failures>(remembered)
  const byAccount = new BoundedMap<string, Failures>(remembered)
  /** Subjects and addresses that have succeeded. */
  const familiar = new BoundedMap<string, true>(remembered)
  const strays = new BoundedMap<string, Failures>(remembered)
  const wrongKeys = new BoundedMap<string, Failures>(remembered)
  const registrations = new BoundedMap<string, Hour>(remembered)
  const requests = new BoundedMap<string, Hour>(remembered)
  const lookUps = new BoundedMap<string, Hour>(remembered)

  const mustNotWait = (failures: Failures | undefined): void => {
    const seconds = Math.ceil((failures?.waitUntil ?? 0) - clock.now())
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
    const failures = known && known.forgottenAt > now ? known : { count: 0, forgottenAt: 0, waitUntil: 0 }
    failures.count++
    const excess = failures.count - limit
    const wait = excess < 0 ? 0 : Math.min(firstWait * 2 ** excess, longest)
    failures.waitUntil = now + wait
    failures.forgottenAt = now + wait + throttle.window
    cache.set(key, failures)
  }
  /** Counts one more in this hour; answers the function that takes it back. This very machine is not counted. */
  const countHourly = (hours: BoundedMap<string, Hour>, ip: string, limit: number): (() => void) => {
    if (isLoopback(ip)) return () => {}
    const now = clock.now()
    const known = hours.get(networkOf(ip))
    const current = known && known.endsAt > now ? known : { count: 0, endsAt: now + hour }
    if (current.count >= limit) refuse(Math.ceil(current.endsAt - now))
    current.count++
    hours.set(networkOf(ip), current)
    return () => void current.count--
  }
  return {
    check(guess) {
      mustNotWait(bySubject.get(keyOf(guess)))
      mustNotWait(byAddress.get(networkOf(guess.ip)))
      if (!familiar.get(keyOf(guess))) mustNotWait(byAccount.get(subjectOf(guess)))
    },
    failed(guess) {
      count(bySubject, keyOf(guess), throttle.failures)
      count(byAddress, networkOf(guess.ip), throttle.perAddress)
      if (isOfAccount(guess)) count(byAccount, subjectOf(guess), throttle.perAccount, longestForOthers)
    },
    succeeded(guess) {
      bySubject.delete(keyOf(guess))
      familiar.set(keyOf(guess), true)
    },
    forget(username) {
      for (const known of [bySubject, byAccount, familiar])
        for (const key of known.keys()) if (key.endsWith(`:${username}`)) known.delete(key)
    },
    register: ip => countHourly(registrations, ip, registration.maxPerHour),
    lookUp: ip => void countHourly(lookUps, ip, registration.maxLookupsPerHour),
    ask: ip => void countHourly(requests, ip, access.maxRequestsPerHour),
    unknownToken(ip) {
      mustNotWait(strays.get(networkOf(ip)))
      count(strays, networkOf(ip), throttle.invalidTokens)
    },
    operator(ip, isRight) {
      mustNotWait(wrongKeys.get(networkOf(ip)))
      if (isRight) wrongKeys.delete(networkOf(ip))
      else count(wrongKeys, networkOf(ip), throttle.invalidTokens, longestForOthers)
    }
  }
}

function keyOf(guess: Guess): string {
  return `${networkOf(guess.ip)} ${subjectOf(guess)}`
}

/** Subjects come from outside, as long as anybody likes. */
function subjectOf({ subject }: Guess): string {
  return subject.length > longestSubject ? shortened(subject, longestSubject) : subject
}

const longestSubject = 100

function isOfAccount({ subject }: Guess): boolean {
  return subject.includes(':')
}

function refuse(retryAfter: number): never {
  throw new ApiError('too-many-requests', undefined, { retryAfter })
}
