/**
 * Tells the peers of removed accounts that could not be reached before the removal. What is left to deliver is kept in the platform file,
 * since the account's own is gone. (docs/spec/consent.md#ends)
 */
import type { Account } from '../../../storage/platform/account.js'
import type { StoredDelivery } from '../../../storage/cmc/cmc-repository.js'
import type { Farewell } from '../../../storage/platform/farewells.js'
import { nextTurn } from '../../../storage/steps.js'
import type { Services } from '../../call/services.js'
import { ConcurrencyLimiter } from '../../outgoing/concurrency.js'
import { isObject } from '../../validation/is-object.js'
import { postEvent } from '../attempts.js'
import { types } from '../contents.js'
import { getDelay, parseDelivery, type EventDelivery } from '../outbox.js'
import { isTransient, parseEndpoint, type PeerCalls } from './peer-calls.js'

const daySeconds = 86_400
/** Number of rows that are read, and of messages that are added, at a time. */
const pageSize = 500
const addedAtOnce = 50
/** Number of messages that are started together: in all, and for one host. */
const maxStarted = 200
const maxStartedPerHost = 20
/** Maximum length of a message, as JSON; the reason is omitted from longer ones. */
const maxLength = 4096
/** Maximum length of an endpoint. */
const maxEndpointLength = 2048
/** Seconds after which deliveries go on if the platform file cannot be written. */
const retrySeconds = 60

/**
 * Delivers the revocations that removed accounts have left, and repeats them until `cmc.retryDays` have
 * passed.
 */
