/** Calls by others, including refused ones, which appear in the audit log. */
import type { Day } from './person/days.js'
import { makeCalls, type Call, type Target } from './target.js'

/** The series with the latest heart rates; `time` in seconds. */
interface Series {
  readonly id: string
  readonly time: number
}

/** The doctor reads data on this day of every period, counted from the last day. */
const [doctorsDay, doctorsRound] = [9, 31]
const morning = 10.1 * 3600
/** Maximum number of events that these callers read. */
const limit = 60

/** Makes the calls of the doctor and of the trainer's app. */
export class OtherCallers {
  #looks = 0
  #refusals = 0
  readonly #refusedTokens = new Set<string>()

  constructor(
    private readonly target: Target,
    private readonly tokens: { readonly doctor: string; readonly trainer: string }
  ) {}

  /** Numbers of calls made so far: reads, and refused ones. */
  get made(): { looks: number; refusals: number } {
    return { looks: this.#looks, refusals: this.#refusals }
  }

  /**
   * Reads the data that exists on the morning of a day: by the doctor on some days, by the trainer's app on
   * days with a run. Each also makes one call that is refused. Does nothing before there are heart rates.
   */
  async visit(day: Day, heart: Series | undefined): Promise<void> {
    if (!heart) return
    const { doctor, trainer } = this.tokens
    const isDoctorsDay = day.ago % doctorsRound === doctorsDay
    if (!isDoctorsDay && !day.run) return
    this.target.moveTo(day.from + morning)
    const since = { fromTime: day.from - doctorsRound * 86_400 }
    const sample = {
      method: 'hfs.get',
      params: { id: heart.id, toDeltaTime: day.from - heart.time, sample: 300 }
    }
    if (isDoctorsDay) {
      const pressure = { streams: ['blood-pressure'], limit, ...since }
      await this.#read(doctor, [
        { method: 'events.get', params: pressure },
        ...(hasHeartRates(day, heart) ? [sample] : [])
      ])
      await this.#tryOnce(doctor, { method: 'events.get', params: { streams: ['diary'], limit } })
    }
    if (day.run) {
      await this.#read(trainer, [{ method: 'events.get', params: { streams: ['runs'], limit, ...since } }])
      await this.#tryOnce(trainer, { method: 'events.get', params: { streams: ['weight'], limit } })
    }
  }

  async #read(token: string, calls: readonly Call[]): Promise<void> {
    await makeCalls(this.target, token, calls)
    this.#looks += calls.length
  }

  /** Makes a call that is refused, once per access. */
  async #tryOnce(token: string, wanted: Call): Promise<void> {
    if (this.#refusedTokens.has(token)) return
    this.#refusedTokens.add(token)
    const [answer] = await this.target.batch(token, [wanted])
    this.#looks++
    if (answer?.error) this.#refusals++
  }
}

function hasHeartRates({ from }: Day, { time }: Series): boolean {
  return from > time
}
