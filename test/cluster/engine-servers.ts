/** Three real engine servers on loopback, which can be killed, frozen and restarted. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
import type { EngineOptions } from '../../cluster/nats/connection.js'
import { callApi } from '../../cluster/nats/jetstream.js'
import { createStreams, createStreamConfigs, type StreamConfig } from '../../cluster/nats/streams.js'
import { NatsEngine } from '../../cluster/nats-engine.js'
import { findEngine } from '../../scripts/dev/fetch-engine.js'
import { freePorts } from '../support/free-ports.js'

export interface EngineServersOptions {
  /** Whether each message is synced before it is acknowledged. */
  readonly syncAlways?: boolean
  readonly count?: number
  /** Additional configuration lines. */
  readonly configuration?: string
  /** Where each server runs: by default on loopback, with its own folder. */
  readonly places?: readonly Place[]
  /** The whole configuration of a server, in place of the default. */
  configurationOf?(member: Member, members: readonly Member[]): string
}

/** A separate machine, as far as one kernel can simulate it. */
export interface Place {
  /** The address at which others reach it. */
  readonly host?: string
  /** The command prefix that runs a command there. */
  readonly command?: readonly string[]
  /** The folder of the server's files. */
  readonly folder?: string
}

export interface Member {
  readonly name: string
  readonly host: string
  readonly command: readonly string[]
  readonly folder: string
  readonly port: number
  readonly monitorPort: number
  readonly routePort: number
  /** The shell that started the server, and kills it when this process is gone. */
  shell?: ChildProcess
  pid?: number
}

/** The streams that tests use: few, since each takes time to create. */
const streamNames = ['COFFER_PLATFORM', 'COFFER_OBJECTS', 'KV_coffer_lease', 'COFFER_WAL_00', 'COFFER_WAL_01']
const mebibyte = 1024 * 1024
const limits = {
  shardBytes: 64 * mebibyte,
  platformBytes: 64 * mebibyte,
  bucketBytes: 8 * mebibyte,
  objectBytes: 256 * mebibyte
}
/** Timeout for servers to find each other, and for a stream to elect its leader, in milliseconds. */
const patienceMs = 60_000
/** Longest pause between two polls, in milliseconds: slow conditions are polled less often, as polling takes time. */
const longestPauseMs = 200
/** Starts the server, prints its process id, and kills it when the other end of the pipe is closed. */
const script = '"$0" "$@" & server=$!; echo $server; read -r line; kill -9 $server; wait $server'

/** With one thread each, the servers take a third less CPU time: otherwise idle threads look for work, which is rare. */
const environment = { ...process.env, GOMAXPROCS: '1' }

export class EngineServers {
  private constructor(
    private readonly binary: string,
    readonly members: readonly Member[],
    private readonly options: EngineServersOptions
  ) {}

