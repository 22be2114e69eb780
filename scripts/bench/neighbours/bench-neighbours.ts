/** What others notice of one user's heavy work: their answers while it is done. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Child } from '../child.js'
import type { Options } from '../options.js'
import { postedEvent } from '../sample.js'
import { rootStream, type SeededUser } from '../seed.js'
import { Target } from '../target.js'
import { makeCast, type Cast } from './cast.js'
import { Hands } from './hands.js'
import { heavyThings } from './heavy.js'
import { nothing, type Heavy } from './thing.js'
import type { Order, Watched, WatchedAsk } from './watch.js'

/** The most that a neighbour's slowest hundredth may take, and that the server may be at one thing. */
export const neighbourGoals = { p99Ms: 50, turnMs: 100 }
/** Seconds. */
const warmUp = 2
/** A heavy thing is done again and again for this long, seconds, unless it can be done only once. */
const doneFor = 5

/** What a neighbour noticed of one thing. */
export interface Noticed extends Watched {
  readonly name: string
  /** Time of the heavy thing itself: of all if it was done several times. */
  readonly heavySeconds: number
  /** CPU time of the longest turn of the server's loop meanwhile, milliseconds: this is all that is the server's own doing. */
  readonly turnMs: number
  readonly isMet: boolean
}

export async function benchNeighbours(
  directory: string,
  { part, profile, quick, seconds }: Options
): Promise<Noticed[]> {
  const dataDir = join(directory, 'neighbours')
  const cast = await makeCast(dataDir, quick)
  const all = heavyThings()
  const noticed: Noticed[] = []
  for (const keepsHistory of [false, true]) {
    const things = all.filter(
      thing => (thing.keepsHistory ?? false) === keepsHistory && thing.name.toLowerCase().includes(part)
    )
    if (things.length === 0) continue
    const street = await Street.open(dataDir, cast, keepsHistory, profile)
    try {
      for (const thing of things) noticed.push(await street.watched(thing, seconds * doneFor))
    } finally {
      await street.close()
    }
  }
  return noticed
}

/** A server with its accounts, watched from a process of its own. */
export class Street {
  private constructor(
    private readonly target: Target,
    private readonly cast: Cast,
    private readonly turnsFile: string
  ) {}

  static async open(
    dataDir: string,
    cast: Cast,
    keepsHistory: boolean,
    profile: string | undefined
  ): Promise<Street> {
    const turnsFile = join(dataDir, '..', 'turns')
    writeFileSync(turnsFile, '')
    const nodeOptions = ['--import', new URL('turns.js', import.meta.url).href]
    if (profile !== undefined) nodeOptions.push('--cpu-prof', `--cpu-prof-dir=${profile}`)
    const target = await Target.start(dataDir, nodeOptions, {
      BENCH_TURNS: turnsFile,
      COFFER_AUTH_TRUSTED_APPS: '*@*',
      COFFER_USER_ACCOUNT_DELETE: 'personalToken',
      ...(keepsHistory && {
        COFFER_VERSIONING_FORCE_KEEP_HISTORY: 'true',
        COFFER_VERSIONING_DELETION_MODE: 'keep-everything'
      })
    })
    const street = new Street(target, cast, turnsFile)
    // Until the compiler of Node has done its work, and files are open.
    await street.watched(nothing, warmUp)
    return street
  }

  /** Does one thing while a neighbour asks for little. */
  async watched(thing: Heavy, seconds: number): Promise<Noticed> {
    const { cast, target, turnsFile } = this
    const watch = new Child<Order, unknown>(new URL('watch.js', import.meta.url))
    const hands = new Hands(target)
    try {
      await watch.ask({ port: target.port, asks: lightAsks(cast.light) })
      writeFileSync(turnsFile, '')
      const startMs = performance.now()
      do await thing.do(hands, cast)
      while (!thing.isOnce && performance.now() - startMs < seconds * 1000)
      const heavySeconds = (performance.now() - startMs) / 1000
      const result = (await watch.ask({ port: 0 })) as Watched
      if (result.complaint !== undefined) throw new Error(`A neighbour was refused: ${result.complaint}`)
      const turnMs = Math.max(0, ...readFileSync(turnsFile, 'utf8').split('\n').map(Number))
      const isMet = result.p99Ms <= neighbourGoals.p99Ms && turnMs <= neighbourGoals.turnMs
      return { name: thing.name, ...result, heavySeconds, turnMs, isMet }
    } finally {
      hands.close()
      await watch.stop()
    }
  }

  async close(): Promise<void> {
    await this.target.stop()
  }
}

/** What somebody does who does little: reads a list, an event, and writes one. */
function lightAsks({ eventIds, token, username }: SeededUser): WatchedAsk[] {
  const read = (path: string): WatchedAsk => ({
    verb: 'GET',
    path: `/${username}${path}`,
    token,
    body: undefined
  })
  const write = {
    verb: 'POST',
    path: `/${username}/events`,
    token,
    body: JSON.stringify(postedEvent(rootStream))
  } as const
  return [read('/events?limit=20'), read(`/events/${eventIds[0]}`), write]
}
