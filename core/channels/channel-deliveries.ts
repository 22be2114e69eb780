/**
 * Sends the messages that wait for channels: each as soon as it is due, and again after failures. What waits is in the accounts' files,
 * so the process that serves an account goes on with it. (docs/api/channels.md#delivery)
 */
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../schemas/access.js'
import type { DeliveryError } from '../../schemas/channel.js'
import { isNoLongerServed } from '../../storage/errors.js'
import type { StoredChannel } from '../../storage/channels/channel-repository.js'
import type { StoredMessage, WaitingMessage } from '../../storage/channels/message-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { isClientRevoked } from '../auth/oauth-marks.js'
import type { Call, UserMethod } from '../call/method.js'
import type { Services } from '../call/services.js'
import { writeAsService } from '../cmc/service-calls.js'
import type { TimedTask } from '../timers/timed-task.js'
import { findActingAccess, isWithinAccount, writeMessage } from './account-messages.js'
import { ChannelSender, type Attempt } from './channel-sender.js'
import type { QueuedMessage } from './queue-message.js'
import { getDelay, getLifetimeSeconds, getTargetKey } from './requests.js'
import { getChannelTexts } from './texts.js'

/** Maximum number of messages of an account that are being sent. */
const maxSending = 50
/** Seconds after which a message whose result could not be recorded is tried again. */
const failureDelay = 30
const hourSeconds = 3600
const summaryPrefix = 'summary:'

/** The messages of an account that are being sent, by number. */
type Sending = Map<number, WaitingMessage>

/** A message with its channel, as they were when the attempt began; `error`: why it must not be sent. */
interface Pending {
  readonly row: StoredMessage
  readonly stored: StoredChannel
  readonly error: DeliveryError | undefined
}