  /** Starts servers that form a cluster; the test's teardown stops them. */
  static async start(t: Pick<Test, 'teardown'>, options: EngineServersOptions = {}): Promise<EngineServers> {
    const root = mkdtempSync(join(tmpdir(), 'coffer-engine-'))
    const binary = await findEngine()
    const count = options.count ?? 3
    const ports = await freePorts(3 * count)
    const members = Array.from({ length: count }, (_, index): Member => {
      const [port, monitorPort, routePort] = ports.slice(3 * index) as [number, number, number]
      const {
        command = [],
        folder = join(root, String(index)),
        host = '127.0.0.1'
      } = options.places?.[index] ?? {}
      return { name: `n${index + 1}`, host, command, folder, port, monitorPort, routePort }
    })
    const servers = new EngineServers(binary, members, options)
    t.teardown(async () => {
      await Promise.all(members.map((_, index) => servers.kill(index)))
      rmSync(root, { recursive: true, force: true })
    })
    for (const index of members.keys()) await servers.restart(index)
    await until('the servers have found each other', async () => await servers.#isComplete())
    return servers
  }

  /** Number of servers. */
  get count(): number {
    return this.members.length
  }

  /** The URLs of all servers. */
  get urls(): string[] {
    return this.members.map(({ host, port }) => `nats://${host}:${port}`)
  }

  /** The monitoring URLs of all servers. */
  get monitors(): string[] {
    return this.members.map(monitorOf)
  }

  /** Connects; the test's teardown disconnects. */
  async connect(t: Pick<Test, 'teardown'>, options: Partial<EngineOptions> = {}): Promise<NatsEngine> {
    const engine = await NatsEngine.connect({ servers: this.urls, ...options })
    t.teardown(() => engine.close())
    return engine
  }

  /** Creates streams: all of a cluster, or the few that most tests use. */
  async makeStreams(engine: NatsEngine, isAll = false): Promise<void> {
    const streams = createStreamConfigs(limits)
    const chosen = isAll ? streams : streams.filter(({ name }) => streamNames.includes(name))
    await createStreams(engine, chosen)
  }

  /** Returns the index of the server that leads a stream; waits until there is one. */
  async leaderOf(stream: StreamConfig['name']): Promise<number> {
    let leader = -1
    await until(`${stream} has a leader`, async () => {
      const answers = await Promise.allSettled(this.monitors.map(url => json<Jsz>(`${url}/jsz?streams=1`)))
      // Only the leader's own claim counts: others learn later that it is gone.
      leader = answers.findIndex((answer, index) => {
        if (answer.status === 'rejected') return false
        const details = answer.value.account_details?.flatMap(({ stream_detail = [] }) => stream_detail) ?? []
        return details.find(({ name }) => name === stream)?.cluster?.leader === this.members[index]!.name
      })
      return leader >= 0
    })
    return leader
  }

  /** Asks the engine to let a server lead a stream, which may fail. */
  async askToLead(index: number, stream: StreamConfig['name'], { connection }: NatsEngine): Promise<void> {
    const wanted = { placement: { preferred: this.members[index]!.name } }
    await callApi(connection, `STREAM.LEADER.STEPDOWN.${stream}`, wanted, 2000).catch(() => {})
  }

  /** Kills a server, as when its machine dies. */
  async kill(index: number): Promise<void> {
    const { shell } = this.members[index]!
    if (!shell) return
    const gone = shell.exitCode === null ? once(shell, 'exit') : undefined
    // A frozen server dies as well.
    shell.stdin?.end()
    await gone
    delete this.members[index]!.shell
    delete this.members[index]!.pid
  }

  /** Stops a server gracefully; with `SIGUSR2`, it hands over its leaderships first. */
  async stop(index: number, signal: 'SIGTERM' | 'SIGUSR2' = 'SIGTERM'): Promise<void> {
    const { folder } = this.members[index]!
    process.kill(this.#pid(index), signal)
    const log = join(folder, 'server.log')
    await until('it has ended', () => readFileSync(log, 'utf8').trimEnd().endsWith('Server Exiting..'))
    await this.kill(index)
  }

  /** Freezes a server. */
  freeze(index: number): void {
    process.kill(this.#pid(index), 'SIGSTOP')
  }

  /** Resumes a frozen server. */
  thaw(index: number): void {
    process.kill(this.#pid(index), 'SIGCONT')
  }

  /** Restarts a stopped server with the files on its disk. */
  async restart(index: number): Promise<void> {
    const member = this.members[index]!
    mkdirSync(member.folder, { recursive: true })
    const file = join(member.folder, 'nats.conf')
    writeFileSync(file, this.#configuration(member))
    const log = join(member.folder, 'server.log')
    const [command, ...args] = [...member.command, 'sh', '-c', script, this.binary, '-c', file, '-l', log]
    const errors = openSync(log, 'a')
    const shell = spawn(command, args, { env: environment, stdio: ['pipe', 'pipe', errors] })
    closeSync(errors)
    const [line] = (await once(shell.stdout!, 'data')) as [Buffer]
    member.shell = shell
    member.pid = Number(line.toString())
    await until(`${member.name} has started`, async () => {
      if (shell.exitCode !== null) throw new Error(readFileSync(log, 'utf8').slice(-2000))
      return (await json<object>(`${monitorOf(member)}/varz`).catch(() => undefined)) !== undefined
    })
  }

  /** Returns the folder of a server's files for a stream. */
  streamFolder(index: number, stream: string): string {
    return join(this.members[index]!.folder, 'jetstream', '$G', 'streams', stream)
  }

  /** Deletes all files of a stopped server. */
  wipe(index: number): void {
    rmSync(this.members[index]!.folder, { recursive: true, force: true })
  }

  #pid(index: number): number {
    const { pid } = this.members[index]!
    if (pid === undefined) throw new Error('The server does not run')
    return pid
  }

  /** Returns whether all servers follow the same leader, and it knows all of them. */
  async #isComplete(): Promise<boolean> {
    const answers = await Promise.all(this.monitors.map(url => json<Jsz>(`${url}/jsz`)))
    const metas = answers.map(({ meta_cluster: meta }) => meta)
    const leaders = new Set(metas.map(meta => meta?.leader ?? ''))
    const [leader] = leaders
    const leading = metas[this.members.findIndex(({ name }) => name === leader)]
    const known = leading?.replicas?.filter(({ current }) => current) ?? []
    return leaders.size === 1 && known.length === this.count - 1
  }

  /** Returns the configuration file of a server. */
  #configuration(member: Member): string {
    const { folder, host, monitorPort, name, port, routePort } = member
    if (this.options.configurationOf) return this.options.configurationOf(member, this.members)
    const routes = this.members.map(({ host, routePort }) => `"nats://${host}:${routePort}"`)
    const sync = this.options.syncAlways === false ? '' : 'sync_interval: always'
    const pings = 'ping_interval: "1s"'
    return `
      server_name: ${name}
      listen: "${host}:${port}"
      http: "${host}:${monitorPort}"
      max_payload: 8MB
      ${this.options.configuration ?? ''}
      ${pings}
      write_deadline: "2s"
      lame_duck_duration: "30s"
      lame_duck_grace_period: "5s"
      jetstream { store_dir: "${folder}", max_file_store: 8GB, ${sync} }
      cluster {
        name: coffer
        listen: "${host}:${routePort}"
        ${pings}
        routes: [${routes.join(', ')}]
      }`
  }
}

interface Jsz {
  readonly meta_cluster?: {
    readonly leader?: string
    readonly replicas?: readonly { readonly current: boolean }[]
  }
  readonly account_details?: readonly {
    readonly stream_detail?: readonly { readonly name: string; readonly cluster?: { leader?: string } }[]
  }[]
}

/** Waits until a condition holds; rejects after a minute, or after the given milliseconds. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  longestMs = patienceMs
): Promise<void> {
  const deadline = performance.now() + longestMs
  for (let pauseMs = 50; !(await holds()); pauseMs = Math.min(longestPauseMs, 1.2 * pauseMs)) {
    if (performance.now() > deadline) throw new Error(`Waited in vain: ${what}`)
    await wait(pauseMs)
  }
}

/** Returns the monitoring URL of a server. */
function monitorOf({ host, monitorPort }: Member): string {
  return `http://${host}:${monitorPort}`
}

async function json<T>(url: string): Promise<T> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
  return (await answer.json()) as T
}
