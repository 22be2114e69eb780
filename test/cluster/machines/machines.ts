/**
 * Three machines under load, each with a node and a server of the engine: what all long tests of faults have in common. With
 * COFFER_TEST_ROUNDS they run in so many rounds, also without COFFER_TEST_LONG.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { NatsEngine } from '../../../cluster/nats-engine.js'
import { Replicas } from '../../../cluster/nats/replicas.js'
import { Random } from '../../support/random.js'
import { EngineServers, until, type Place } from '../engine-servers.js'
import { Load, type LoadOptions, type Person } from '../load.js'
import { NodeProcess } from '../node-processes.js'
import { beginCluster, makePeople } from '../people.js'

export interface MachinesOptions {
  /** Where each of the machines is. */
  readonly places?: readonly MachinePlace[]
  /** Whether the engine syncs before it acknowledges. Without that nodes cannot be told to look at its servers. */
  readonly syncAlways?: boolean
  /** Most bytes of each of the logs, if they are not trimmed. */
  readonly shardBytes?: number
  /** Further flags of the nodes. */
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly load?: LoadOptions
}

export interface MachinePlace extends Place {
  /** The address at which clients reach the node. */
  readonly clientHost?: string
  /** The data folder of the node. */
  readonly directory?: string
}

const wanted = process.env['COFFER_TEST_ROUNDS']
/** Why the long tests of faults are left out; `false` if they are not. */
export const isLeftOut =
  wanted === undefined && process.env['COFFER_TEST_LONG'] !== '1' && 'only in the long form'
/** Number of rounds. */
export const rounds = Number(wanted ?? 5)
/** For how long such a test may run, in milliseconds. */
export const timeoutMs = 1_200_000 + rounds * 600_000
/** What a node says that has ended because the engine does not answer. */
const engineSilent = /EngineUnavailable|The log of the platform is unreachable\s*$/
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

/** Users, each with a writer and a reader. */
const userCount = 24
const pauseMs = 60
/** Longest time until all is well again, in milliseconds: a server that was away has to fetch what it missed. */
export const longestMs = 300_000

export class Machines {
  #load: Load

  private constructor(
    readonly servers: EngineServers,
    readonly nodes: readonly NodeProcess[],
    readonly people: readonly Person[],
    private readonly loadOf: (people: readonly Person[]) => Load,
    readonly random: Random,
    readonly engine: NatsEngine,
    /** Tells whether the copies of the engine's servers agree. */
    readonly replicas: Replicas
  ) {
    this.#load = loadOf(people)
  }

  /** The load that runs. */
  get load(): Load {
    return this.#load
  }

