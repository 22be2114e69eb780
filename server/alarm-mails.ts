/**
 * Mails the operator when something begins that has to be looked after, and when it is over. What has been told is kept where all
 * who might tell see it, so that each is told once. (docs/operation.md#mails-about-alarms)
 */
import type { Config } from '../core/settings/config.js'
import type { Log } from '../core/log.js'
import { Mailer } from '../core/outgoing/mail/mailer.js'
import { createMailTransport } from '../core/outgoing/mail/mail-transport.js'
import type { Clock } from '../core/time.js'

/** Something to look after. There is one of a kind about each. */
export interface Told {
  readonly kind: string
  readonly about: string
  readonly text: string
}

export interface LedgerState {
  /** What has been told, and is not over. */
  readonly told: readonly Told[]
  /** When mails left, in seconds since the Unix epoch. */
  readonly sent: readonly number[]
}

/** Where it is kept what has been told. */
export interface Ledger {
  read(): Promise<{ readonly revision: number; readonly state: LedgerState }>
  /** Resolves with `false`, and changes nothing, if somebody else has written since. */
  write(revision: number, state: LedgerState): Promise<boolean>
}

export interface AlarmMailsOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly ledger: Ledger
  /** All that stands; `undefined` where it is up to somebody else to tell of it, or nobody can say. */
  readonly collect: () => Promise<readonly Told[] | undefined>
}

/** For this process alone, as long as it runs. */
export class OwnLedger implements Ledger {
  #state: LedgerState = { told: [], sent: [] }
  #revision = 0

  async read(): Promise<{ revision: number; state: LedgerState }> {
    return await Promise.resolve({ revision: this.#revision, state: this.#state })
  }

  async write(revision: number, state: LedgerState): Promise<boolean> {
    if (revision !== this.#revision) return await Promise.resolve(false)
    this.#state = state
    this.#revision++
    return true
  }
}

const hour = 3600
/** Time in which a mail has to leave when the service stops, in seconds. */
const closingSeconds = 2

export class AlarmMails {
  readonly #mailer: Mailer
  /** What stood at the last look. What comes and goes from one to the next is not told. */
  #former: ReadonlyMap<string, Told> | undefined
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(private readonly options: AlarmMailsOptions) {
    const { clock, config, log } = options
    this.#mailer = new Mailer({ config, clock, log, transport: createMailTransport(config) })
  }

  start(): void {
    const everyMs = this.options.config.alarms.everySeconds * 1000
    this.#timer = setInterval(() => void this.look(), everyMs).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
    await this.#mailer.close(closingSeconds)
  }

  /** Looks once, after those that are under way. Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking
      .then(async () => await this.#look())
      .catch((cause: unknown) => this.options.log.warn('alerts could not be sent', { cause }))
    return this.#looking
  }

  async #look(): Promise<void> {
    const { clock, collect, config, ledger } = this.options
    const found = await collect()
    const former = this.#former
    const standing = found && new Map(found.map(each => [keyOf(each), each]))
    this.#former = standing
    if (!standing || !former) return
    const { revision, state } = await ledger.read()
    const told = new Map(state.told.map(each => [keyOf(each), each]))
    const begun = [...standing].filter(([key]) => former.has(key) && !told.has(key)).map(([, each]) => each)
    const over = [...told].filter(([key]) => !former.has(key) && !standing.has(key))
    if (begun.length + over.length === 0) return
    // A clock that was ahead is not to keep anybody from being told.
    const sent = state.sent.filter(time => Math.abs(clock.now() - time) < hour)
    if (sent.length >= config.alarms.mailsPerHour) return
    for (const [key] of over) told.delete(key)
    const next = { told: [...told.values(), ...begun], sent: [...sent, clock.now()] }
    if (!(await ledger.write(revision, next))) return
    this.#send(
      begun,
      over.map(([, each]) => each),
      standing.size
    )
  }

  #send(begun: readonly Told[], over: readonly Told[], standing: number): void {
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
          BEGUN: linesOf(begun),
          OVER: linesOf(over),
          BEGUN_COUNT: String(begun.length),
          OVER_COUNT: String(over.length),
          STANDING_COUNT: String(standing)
        }
      })
    )
  }
}

function keyOf({ about, kind }: Told): string {
  return `${kind} ${about}`
}

/** The text of an alarm about an account does not say which: nobody's name leaves the service. */
function linesOf(alarms: readonly Told[]): string {
  const lines = alarms.map(({ about, kind, text }) =>
    kind === 'account' ? `- ${text} (account ${about})` : `- ${text}`
  )
  return lines.join('\n') || '–'
}