export class Farewells {
  readonly #limiter = new ConcurrencyLimiter({
    concurrency: 16,
    perSecond: 100,
    limitFor: () => 2
  })
  #isClosed = false
  #isAwake = false
  #running: Promise<void> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  #unsubscribe: () => void = () => {}

  constructor(
    private readonly services: Services,
    private readonly getPeers: () => PeerCalls
  ) {}

  /** Begins to deliver what nodes and threads add. */
  open(): void {
    this.#unsubscribe = this.services.platform.onChange(command => {
      if (!command || command[0] === 'addFarewells') this.wake()
    })
  }

  /**
   * Keeps the revocations that an account has not delivered. Those for which there is no room are dropped,
   * with a warning.
   */
  async keep(account: Account): Promise<void> {
    const { accounts, clock, log, platform } = this.services
    const username = platform.usernames.getShardName(account.username)
    const kept: Farewell[] = []
    for (let last = 0; ;) {
      const { cmc } = accounts.openStore(account)
      const page = cmc.listDeliveriesAfter(last, pageSize)
      for (const row of page) {
        const farewell = toFarewell(row, username, clock.now())
        if (farewell) kept.push(farewell)
      }
      const end = page.at(-1)
      if (!end) break
      last = end.number
      await nextTurn()
    }
    let dropped = 0
    for (let at = 0; at < kept.length; at += addedAtOnce)
      dropped += await platform.change('addFarewells', kept.slice(at, at + addedAtOnce))
    if (dropped > 0)
      log.warn(`${dropped} peers of a removed account will not be told of its end: too many messages wait`, {
        accountId: account.id
      })
  }

  /**
   * Delivers what is due, and sets the timer for what comes next. Never rejects. Does nothing while consent is
   * switched off.
   */
  wake(): void {
    if (this.#isClosed || this.#isAwake || !this.services.config.cmc.enabled) return
    this.#isAwake = true
    this.#cancelTimer()
    this.#running = this.#running
      .then(async () => {
        // Whatever is added from now on wakes it again.
        this.#isAwake = false
        while (!this.#isClosed && (await this.#deliverDue()));
      })
      .catch((cause: unknown) => {
        if (this.#isClosed) return
        const { clock, log } = this.services
        log.error('peers of removed accounts could not be told', { cause })
        this.#cancelTimer()
        this.#cancelTimer = clock.after(retrySeconds, () => this.wake())
      })
  }

  /** Stops, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    this.#cancelTimer()
    this.#limiter.close()
    await this.#running
  }

  /** Returns false if nothing is due. */
  async #deliverDue(): Promise<boolean> {
    const { accounts, clock, platform } = this.services
    const now = clock.now()
    const due: Farewell[] = []
    const perHost = new Map<string, number>()
    let next = Infinity
    for (let last = ''; ;) {
      const page = platform.farewells.listAfter(last, pageSize)
      for (const row of page) {
        if (!accounts.owns({ username: row.username })) continue
        if (row.next > now) next = Math.min(next, row.next)
        else if (due.length < maxStarted) {
          const host = getHost(row)
          const count = (perHost.get(host) ?? 0) + 1
          perHost.set(host, count)
          if (count <= maxStartedPerHost) due.push(row)
        }
      }
      const end = page.at(-1)
      if (!end) break
      last = end.id
      await nextTurn()
    }
    const failed = new Map<string, number>()
    await Promise.all(
      due.map(async row => await this.#limiter.run([getHost(row)], () => this.#attempt(row, failed)))
    )
    this.#cancelTimer()
    const pause = next - clock.now()
    if (due.length > 0 || pause <= 0) return true
    if (pause < Infinity) this.#cancelTimer = clock.after(pause, () => this.wake())
    return false
  }

  /** Makes an attempt. `failed`: hosts that cannot be reached at the moment, with the pause that they ask for in seconds. */
  async #attempt(row: Farewell, failed: Map<string, number>): Promise<void> {
    const { clock, config, platform } = this.services
    const endpoint = parseEndpoint(row.endpoint)
    if (!endpoint) return await platform.change('removeFarewell', row.id)
    if (!failed.has(endpoint.host)) {
      const event = JSON.parse(row.event) as EventDelivery['event']
      const answer = await postEvent(this.getPeers(), endpoint, event, row.id)
      if (this.#isClosed) return
      if (!isTransient(answer)) return await platform.change('removeFarewell', row.id)
      failed.set(endpoint.host, answer.retryAfter ?? 0)
    }
    const { retryDays, retryMaxDelayMs } = config.cmc
    const now = clock.now()
    if (now - row.created >= retryDays * daySeconds) return await platform.change('removeFarewell', row.id)
    const attempts = row.attempts + 1
    const delay = getDelay(attempts, retryMaxDelayMs, failed.get(endpoint.host))
    await platform.change('postponeFarewell', row.id, attempts, now + delay)
  }
}

function getHost({ endpoint }: Farewell): string {
  return parseEndpoint(endpoint)?.host ?? ''
}

/**
 * Returns what is to be kept of a delivery; `undefined` if it is no revocation. The delivery may be from an archive that someone has made
 * up: nothing in it is larger, or kept longer, than what the service itself queues.
 */
function toFarewell(row: StoredDelivery, username: string, now: number): Farewell | undefined {
  const { event, id, kind, to } = parseDelivery(row).body as Partial<EventDelivery>
  if (kind !== 'event' || !isObject(event) || event.type !== types.revoke || !isObject(event.content))
    return undefined
  const endpoint: unknown = isObject(to) && 'endpoint' in to ? to.endpoint : undefined
  if (typeof endpoint !== 'string' || endpoint.length > maxEndpointLength || !parseEndpoint(endpoint))
    return undefined
  const text = shorten(event)
  if (typeof id !== 'string' || !/^c[0-9a-z]{24}$/.test(id) || text.length > maxLength) return undefined
  const created = Math.min(row.created, now)
  const next = Math.min(row.next, now + daySeconds)
  return { id, username, endpoint, event: text, created, attempts: row.attempts, next }
}

function shorten(event: EventDelivery['event']): string {
  const text = JSON.stringify(event)
  if (text.length <= maxLength) return text
  const { reason: _reason, ...content } = event.content
  return JSON.stringify({ ...event, content })
}
