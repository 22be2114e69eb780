/**
 * Keeps the copies of an account up to date: each at regular times, and as soon as the other server tells of a change. What is due is in
 * the account's file, so whichever process serves an account goes on with it. (docs/api/mirrors.md#how-it-is-kept-up-to-date)
 */
import { isNoLongerServed } from '../../storage/errors.js'
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'
import type { ChangeKind } from '../changes.js'
import { parseEndpoint, type Endpoint, type PeerCalls } from '../cmc/peers/peer-calls.js'
import { findRelationship } from '../cmc/relationships.js'
import { writeAsService, writeStepsAsService } from '../cmc/service-calls.js'
import { removeOrphans } from '../events/attachment-sweep.js'
import { ConcurrencyLimiter } from '../outgoing/concurrency.js'
import type { TimedTask } from '../timers/timed-task.js'
import { copyParts, findDue } from './copied-parts.js'
import { isOpen, loadMirror, type CopyContext } from './copy-context.js'
import { copyMirror } from './copy-mirror.js'
import { endMirror, eraseCopy } from './ends.js'
import { askForNotices, stopNotices } from './notices.js'
import { toFailedOutcome, getPause, pollSeconds, toFailure, type Outcome } from './outcomes.js'
import { PeerAway, PeerFailed, PermissionEnded } from './peer-answers.js'
import { parseProgress } from './progress.js'
import { reportErasure, reportReads } from './reports.js'

/** Maximum number of mirrors of an account that are being copied, and of those of one host. */
const maxPerAccount = 8
const maxPerHost = 2
const concurrency = 16
const maxPerSecond = 100
/** Maximum number of mirrors whose files are being copied. */
const maxFiles = 8
/**
 * Number of contacts that follow each other without a pause until a copy is up to date: enough for the largest one. A server may have
 * something new forever.
 */
const maxContacts = 1000
/** Seconds for which an erasure is reported to the owner. */
const maxTellingSeconds = 30 * 86_400
/**
 * Seconds for which another server has to say that the permission has ended: a proxy that drops a header, or a directory that is down,
 * may say the same for a moment.
 */
const refusalSeconds = 60
/** The same after a fault of this service. */
const faultDelay = 30

