/** Fills an account day by day: the person's own data, what apps and sensors add, and who looks at it. */
import { zonesKey } from '../../schemas/zones.js'
import type { Progress } from '../terminal/progress.js'
import { bodyFacts } from './person/body.js'
import { daysOf, zonePeriods, type Day, type Plan } from './person/days.js'
import { diaryFacts } from './person/diary.js'
import type { Fact, Filed } from './person/facts.js'
import { heartRates } from './person/heart.js'
import { lettersOn } from './person/letters.js'
import { photosOn } from './person/photos.js'
import { Random } from './person/random.js'
import { outingOn } from './person/runs.js'
import { medicationFacts, placeFacts, roomFacts } from './person/surroundings.js'
import { grantCalls, streamCalls } from './streams.js'
import { call, type Call, type Target } from './target.js'
import { Visitors } from './visitors.js'

/** What was made. */
export interface Made {
  /** Events by the id of their stream. */
  readonly events: ReadonlyMap<string, number>
  /** Points of series by the id of their stream. */
  readonly points: ReadonlyMap<string, number>
  readonly files: number
  readonly fileBytes: number
  readonly accesses: number
  /** Calls of others to look at something, and how many of them were refused. */
  readonly looks: number
  readonly refusals: number
}

/** Tokens of those who add something. */
interface Tokens {
  readonly owner: string
  readonly trainer: string
  readonly sensor: string
}

/** The event that holds the heart rate of a month. */
interface HeartHolder {
  readonly id: string
  readonly month: string
  readonly time: number
}

/** Fills an empty account with the token of its owner. Throws `DemoError`. */
export async function fill(target: Target, owner: string, plan: Plan, progress?: Progress): Promise<Made> {
  const days = daysOf(plan)
  progress?.begin(days.length)
  target.moveTo(days[0]!.from)
  const calls = [...streamCalls(), ...grantCalls(untilMarch(target.now()))]
  const zones = { method: 'profile.updatePrivate', params: { update: { [zonesKey]: zonePeriods(days) } } }
  const answers = await call(target, owner, [...calls, zones])
  const [doctor = '', trainer = '', sensor = ''] = answers.flatMap(({ access }) => access?.token ?? [])
  const filling = new Filling(target, plan, { owner, trainer, sensor })
  const visitors = new Visitors(target, { doctor, trainer })
  for (const [index, day] of days.entries()) {
    await visitors.visit(day, filling.heart)
    await filling.day(day)
    progress?.step(index + 1)
  }
  return { ...filling.made, ...visitors.made, accesses: 3 }
}

/** Seconds from `now` to the first of March that comes next: whatever is made of the past, the doctor may look today. */
function untilMarch(now: number): number {
  const today = new Date()
  const isOver = today.getUTCMonth() >= 2
  return Date.UTC(today.getUTCFullYear() + (isOver ? 1 : 0), 2, 1) / 1000 - now
}

class Filling {
  readonly #events = new Map<string, number>()
  readonly #points = new Map<string, number>()
  readonly #random: Random
  #ids = 0
  /** The end of the day that is being made, seconds. */
  #moment = 0
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

  get made(): Pick<Made, 'events' | 'points' | 'files' | 'fileBytes'> {
    return { events: this.#events, points: this.#points, files: this.#files, fileBytes: this.#fileBytes }
  }

  /** Adds all of a day, at its end. */
  async day(day: Day): Promise<void> {
    const { plan, target, tokens } = this
    this.#moment = Math.min(day.to, plan.until)
    target.moveTo(this.#moment)
    const parts = [bodyFacts, diaryFacts, placeFacts, medicationFacts]
    const facts = parts.flatMap(part => part(plan, day))
    const ownCalls = [...this.#heartCalls(day), ...this.#creations(facts)]
    const sensorCalls = this.#creations(roomFacts(plan, day))
    const runCalls = this.#runCalls(day)
    // Together, so that all of it is synced to disk at once.
    const done = await Promise.allSettled([
      call(target, tokens.owner, ownCalls),
      call(target, tokens.sensor, sensorCalls),
      call(target, tokens.trainer, runCalls)
    ])
    for (const one of done) if (one.status === 'rejected') throw one.reason
    for (const { fact, file } of [...photosOn(plan, day), ...lettersOn(day)]) await this.#upload(fact, file)
  }

  #creations(facts: readonly Fact[]): Call[] {
    return facts.filter(fact => this.#isOver(fact)).map(fact => this.#creation(fact))
  }

  #creation(fact: Fact): Call & { params: Fact & { id: string } } {
    count(this.#events, fact.streamIds[0]!, 1)
    return { method: 'events.create', params: { id: this.#newId(), ...fact } }
  }

  /** The heart rate of a day: points of the month's series, which the first day of it with any begins. */
  #heartCalls(day: Day): Call[] {
    const month = day.date.slice(0, 7)
    const isNew = this.heart?.month !== month
    const points = heartRates(this.plan, day, isNew ? day.from : this.heart!.time)
    if (points.length === 0) return []
    const calls: Call[] = []
    if (isNew || !this.heart) {
      const creation = this.#creation({
        streamIds: ['heart-rate'],
        type: 'series:frequency/bpm',
        time: day.from
      })
      this.heart = { id: creation.params.id, month, time: day.from }
      calls.push(creation)
    }
    return [...calls, this.#addition('heart-rate', this.heart.id, ['deltaTime', 'value'], points)]
  }

  #runCalls(day: Day): Call[] {
    const outing = outingOn(this.plan, day)
    if (!outing || !this.#isOver(outing.activity)) return []
    const { activity, track } = outing
    const holder = this.#creation(track.fact)
    return [
      this.#creation(activity),
      holder,
      this.#addition('runs', holder.params.id, track.fields, track.points)
    ]
  }

  #addition(streamId: string, id: string, fields: readonly string[], points: readonly object[]): Call {
    count(this.#points, streamId, points.length)
    return { method: 'hfs.add', params: { id, format: 'flatJSON', fields, points } }
  }

  async #upload(fact: Fact, file: Filed['file']): Promise<void> {
    if (!this.#isOver(fact)) return
    await this.target.upload(this.tokens.owner, this.#creation(fact).params, file)
    this.#files++
    this.#fileBytes += file.bytes.length
  }

  #isOver({ duration = 0, time }: Fact): boolean {
    return time + duration <= this.plan.until
  }

  /** As the service makes ids, but the same ones for the same seed: they begin with the time, which keeps indexes dense. */
  #newId(): string {
    const ms = Math.round(this.#moment * 1000)
    const serial = (this.#ids++ % 36 ** 4).toString(36).padStart(4, '0')
    return `c${ms.toString(36).padStart(8, '0')}${serial}${this.#random.text(12)}`
  }
}

function count(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more)
}