/** Sends the waiting messages of the accounts that this process serves. Paused accounts send nothing. */
export class ChannelDeliveries implements TimedTask {
  readonly name = 'channels'
  readonly #sender: ChannelSender
  /** By account. */
  readonly #sending = new Map<string, Sending>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(
    private readonly services: Services,
    private readonly createEvent: UserMethod
  ) {
    this.#sender = new ChannelSender(services)
  }

  findNext({ deliveryPause, messages }: UserStore, { deletion, id }: Account): number | undefined {
    if (!this.services.config.channels.enabled || deletion !== null || !messages.isWaiting) return undefined
    if (deliveryPause.since !== null) return undefined
    const sending = this.#sending.get(id)
    const count = sending?.size ?? 0
    // The end of a message that is being sent wakes the account.
    if (count >= maxSending) return undefined
    const first = messages.listWaiting(count + 1).find(({ number }) => !sending?.has(number))
    return first && getDueTime(first)
  }

  isBusy(id: string): boolean {
    return (this.#sending.get(id)?.size ?? 0) > 0
  }

  /**
   * Starts to send what is due, and holds back what exceeds the hourly limit of its target. Does not wait for
   * the sending: one receiver that hangs must not delay the others. Resolves with whether it has started any.
   */
  async run(account: Account): Promise<boolean> {
    const store = this.services.accounts.openStore(account)
    const sending: Sending = this.#sending.get(account.id) ?? new Map()
    this.#sending.set(account.id, sending)
    const now = this.services.clock.now()
    const due = store
      .read(() => store.messages.listWaiting(maxSending))
      .filter(each => getDueTime(each) <= now && !sending.has(each.number))
    const { held, sent } = store.read(() => this.#applyLimit(store, due, sending, now))
    // The message is added without an `await` in between, so that none is started twice.
    for (const each of sent) {
      sending.set(each.number, each)
      this.#track(this.#send(account, each, sending))
    }
    if (held.length > 0) await writeAsService(this.services, account, call => holdBack(call, held))
    return sent.length > 0
  }

  /** Aborts what is being sent; it stays queued for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sender.close()
    await Promise.all(this.#running)
  }

  /** Separates the messages that exceed the hourly limit of their target from the others. */
  #applyLimit(
    store: UserStore,
    due: readonly WaitingMessage[],
    sending: Sending,
    now: number
  ): { readonly sent: WaitingMessage[]; readonly held: WaitingMessage[] } {
    const { maxPerHour } = this.services.config.channels
    const counts = new Map<string, number>()
    const count = (target: string): void => void counts.set(target, (counts.get(target) ?? 0) + 1)
    for (const { attempts, channel } of sending.values())
      if (attempts === 0) count(findTarget(store, channel))
    const [sent, held]: [WaitingMessage[], WaitingMessage[]] = [[], []]
    const recent = new Map<string, number>()
    for (const each of due) {
      const { attempts, channel, key } = each
      if (attempts > 0 || key.startsWith(summaryPrefix)) {
        sent.push(each)
        continue
      }
      const target = findTarget(store, channel)
      if (!recent.has(target)) recent.set(target, store.messages.listUses(target, now - hourSeconds).length)
      if (recent.get(target)! + (counts.get(target) ?? 0) >= maxPerHour) held.push(each)
      else {
        sent.push(each)
        count(target)
      }
    }
    return { sent, held }
  }

  /** Sends a message, and records the result. Never rejects. */
  async #send(account: Account, waiting: WaitingMessage, sending: Sending): Promise<void> {
    const { clock, log, timers } = this.services
    const end = (): void => {
      if (this.#isClosed) return
      sending.delete(waiting.number)
      timers.wake(account)
    }
    try {
      await this.#attempt(account, waiting)
      end()
    } catch (cause) {
      if (this.#isClosed || isNoLongerServed(cause)) return end()
      log.error('a message for a channel could not be sent', { accountId: account.id, cause })
      // Nothing is recorded, so it must not be repeated at once.
      clock.after(failureDelay, end)
    }
  }

  /**
   * Makes one attempt to deliver a message, and records its result; a message for the account itself is written as an
   * event. Does nothing if the message is gone, or what is sent has changed while it waited: another attempt is then made.
   * Records nothing if a shutdown has aborted the attempt.
   */
  async #attempt(account: Account, { number }: WaitingMessage): Promise<void> {
    const { services } = this
    const store = services.accounts.openStore(account)
    const found = store.read(() => this.#prepare(store, number, services.clock.now()))
    if (!found) return
    const { access, error, message, row, stored } = found
    if (error || isWithinAccount(stored))
      return await writeAsService(services, account, call => {
        if (!this.#isStillDue(call.store, found, call.now)) return
        const reason = error ?? writeMessage(call, this.createEvent, stored, message)
        const made: Attempt = reason
          ? { isDelivered: false, error: reason, isFinal: true }
          : { isDelivered: true }
        recordAttempt(call, found, made)
      })
    const username = access?.alias ?? services.accounts.toOwn(account).username
    const pending = { services, account, stored, row, message, username }
    const attempt = await this.#sender.send(pending, () => {
      const current = services.accounts.openStore(account)
      return current.read(() => this.#isStillDue(current, found, services.clock.now()))
    })
    // The attempt was aborted by the shutdown: the message may not have arrived.
    if (!attempt || (this.#isClosed && !attempt.isDelivered)) return
    await writeAsService(services, account, call => recordAttempt(call, found, attempt))
  }

  /** Returns a message with its channel, and why it must not be sent; `undefined` if it is gone. */
  #prepare(store: UserStore, number: number, now: number) {
    const row = store.messages.find(number)
    const stored = row && store.channels.find(row.channel)
    if (!row || !stored || row.next === null) return undefined
    const message = JSON.parse(row.body) as QueuedMessage
    const access = findActingAccess({ now, store }, stored)
    const late = row.queued + getLifetimeSeconds(message.urgency)
    return {
      row,
      stored,
      access,
      message: message.source.kind === 'summary' ? this.#summarize(store, row, message) : message,
      error: this.#findReason(store, stored, access, row.key.startsWith(summaryPrefix) || now <= late)
    }
  }

  /** Returns whether neither the channel nor why a message must not be sent has changed. If they have, another attempt is made. */
  #isStillDue(store: UserStore, { error, row, stored }: Pending, now: number): boolean {
    const current = this.#prepare(store, row.number, now)
    return (
      current !== undefined &&
      isSame(current.row, row) &&
      isDeepStrictEqual([current.stored, current.error], [stored, error])
    )
  }

  /** Returns a summary with its texts. */
  #summarize(store: UserStore, row: StoredMessage, message: QueuedMessage): QueuedMessage {
    const texts = getChannelTexts(store)
    return {
      ...message,
      title: texts.more(store.messages.countHeld(row.channel, row.queued)),
      text: texts.moreText(this.services.config.channels.maxPerHour)
    }
  }

  /** Returns why a message must not be sent. */
  #findReason(
    store: UserStore,
    { channel }: StoredChannel,
    access: Access | undefined,
    isInTime: boolean
  ): DeliveryError | undefined {
    if (channel.state !== 'active') return { id: 'channel-ended' }
    if (!access || isClientRevoked(this.services, store, access)) return { id: 'access-ended' }
    return isInTime ? undefined : { id: 'too-late' }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }
}

