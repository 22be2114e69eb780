/**
 * Mails the operator when alarms are raised and when they end. Reported alarms are stored in a ledger that all possible senders
 * share, so that each is mailed once. (docs/operation.md#mails-about-alarms)
 */
import type { Config } from '../core/settings/config.js'
import type { Log } from '../core/log.js'
import { Mailer } from '../core/outgoing/mail/mailer.js'
import { createMailTransport } from '../core/outgoing/mail/mail-transport.js'
import type { Clock } from '../core/time.js'

/** An alarm, identified by its kind and what it is about. */
export interface MailedAlarm {
  readonly kind: string
  readonly about: string
  readonly text: string
}

export interface AlarmLedgerState {
  /** Alarms that have been mailed and have not ended. */
  readonly told: readonly MailedAlarm[]
  /** When mails were sent, in seconds since the Unix epoch. */
  readonly sent: readonly number[]
}

/** Stores which alarms have been mailed. */
export interface AlarmLedger {
  /** Returns the state with its revision, 0 if it was never written. */
  read(): Promise<{ readonly revision: number; readonly state: AlarmLedgerState }>
  /** Resolves with `false`, without a change, if another node has written since `revision`. */
  write(revision: number, state: AlarmLedgerState): Promise<boolean>
}

interface AlarmMailsOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly ledger: AlarmLedger
  /** Returns all active alarms; `undefined` if another node reports the alarms, or if they are unknown. */
  readonly collect: () => Promise<readonly MailedAlarm[] | undefined>
}

/** A ledger in the memory of this process. */
export class LocalAlarmLedger implements AlarmLedger {
  #state: AlarmLedgerState = { told: [], sent: [] }
  #revision = 0

  async read(): Promise<{ revision: number; state: AlarmLedgerState }> {
    return await Promise.resolve({ revision: this.#revision, state: this.#state })
  }

  async write(revision: number, state: AlarmLedgerState): Promise<boolean> {
    if (revision !== this.#revision) return await Promise.resolve(false)
    this.#state = state
    this.#revision++
    return true
  }
}

const hour = 3600
/** Seconds to finish sending mails when the service stops. */
const closingSeconds = 2

export class AlarmMails {
  readonly #mailer: Mailer
  /** Alarms active at the previous check. An alarm is mailed only if two checks in a row find it. */
  #previous: ReadonlyMap<string, MailedAlarm> | undefined
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> = Promise.resolve()

  constructor(private readonly options: AlarmMailsOptions) {
    const { clock, config, log } = options
    this.#mailer = new Mailer({ config, clock, log, transport: createMailTransport(config) })
  }

  /** Checks the alarms periodically from now on. */
  start(): void {
    const everyMs = this.options.config.alarms.everySeconds * 1000
    this.#timer = setInterval(() => void this.check(), everyMs).unref()
  }

  /** Ends the checks. Resolves once mails that are being sent are sent, or after a timeout. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
    await this.#mailer.close(closingSeconds)
  }

  /**
   * Checks once, after checks in progress. Never rejects. Mails the alarms that have begun and those that
   * have ended.
   */
  check(): Promise<void> {
    this.#checking = this.#checking
      .then(async () => await this.#check())
      .catch((cause: unknown) => this.options.log.warn('alerts could not be sent', { cause }))
    return this.#checking
  }

  /** Compares the active alarms with those already mailed, and mails the differences, within the hourly limit. */
  async #check(): Promise<void> {
    const { clock, collect, config, ledger } = this.options
    const found = await collect()
    const previous = this.#previous
    const active = found && new Map(found.map(each => [getKey(each), each]))
    this.#previous = active
    if (!active || !previous) return
    const { revision, state } = await ledger.read()
    const told = new Map(state.told.map(each => [getKey(each), each]))
    const raised = [...active].filter(([key]) => previous.has(key) && !told.has(key)).map(([, each]) => each)
    const ended = [...told].filter(([key]) => !previous.has(key) && !active.has(key))
    if (raised.length + ended.length === 0) return
    // A clock that was ahead must not suppress mails.
    const sent = state.sent.filter(time => Math.abs(clock.now() - time) < hour)
    if (sent.length >= config.alarms.mailsPerHour) return
    for (const [key] of ended) told.delete(key)
    const next = { told: [...told.values(), ...raised], sent: [...sent, clock.now()] }
    if (!(await ledger.write(revision, next))) return
    this.#send(
      raised,
      ended.map(([, each]) => each),
      active.size
    )
  }

  /** Queues a mail about alarms. `active`: how many there are now. */
  #send(raised: readonly MailedAlarm[], ended: readonly MailedAlarm[], active: number): void {
    const { alarms, service, services } = this.options.config
    this.#mailer.send(async () =>
      Promise.resolve({
        kind: 'alarms',
        accountId: '',
        username: '',
        email: alarms.mailTo,
        language: services.email.defaultLang,
        substitutions: {
          SERVICE: service.name,
          BEGUN: formatAlarms(raised),
          OVER: formatAlarms(ended),
          BEGUN_COUNT: String(raised.length),
          OVER_COUNT: String(ended.length),
          STANDING_COUNT: String(active)
        }
      })
    )
  }
}

function getKey({ about, kind }: MailedAlarm): string {
  return `${kind} ${about}`
}

/** Formats alarms as a list. Accounts are named by their id, since user names must not leave the service. */
function formatAlarms(alarms: readonly MailedAlarm[]): string {
  const lines = alarms.map(({ about, kind, text }) =>
    kind === 'account' ? `- ${text} (account ${about})` : `- ${text}`
  )
  return lines.join('\n') || '–'
}
