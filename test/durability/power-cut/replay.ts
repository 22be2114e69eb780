/** Replays a recording and cuts the power at several points. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../support/random.js'
import { Disk, type Fate } from './disk.js'
import type { Person } from './person.js'
import { sendings } from './promises.js'
import type { Entry } from './recording.js'

export interface Cuts {
  /** Number of cuts right after a response, which keep only what was synced. */
  readonly answers: number
  /** Number of cuts anywhere, which keep some of the rest. */
  readonly anywhere: number
  /** Seed of the random choices. */
  readonly seed: number
}

/** A cut after the entry with this index. */
interface Cut {
  readonly index: number
  readonly fate: Fate
}

/** Returns the problems of a data directory after a cut. */
export type Examine = (dataDir: string, people: readonly Person[]) => Promise<string[]>

export interface Findings {
  readonly cuts: number
  readonly problems: string[]
}

export class Replay {
  constructor(
    /** The recorded folder, and the service's data directory in it. */
    private readonly root: string,
    private readonly dataDir: string,
    private readonly entries: readonly Entry[],
    private readonly people: readonly Person[]
  ) {}

  /**
   * Cuts, rebuilds below `scratch`, and examines; ends at the first cut that leaves less than was promised. Rebuilds
   * only accounts that have changed, unless `isWhole`.
   */
  async run(cuts: Cuts, scratch: string, examine: Examine, isWhole = false): Promise<Findings> {
    this.#begin()
    const disk = new Disk(this.root)
    const within = this.dataDir.slice(this.root.length + 1)
    let touched = new Set<string>()
    let at = 0
    const plan = this.#plan(cuts)
    for (const [number, { index, fate }] of plan.entries()) {
      for (; at <= index; at++) {
        const entry = this.entries[at]!
        const account = accountOf(entry.path)
        if (account !== undefined) touched.add(account)
        disk.apply(entry)
      }
      for (const person of this.people) for (const promises of person.all) promises.advance(index)
      rmSync(scratch, { recursive: true, force: true })
      mkdirSync(scratch, { recursive: true })
      const among = touched
      touched = new Set()
      disk.write(scratch, fate, path => {
        const account = accountOf(`/${path}`)
        return isWhole || account === undefined || among.has(account)
      })
      const problems = await examine(join(scratch, within), this.people)
      if (problems.length > 0) {
        const { at: time, kind } = this.entries[index]!
        const rest = typeof fate === 'string' ? fate : 'in part'
        problems.unshift(
          `cut ${number} after entry ${index} (${kind}, ${time}), what was not synced ${rest}:`
        )
        return { cuts: number + 1, problems }
      }
    }
    return { cuts: plan.length, problems: [] }
  }

  #begin(): void {
    const sent = sendings(this.entries)
    for (const person of this.people) for (const promises of person.all) promises.begin(sent)
  }

  #plan({ answers, anywhere, seed }: Cuts): Cut[] {
    const random = new Random(seed)
    const known = this.people.flatMap(person => person.all.flatMap(promises => promises.answers))
    const after = Array.from({ length: answers }, (_, index): Cut => {
      // Each response is used before any is repeated.
      const answer = known[Math.floor((index * known.length) / answers)]!
      return { index: answer, fate: 'lost' }
    })
    const others = Array.from({ length: anywhere }, (): Cut => {
      const index = random.below(this.entries.length)
      return { index, fate: random.pick([random, random, random, 'lost', 'kept']) }
    })
    return [...after, ...others].toSorted((a, b) => a.index - b.index)
  }
}

/** Returns the account to which a path belongs. */
function accountOf(path: string): string | undefined {
  return /\/users\/[^/]+\/([^/]+)/.exec(path)?.[1]
}