/**
 * Returns when a message is due, in seconds. Messages that are queued together differ by microseconds: otherwise, timers would take the
 * next one for work that was tried already.
 */
function getDueTime({ next, number }: WaitingMessage): number {
  return next - (number % 1000) * 1e-6
}

/** Returns what stands for the target of a channel. */
function findTarget({ channels }: Pick<UserStore, 'channels'>, channel: string): string {
  const stored = channels.find(channel)
  return stored ? getTargetKey(stored) : channel
}

/** Returns false if a message was removed with its channel; another one may have got its number. */
function isSame(current: StoredMessage | undefined, { channel, key }: StoredMessage): boolean {
  return current?.key === key && current.channel === channel
}

/** Records the result of an attempt, and ends a channel that can no longer be used, unless it has another target now. */
function recordAttempt({ changes, now, store }: Call, { row, stored }: Pending, attempt: Attempt): void {
  const { channels, messages } = store
  const attempts = row.attempts + 1
  // Counts also if the channel has been removed meanwhile: otherwise, new channels could evade the limit of the target.
  if (attempts === 1) messages.addUse(getTargetKey(stored), now, now - hourSeconds)
  if (!isSame(messages.find(row.number), row)) return
  changes.add('timers')
  const made = { number: row.number, attempts, last: now }
  if (attempt.isDelivered) {
    messages.update({ ...made, state: 'delivered', next: null, error: null })
    return messages.prune(row.channel, now)
  }
  const { urgency } = JSON.parse(row.body) as QueuedMessage
  const next = now + getDelay(attempts, attempt.retryAfter)
  const isFinal = attempt.isFinal || next > row.queued + getLifetimeSeconds(urgency)
  const error = JSON.stringify(attempt.error)
  messages.update({ ...made, state: isFinal ? 'failed' : 'waiting', next: isFinal ? null : next, error })
  if (isFinal) messages.prune(row.channel, now)
  const { ends } = attempt
  if (!ends || !isDeepStrictEqual(channels.find(row.channel), stored)) return
  channels.put({ ...stored, channel: { ...stored.channel, state: 'ended', reason: ends } })
  messages.failWaiting(row.channel, JSON.stringify({ id: 'channel-ended' } satisfies DeliveryError))
}

/** Holds messages back, and queues a summary for when the hour is over. */
function holdBack({ changes, now, store }: Call, held: readonly WaitingMessage[]): void {
  const { messages } = store
  changes.add('timers')
  for (const { channel, number } of held) {
    messages.update({ number, attempts: 0, last: now, state: 'held', next: null, error: null })
    if (messages.hasWaiting(channel, summaryPrefix)) continue
    const [first = now] = messages.listUses(findTarget(store, channel), now - hourSeconds)
    const source: QueuedMessage['source'] = { kind: 'summary', id: channel }
    const body: QueuedMessage = { title: '', text: '', urgency: 'normal', page: 'channels', source }
    messages.add({
      key: `${summaryPrefix}${channel}:${now}`,
      channel,
      queued: now,
      next: first + hourSeconds,
      body: JSON.stringify(body)
    })
  }
}