  /** Starts everything; resolves once all users are served. The test's teardown ends it. */
  static async start(t: Test, options: MachinesOptions = {}): Promise<Machines> {
    t.comment(`COFFER_TEST_SEED=${seed} COFFER_TEST_ROUNDS=${rounds}`)
    const root = mkdtempSync(join(tmpdir(), 'coffer-machines-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true }))
    const random = new Random(seed)
    const { environment, flags = [], load: loadOptions, places, shardBytes, syncAlways = true } = options
    const servers = await EngineServers.start(t, { syncAlways, ...(places && { places }) })
    const url = servers.urls.join(',')
    const nodes = Array.from({ length: servers.count }, (_, index) => {
      const { clientHost, command, directory = join(root, `n${index + 1}`) } = places?.[index] ?? {}
      mkdirSync(directory, { recursive: true })
      return new NodeProcess(t, {
        name: `n${index + 1}`,
        directory,
        engine: url,
        log: join(root, `n${index + 1}.log`),
        flags: [
          ...flags,
          ...(syncAlways ? [`--cluster.engineMonitors=${servers.monitors.join(',')}`] : []),
          ...(clientHost === undefined ? [] : [`--host=${clientHost}`])
        ],
        ...(command && { command }),
        ...(environment && { environment })
      })
    })
    const first = nodes[0]!.options.directory
    const people = await makePeople(first, userCount)
    await beginCluster(first, url, shardBytes)
    const urls = (): string[] => nodes.map(node => node.url).filter(each => each !== '')
    const loadOf = (whose: readonly Person[]): Load =>
      new Load(whose, urls, random, { pauseMs, ...loadOptions })
    const engine = await servers.connect(t)
    const replicas = new Replicas(engine, servers.monitors)
    const machines = new Machines(servers, nodes, people, loadOf, random, engine, replicas)
    await Promise.all(nodes.map(node => node.start()))
    machines.load.start()
    t.teardown(() => machines.load.end())
    await machines.recovered('all users to be served')
    return machines
  }

  /** One of the machines. */
  pick(): number {
    return this.random.below(this.nodes.length)
  }

  /** Both processes of a machine die at once. */
  async kill(index: number): Promise<void> {
    await Promise.all([this.nodes[index]!.kill(), this.servers.kill(index)])
  }

  /** Starts a machine again. */
  async restart(index: number): Promise<void> {
    await this.servers.restart(index)
    await this.startNode(this.nodes[index]!)
  }

  /** Starts a node as its supervisor does: again, where it has ended because the engine does not answer yet. */
  async startNode(node: NodeProcess): Promise<void> {
    const begin = async (): Promise<boolean> =>
      await node.start().then(
        () => true,
        error => {
          if (engineSilent.test(String(error))) return false
          throw error
        }
      )
    await until(`${node.name} to serve`, begin, longestMs)
  }

  /**
   * Waits from now on until each user has had a successful write. Resolves with the time that each of them was without one, in
   * milliseconds, the shortest first.
   */
  async recovered(what: string): Promise<readonly number[]> {
    const fromMs = performance.now()
    const waiting = new Set(this.people.map(({ username }) => username))
    const times: number[] = []
    await until(
      what,
      () => {
        for (const username of waiting) {
          const writtenMs = this.load.writtenSince([username])
          if (writtenMs <= fromMs) continue
          waiting.delete(username)
          times.push(Math.round(writtenMs - fromMs))
        }
        return waiting.size === 0
      },
      longestMs
    )
    return times.toSorted((a, b) => a - b)
  }

  /** Whether every server has all that the others know of. */
  async areCurrent(): Promise<boolean> {
    const asked = this.servers.monitors.map(async url => (await fetch(`${url}/healthz`)).ok)
    return (await Promise.all(asked).catch(() => [false])).every(Boolean)
  }

  /** Waits until every server has all that the others have, every node serves, and every user is served. */
  async isWhole(what: string): Promise<void> {
    await until(what, () => this.areCurrent(), longestMs)
    await until(
      what,
      async () => {
        const reports = await this.replicas.compare()
        return (
          reports.length > 0 && reports.every(({ complete: sound }) => sound.length === this.servers.count)
        )
      },
      longestMs
    )
    await until(what, async () => (await Promise.all(this.nodes.map(isReady))).every(Boolean), longestMs)
    await this.recovered(what)
  }

  /** Begins another load with the same users, who may have other registers and streams. The former one must have ended. */
  loadAnew(people: readonly Person[]): void {
    this.#load = this.loadOf(people)
    this.#load.start()
  }

  /** Ends the load, and looks at all that was written and read. */
  async end(t: Test): Promise<void> {
    await this.load.stop()
    const { acknowledged, faults, odd, reads, refused } = this.load
    t.comment(`${acknowledged} acknowledged, ${reads} reads, ${refused} refused or not answered`)
    t.same(faults, [])
    t.same(Array.from(odd), [])
    t.ok(acknowledged > 0 && reads > 0)
  }
}

/** Some times in words: how many users were without an answer for more than a second, for how long in the middle, and at most. */
export function inWords(times: readonly number[]): string {
  const waited = times.filter(ms => ms > 1000)
  const middle = waited[waited.length >> 1] ?? 0
  return `${waited.length} of ${times.length} users waited, ${middle} ms in the middle, ${times.at(-1)} ms at most`
}

async function isReady({ url }: NodeProcess): Promise<boolean> {
  return url !== '' && (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true
}
