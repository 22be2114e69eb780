/** Fills an account day by day: the person's own data, the data of apps and sensors, and calls by others. */
import { zonesKey } from '../../schemas/zones.js'
import type { Progress } from '../terminal/progress.js'
import { createBodyEvents } from './person/body.js'
import { createDays, getZonePeriods, type Day, type Plan } from './person/days.js'
import { createDiaryEvents } from './person/diary.js'
import type { EventParams, EventWithFile } from './person/event-params.js'
import { createHeartRates } from './person/heart-rates.js'
import { createLetters } from './person/letters.js'
import { createPhotos } from './person/photos.js'
import { Random } from './person/random.js'
import { recordRun } from './person/runs.js'
import { createMedicationEvents, createPlaceEvents, createRoomEvents } from './person/surroundings.js'
import { createAccessCalls, createStreamCalls } from './streams.js'
import { makeCalls, type Call, type Target } from './target.js'
import { OtherCallers } from './other-callers.js'

/** What was created. */
export interface CreatedData {
  /** Number of events by stream id. */
  readonly events: ReadonlyMap<string, number>
  /** Number of data points by stream id. */
  readonly points: ReadonlyMap<string, number>
  readonly files: number
  readonly fileBytes: number
  readonly accesses: number
  /** Number of calls by other accesses, and how many of these calls were refused. */
  readonly looks: number
  readonly refusals: number
}

/** Tokens of the accesses that add data. */
interface Tokens {
  readonly owner: string
  readonly trainer: string
  readonly sensor: string
}

/** The holder event of a month's heart rate. */
interface HeartHolder {
  readonly id: string
  readonly month: string
  readonly time: number
}

/** Fills an empty account, with a token of its user. Throws `DemoError`. */
export async function fillAccount(
  target: Target,
  owner: string,
  plan: Plan,
  progress?: Progress
): Promise<CreatedData> {
  const days = createDays(plan)
  progress?.begin(days.length)
  target.moveTo(days[0]!.from)
  const calls = [...createStreamCalls(), ...createAccessCalls(getSecondsToMarch(target.now()))]
  const zones = { method: 'profile.updatePrivate', params: { update: { [zonesKey]: getZonePeriods(days) } } }
  const answers = await makeCalls(target, owner, [...calls, zones])
  const [doctor = '', trainer = '', sensor = ''] = answers.flatMap(({ access }) => access?.token ?? [])
  const filling = new AccountFiller(target, plan, { owner, trainer, sensor })
  const visitors = new OtherCallers(target, { doctor, trainer })
  for (const [index, day] of days.entries()) {
    await visitors.visit(day, filling.heart)
    await filling.day(day)
    progress?.step(index + 1)
  }
  return { ...filling.made, ...visitors.made, accesses: 3 }
}

/** Returns the seconds from `now` to the next first of March by the real clock, so that the doctor's access is valid today. */
function getSecondsToMarch(now: number): number {
  const today = new Date()
  const isOver = today.getUTCMonth() >= 2
  return Date.UTC(today.getUTCFullYear() + (isOver ? 1 : 0), 2, 1) / 1000 - now
}

class AccountFiller {
  readonly #events = new Map<string, number>()
  readonly #points = new Map<string, number>()
  readonly #random: Random
  #ids = 0
  /** End of the current day, in seconds. */
  #dayEnd = 0
  #files = 0
  #fileBytes = 0
  heart: HeartHolder | undefined

  constructor(
    private readonly target: Target,
    private readonly plan: Plan,
    private readonly tokens: Tokens
  ) {
    this.#random = new Random(plan.seed, 'ids')
  }

  get made(): Pick<CreatedData, 'events' | 'points' | 'files' | 'fileBytes'> {
    return { events: this.#events, points: this.#points, files: this.#files, fileBytes: this.#fileBytes }
  }

  /** Adds the data of a day, at its end. */
  async day(day: Day): Promise<void> {
    const { plan, target, tokens } = this
    this.#dayEnd = Math.min(day.to, plan.until)
    target.moveTo(this.#dayEnd)
    const parts = [createBodyEvents, createDiaryEvents, createPlaceEvents, createMedicationEvents]
    const facts = parts.flatMap(part => part(plan, day))
    const ownCalls = [...this.#createHeartCalls(day), ...this.#createCalls(facts)]
    const sensorCalls = this.#createCalls(createRoomEvents(plan, day))
    const runCalls = this.#createRunCalls(day)
    // Concurrently, so that all of it is synced at once.
    const done = await Promise.allSettled([
      makeCalls(target, tokens.owner, ownCalls),
      makeCalls(target, tokens.sensor, sensorCalls),
      makeCalls(target, tokens.trainer, runCalls)
    ])
    for (const one of done) if (one.status === 'rejected') throw one.reason
    for (const { fact, file } of [...createPhotos(plan, day), ...createLetters(day)])
      await this.#upload(fact, file)
  }

  #createCalls(facts: readonly EventParams[]): Call[] {
    return facts.filter(fact => this.#isOver(fact)).map(fact => this.#createCall(fact))
  }

  #createCall(fact: EventParams): Call & { params: EventParams & { id: string } } {
    addCount(this.#events, fact.streamIds[0]!, 1)
    return { method: 'events.create', params: { id: this.#newId(), ...fact } }
  }

  /**
   * Creates the calls for a day's heart rate: points of the month's series, preceded by the creation of the series if
   * it is new.
   */
  #createHeartCalls(day: Day): Call[] {
    const month = day.date.slice(0, 7)
    const isNew = this.heart?.month !== month
    const points = createHeartRates(this.plan, day, isNew ? day.from : this.heart!.time)
    if (points.length === 0) return []
    const calls: Call[] = []
    if (isNew || !this.heart) {
      const creation = this.#createCall({
        streamIds: ['heart-rate'],
        type: 'series:frequency/bpm',
        time: day.from
      })
      this.heart = { id: creation.params.id, month, time: day.from }
      calls.push(creation)
    }
    return [...calls, this.#createPointsCall('heart-rate', this.heart.id, ['deltaTime', 'value'], points)]
  }

  #createRunCalls(day: Day): Call[] {
    const recordedRun = recordRun(this.plan, day)
    if (!recordedRun || !this.#isOver(recordedRun.activity)) return []
    const { activity, track } = recordedRun
    const holder = this.#createCall(track.fact)
    return [
      this.#createCall(activity),
      holder,
      this.#createPointsCall('runs', holder.params.id, track.fields, track.points)
    ]
  }

  #createPointsCall(
    streamId: string,
    id: string,
    fields: readonly string[],
    points: readonly object[]
  ): Call {
    addCount(this.#points, streamId, points.length)
    return { method: 'hfs.add', params: { id, format: 'flatJSON', fields, points } }
  }

  async #upload(fact: EventParams, file: EventWithFile['file']): Promise<void> {
    if (!this.#isOver(fact)) return
    await this.target.upload(this.tokens.owner, this.#createCall(fact).params, file)
    this.#files++
    this.#fileBytes += file.bytes.length
  }

  #isOver({ duration = 0, time }: EventParams): boolean {
    return time + duration <= this.plan.until
  }

  /** Creates an id like the service's, but the same for the same seed. Ids begin with the time, which keeps indexes dense. */
  #newId(): string {
    const ms = Math.round(this.#dayEnd * 1000)
    const serial = (this.#ids++ % 36 ** 4).toString(36).padStart(4, '0')
    return `c${ms.toString(36).padStart(8, '0')}${serial}${this.#random.text(12)}`
  }
}

function addCount(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}
