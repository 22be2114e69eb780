/** Imports that are sent, run, cancelled, undone and sent again in every order, compared with a plain model. */
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { seeded, type Random } from '../../support/random.js'
import { rested, sent, takenOut, written } from '../../support/importing.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const [accounts, steps] = isLong ? [20, 60] : [1, 24]

t.setTimeout(isLong ? 3_600_000 : 300_000)

/** Days of the weights in each file; some days are in several files. */
const files = [
  [0, 1, 2, 3],
  [2, 3, 4, 5],
  [0, 5],
  [6, 7, 8]
]
const deletedBefore = 'of the kind that was deleted here before'
const timeOf = (day: number): number => 1.6e9 + day * 86_400

function textOf(days: readonly number[]): string {
  return ['time,weight (kg)', ...days.map(day => `${timeOf(day)},${70 + day}`)].join('\n')
}

/** The expected account: which import each day's weight came from, and which days the user has deleted. */
class Model {
  readonly owners = new Map<number, string>()
  /** Weights that the user has deleted, by their import: undoing it forgets them. */
  readonly deleted = new Map<number, string>()

  /** Runs an import of some days; returns the expected counts. */
  run(id: string, days: readonly number[]): { broughtIn: number; known: number; leftOut: number } {
    const counts = { broughtIn: 0, known: 0, leftOut: 0 }
    for (const day of days)
      if (this.owners.has(day)) counts.known++
      else if (this.deleted.has(day)) counts.leftOut++
      else {
        this.owners.set(day, id)
        counts.broughtIn++
      }
    return counts
  }

  takeOut(id: string): void {
    for (const days of [this.owners, this.deleted])
      for (const [day, owner] of days) if (owner === id) days.delete(day)
  }
}

/** One account: its imports that can still be run or undone, and the model. */
class Story {
  readonly #model = new Model()
  /** Files of the existing imports, by id; `isRun` once they are written. */
  readonly #imports = new Map<string, { readonly days: readonly number[]; isRun: boolean }>()

  constructor(
    private readonly t: Test,
    private readonly client: Client,
    private readonly random: Random
  ) {}

  async step(): Promise<void> {
    const steps = [
      this.#send,
      this.#send,
      this.#run,
      this.#run,
      this.#takeOut,
      this.#deleteOne,
      this.#together
    ]
    await this.random.pick(steps).call(this)
    await this.#check()
  }

  /** Finally imports every file again: whatever happened before, no record may be missing. */
  async end(): Promise<void> {
    for (const days of files) {
      const id = await this.#sendDays(days)
      await this.#runOne(id)
      await this.#check()
    }
    for (const days of files.flat())
      this.t.ok(this.#model.owners.has(days) || this.#model.deleted.has(days), `day ${days} is there`)
  }

  async #send(): Promise<void> {
    if (this.#imports.size < 8) await this.#sendDays(this.random.pick(files))
  }

  async #sendDays(days: readonly number[]): Promise<string> {
    const { id, state } = await sent(this.client, 'a.csv', textOf(days))
    this.t.comment(`sent ${id} with ${days.join(' ')}`)
    this.t.equal(state, 'looked')
    this.#imports.set(id, { days, isRun: false })
    return id
  }

  #some(isRun?: boolean): string | undefined {
    const ids = Array.from(this.#imports.keys())
    const fitting = ids.filter(id => isRun === undefined || this.#imports.get(id)!.isRun === isRun)
    return fitting.length === 0 ? undefined : this.random.pick(fitting)
  }

  async #run(): Promise<void> {
    const id = this.#some(false)
    if (id !== undefined) await this.#runOne(id)
  }

  async #runOne(id: string): Promise<void> {
    const known = this.#imports.get(id)!
    this.t.comment(`run ${id}`)
    const { state, tally } = await written(this.client, id)
    known.isRun = true
    const counts = this.#model.run(id, known.days)
    const { broughtIn, known: there, leftOut } = tally
    this.t.same(
      [state, broughtIn['mass/kg'] ?? 0, there['mass/kg'] ?? 0, leftOut[deletedBefore] ?? 0],
      ['written', counts.broughtIn, counts.known, counts.leftOut]
    )
  }

  async #takeOut(): Promise<void> {
    const id = this.#some()
    if (id === undefined) return
    this.t.comment(`take out ${id}`)
    await takenOut(this.client, id)
    this.#imports.delete(id)
    this.#model.takeOut(id)
  }

  /** The user deletes a weight permanently. */
  async #deleteOne(): Promise<void> {
    if (!this.random.chance(0.3)) return
    const event = (await this.#events())[0]
    if (!event) return
    this.t.comment(`delete ${event.id} of day ${dayOf(event)}`)
    await this.client.do('events.delete', { id: event.id })
    await this.client.do('events.delete', { id: event.id })
    const { deleted, owners } = this.#model
    deleted.set(dayOf(event), owners.get(dayOf(event))!)
    owners.delete(dayOf(event))
  }

  /** Runs several imports concurrently and cancels some: the order is open, so the model adopts the resulting state. */
  async #together(): Promise<void> {
    const ids = Array.from({ length: 3 }, () => this.#some()).filter(id => id !== undefined)
    const before = new Map(this.#model.owners)
    this.t.comment('at once:')
    const going = Array.from(new Set(ids), async id => {
      const known = this.#imports.get(id)!
      if (this.random.chance(0.3)) {
        this.t.comment(`take out ${id}`)
        await takenOut(this.client, id)
        this.#imports.delete(id)
        this.#model.takeOut(id)
      } else if (!known.isRun) {
        this.t.comment(`run ${id}`)
        await this.client.call('imports.run', { id })
        if (this.random.chance(0.5)) {
          this.t.comment(`cancel ${id}`)
          await this.client.call('imports.cancel', { id })
        }
        known.isRun = (await rested(this.client, id))?.state === 'written'
      }
    })
    await Promise.all(going)
    const { owners } = this.#model
    owners.clear()
    for (const event of await this.#events())
      owners.set(dayOf(event), event.clientData['coffer:import'] as string)
    for (const [day, owner] of owners)
      this.t.ok(this.#imports.has(owner), `day ${day} is of an import that is there`)
    for (const [day, owner] of before)
      if (!owners.has(day)) this.t.notOk(this.#imports.has(owner), `day ${day} went with its import`)
  }

  async #check(): Promise<void> {
    const events = await this.#events()
    this.t.same(
      events.map(event => [dayOf(event), event.content, event.clientData['coffer:import']]),
      Array.from(this.#model.owners, ([day, id]) => [day, 70 + day, id]).toSorted(
        ([a], [b]) => Number(a) - Number(b)
      )
    )
  }

  async #events(): Promise<Answer[]> {
    const all = { types: ['mass/kg'], fromTime: 0, toTime: 4e9, limit: 1000, sortAscending: true }
    return (await this.client.do('events.get', all)).events as Answer[]
  }
}

function dayOf({ time }: Answer): number {
  return ((time as number) - 1.6e9) / 86_400
}

t.test('imports in any order leave exactly their records', async t => {
  const random = seeded(t)
  for (let account = 0; account < accounts; account++) {
    const { alice } = await coffer(t)
    const story = new Story(t, alice, random)
    for (let step = 0; step < steps; step++) await story.step()
    await story.end()
  }
})
