/**
 * Three machines under load, each with a node and an engine server: shared by all long fault tests.
 * COFFER_TEST_ROUNDS sets the number of rounds, and runs them even without COFFER_TEST_LONG.
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
  /** Where each machine runs. */
  readonly places?: readonly MachinePlace[]
  /** Whether the engine syncs before it acknowledges. If not, nodes cannot be configured to check its servers. */
  readonly syncAlways?: boolean
  /** Size limit of each log, for logs that are not trimmed, in bytes. */
  readonly shardBytes?: number
  /** Additional flags of the nodes. */
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly load?: LoadOptions
}

export interface MachinePlace extends Place {
  /** The address at which clients reach the node. */
  readonly clientHost?: string
  /** The data directory of the node. */
  readonly directory?: string
}

const wanted = process.env['COFFER_TEST_ROUNDS']
/** Why the long fault tests are skipped; `false` if they run. */
export const isLeftOut =
  wanted === undefined && process.env['COFFER_TEST_LONG'] !== '1' && 'only in the long form'
/** Number of rounds. */
export const rounds = Number(wanted ?? 5)
/** Timeout of such a test, in milliseconds. */
export const timeoutMs = 1_200_000 + rounds * 600_000
/** Log output of a node that has exited because the engine is unavailable. */
const engineSilent = /EngineUnavailable|The log of the platform is unreachable\s*$/
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

/** Number of users, each with a writer and a reader. */
const userCount = 24
const pauseMs = 60
/** Timeout for full recovery, in milliseconds: a server that was down must fetch what it missed. */
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
    /** Checks whether the engine servers' replicas agree. */
    readonly replicas: Replicas
  ) {
    this.#load = loadOf(people)
  }

  /** The current load. */
  get load(): Load {
    return this.#load
  }

  /** Starts everything; resolves once all users are served. The test's teardown stops it. */
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

  /** Returns the index of a random machine. */
  pick(): number {
    return this.random.below(this.nodes.length)
  }

  /** Kills both processes of a machine together. */
  async kill(index: number): Promise<void> {
    await Promise.all([this.nodes[index]!.kill(), this.servers.kill(index)])
  }

  /** Restarts a machine. */
  async restart(index: number): Promise<void> {
    await this.servers.restart(index)
    await this.startNode(this.nodes[index]!)
  }

  /** Starts a node as its supervisor does: again if it has exited because the engine is not available yet. */
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
   * Waits until each user has had another successful write. Resolves with the time that each of them was without one,
   * in milliseconds, shortest first.
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

  /** Returns whether every server is up to date. */
  async areCurrent(): Promise<boolean> {
    const asked = this.servers.monitors.map(async url => (await fetch(`${url}/healthz`)).ok)
    return (await Promise.all(asked).catch(() => [false])).every(Boolean)
  }

  /** Waits until every server is up to date, every node is ready, and every user is served. */
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

  /** Starts another load of the same users, possibly with new registers and streams. The last one must have ended. */
  loadAnew(people: readonly Person[]): void {
    this.#load = this.loadOf(people)
    this.#load.start()
  }

  /** Stops the load, and checks everything written and read. */
  async end(t: Test): Promise<void> {
    await this.load.stop()
    const { acknowledged, faults, odd, reads, refused } = this.load
    t.comment(`${acknowledged} acknowledged, ${reads} reads, ${refused} refused or not answered`)
    t.same(faults, [])
    t.same(Array.from(odd), [])
    t.ok(acknowledged > 0 && reads > 0)
  }
}

/** Formats outages: how many users waited for more than a second, the median and the maximum. */
export function inWords(times: readonly number[]): string {
  const waited = times.filter(ms => ms > 1000)
  const middle = waited[waited.length >> 1] ?? 0
  return `${waited.length} of ${times.length} users waited, ${middle} ms in the middle, ${times.at(-1)} ms at most`
}

async function isReady({ url }: NodeProcess): Promise<boolean> {
  return url !== '' && (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true
}