/** Makes the contacts of the mirrors of accounts that this process serves: 16 at a time, 8 for one account and 2 for one host. */
export class MirrorCopies implements TimedTask {
  readonly name = 'mirrors'
  /** A relationship may have ended. */
  readonly kinds: readonly ChangeKind[] = ['accesses']
  readonly #limiter = new ConcurrencyLimiter({
    concurrency,
    perSecond: maxPerSecond,
    limitFor: () => maxPerHost
  })
  readonly #fileLimiter = new ConcurrencyLimiter({
    concurrency: maxFiles,
    perSecond: maxPerSecond,
    limitFor: () => maxPerHost
  })
  /** Mirrors whose files are being copied. */
  readonly #withFiles = new Set<string>()
  /** Mirrors that are being copied, by account. */
  readonly #copying = new Map<string, Set<string>>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(
    private readonly services: Services,
    private readonly getPeers: () => PeerCalls
  ) {}

  /**
   * Returns when the next mirror is due that is not being copied, in seconds; `undefined` if there is none,
   * or if enough are being copied.
   */
  findNext({ mirrors }: UserStore, { deletion, id }: Account): number | undefined {
    if (!this.services.config.cmc.enabled || deletion !== null || !mirrors.isUsed) return undefined
    const copying = this.#copying.get(id)
    const count = copying?.size ?? 0
    // The end of a copy wakes the account.
    if (count >= maxPerAccount) return undefined
    return mirrors.listDue(count + 1).find(each => !copying?.has(each.id))?.next
  }

  isBusy(id: string): boolean {
    return (this.#copying.get(id)?.size ?? 0) > 0
  }

  /** Starts what is due, and returns whether there was any. Does not wait for it: one server that hangs must not delay the others. */
  run(account: Account): Promise<boolean> {
    const copying = this.#copying.get(account.id) ?? new Set()
    this.#copying.set(account.id, copying)
    const store = this.services.accounts.openStore(account)
    const now = this.services.clock.now()
    const before = this.#running.size
    for (const { id, next } of store.read(() => store.mirrors.listDue(2 * maxPerAccount))) {
      if (next > now || copying.size >= maxPerAccount) break
      if (copying.has(id)) continue
      copying.add(id)
      const work = this.#copy(account, id, () => {
        if (this.#isClosed) return
        copying.delete(id)
        this.services.timers.wake(account)
      })
      this.#running.add(work)
      void work.finally(() => this.#running.delete(work))
    }
    return Promise.resolve(this.#running.size > before)
  }

  /** Stops; what is being copied goes on at the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#limiter.close()
    this.#fileLimiter.close()
    await Promise.all(this.#running)
  }

  /** Makes one contact, and calls `end` once the next may begin. Never rejects. */
  async #copy(account: Account, id: string, end: () => void): Promise<void> {
    const { clock, log } = this.services
    try {
      await this.#advance(account, id)
      if (this.services.accounts.openStore(account).attachments.hasOrphans)
        await removeOrphans(this.services, account)
      end()
    } catch (cause) {
      if (this.#isClosed || isNoLongerServed(cause)) return end()
      log.error('a mirror could not be copied', { accountId: account.id, cause })
      // Nothing is recorded, so it must not be repeated at once.
      clock.after(faultDelay, end)
    }
  }

  /** Does what is next for a mirror, by its state: erases the copy, tells the peer so, or contacts the peer. */
  async #advance(account: Account, id: string): Promise<void> {
    const store = this.services.accounts.openStore(account)
    const stored = store.read(() => store.mirrors.find(id))
    if (!stored) return
    const { state } = stored.mirror
    if (state === 'erasing') return await eraseCopy(this.services, account, id)
    if (state === 'erased') return await this.#tellErasure(account, stored)
    const mark = store.read(() => findRelationship({ store }, stored.mirror.accessId)?.mark)
    if (!mark) return await this.#end(account, id, 'relationship-ended')
    const endpoint = parseEndpoint(mark.counterparty.apiEndpoint ?? '')
    if (!endpoint) return await this.#record(account, stored, toFailedOutcome({ id: 'odd-response' }))
    const pause = this.getPeers().pauses.getLeft(endpoint)
    if (pause > 0) return await this.#wait(account, id, pause)
    await this.#limiter.run([`host ${endpoint.host}`], () => this.#contact(account, stored, endpoint))
    this.#startFiles(this.#createContext(account, id, endpoint))
  }

  #createContext(account: Account, id: string, endpoint: Endpoint): CopyContext {
    const { services } = this
    return { services, account, peers: this.getPeers(), endpoint, id, isStopped: () => this.#isClosed }
  }

  /** Starts to copy files. Contacts do not wait for slow servers and large files. */
  #startFiles(context: CopyContext): void {
    const { account, id, services } = context
    const hasFailed = loadMirror(context)?.mirror.error !== undefined
    if (this.#isClosed || hasFailed || this.#withFiles.has(id) || !findDue(context, 'files')) return
    this.#withFiles.add(id)
    const work = this.#copyFiles(context)
      .catch(async (cause: unknown) => {
        if (this.#isClosed || isNoLongerServed(cause)) return
        if (cause instanceof PeerAway && cause.retryAfter > 0) await this.#wait(account, id, cause.retryAfter)
        if (toFailure(cause)) return
        services.log.error('files of a copy could not be copied', { accountId: account.id, cause })
      })
      .finally(() => this.#withFiles.delete(id))
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Makes the next contact of a mirror after a number of seconds, unless it ends. */
  async #wait(account: Account, id: string, seconds: number): Promise<void> {
    await writeAsService(this.services, account, ({ changes, now, store: { mirrors } }) => {
      if (isOpen(mirrors.find(id)?.mirror)) mirrors.wake(id, now + seconds)
      changes.add('timers')
    })
  }

  async #copyFiles(context: CopyContext): Promise<void> {
    const keys = [`host ${context.endpoint.host}`]
    while (
      (await this.#fileLimiter.run(keys, () => copyParts(context, 'files'))) === false &&
      !this.#isClosed
    );
  }

  /**
   * Brings a copy up to date, reports reads, and records the outcome. A permission that is refused for long enough
   * ends the copy.
   */
  async #contact(account: Account, stored: StoredMirror, endpoint: Endpoint): Promise<void> {
    const { id } = stored.mirror
    const context = this.#createContext(account, id, endpoint)
    try {
      const isComplete = await copyMirror(context)
      if (isComplete && !this.#isClosed) {
        await reportReads(context)
        await askForNotices(context)
      }
      if (!this.#isClosed) await this.#record(account, stored, { isComplete })
    } catch (error) {
      if (this.#isClosed) return
      if (error instanceof PermissionEnded) {
        const { refused = Infinity } = parseProgress(stored)
        if (this.services.clock.now() - refused >= refusalSeconds)
          return await this.#end(account, id, 'revoked')
        return await this.#record(account, stored, {
          error: { id: 'refused', status: error.status },
          retryAfter: refusalSeconds,
          isPermissionEnded: true
        })
      }
      const outcome = toFailure(error)
      if (!outcome) throw error
      await this.#record(account, stored, outcome)
    }
  }

  async #end(account: Account, id: string, reason: 'relationship-ended' | 'revoked'): Promise<void> {
    await writeStepsAsService(this.services, account, function* (call) {
      const stored = call.store.mirrors.find(id)
      if (stored) yield* endMirror(call, stored, reason)
    })
    await eraseCopy(this.services, account, id)
  }

  /** Tells the owner that the copy is erased, as often as necessary, for 30 days at most. */
  async #tellErasure(account: Account, stored: StoredMirror): Promise<void> {
    const { id } = stored.mirror
    const endpoint = parseEndpoint(parseProgress(stored).farewell ?? '')
    const context = { services: this.services, account, peers: this.getPeers(), id }
    let isTold = !endpoint
    let outcome = toFailedOutcome({ id: 'unreachable' })
    try {
      if (endpoint)
        await this.#limiter.run([`host ${endpoint.host}`], async () => {
          await reportErasure({ ...context, endpoint })
          await stopNotices({ ...context, endpoint })
        })
      isTold = true
    } catch (error) {
      if (!(error instanceof PeerFailed)) throw error
      outcome = toFailedOutcome(error.reason, error.retryAfter)
    }
    if (this.#isClosed) return
    await writeAsService(this.services, account, ({ changes, now, store }) => {
      const current = store.mirrors.find(id)
      if (!current) return
      const failures = parseProgress(current).failures + 1
      const isLate = now - (current.mirror.erased ?? 0) > maxTellingSeconds
      store.mirrors.put({
        ...current,
        next: isTold || isLate ? null : now + getPause(outcome, failures),
        progress: JSON.stringify({ ...parseProgress(current), failures })
      })
      changes.add('timers')
    })
  }

  /** Records a contact, and when the next is due. `begun`: the mirror before it. */
  async #record(account: Account, begun: StoredMirror, outcome: Outcome): Promise<void> {
    await writeAsService(this.services, account, ({ changes, now, store }) => {
      const stored = store.mirrors.find(begun.mirror.id)
      if (!stored || !isOpen(stored.mirror)) return
      changes.add('timers')
      const { refused = now, ...progress } = parseProgress(stored)
      const { error: _error, ...mirror } = stored.mirror
      const isRefused = 'error' in outcome && outcome.isPermissionEnded === true
      const failures = 'error' in outcome ? progress.failures + 1 : 0
      const { contacts: before = 0, ...rest } = progress
      const contacts = 'isComplete' in outcome && !outcome.isComplete ? before + 1 : 0
      const planned = now + (contacts > maxContacts ? pollSeconds : getPause(outcome, failures))
      const events = store.mirrors.countEvents(mirror.id)
      store.mirrors.put({
        mirror:
          'error' in outcome
            ? { ...mirror, events, error: outcome.error }
            : { ...mirror, events, lastContact: now },
        // A notice of a change may have arrived in the meantime.
        next: stored.next === begun.next ? planned : stored.next,
        progress: JSON.stringify({
          ...rest,
          failures,
          ...(contacts > 0 && { contacts }),
          ...(isRefused && { refused: Math.min(refused, now) })
        })
      })
    })
  }
}
