/**
 * Compares the copies of streams. A server whose files were damaged continues without the lost records, may lead the
 * stream, and answers as if they never existed: only its count of records reveals that.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Alarm } from '../alarm.js'
import { EngineUnavailable } from '../engine.js'
import type { Connected } from './connection.js'
import { callApi, JetStreamError } from './jetstream.js'
import { formatList } from './format-list.js'
import { fetchJetStreamState, fetchServerState } from './monitor.js'

/** One server's copy of a stream at one time. */
export interface Replica {
  readonly server: string
  readonly leader: string
  readonly messages: number
  readonly first: number
  readonly last: number
}

/** The result of comparing the copies of a stream. */
export interface ReplicaReport {
  readonly stream: string
  /** The server that leads the stream; empty if the stream has no leader at present. */
  readonly leader: string
  /** The servers whose copies are complete, since two of them agree. */
  readonly complete: readonly string[]
  /** The servers whose copies lack records that another one has. */
  readonly incomplete: readonly string[]
}

/** Number of observations before copies are considered different: they differ briefly whenever a log is trimmed. */
const maxObservations = 6
const pauseMs = 150

export class Replicas {
  /** `monitors`: the monitoring addresses of servers; the engine is used to step leaders down. */
  constructor(
    private readonly engine: Connected,
    private readonly monitors: readonly string[]
  ) {}

  /** Compares the copies of some streams, or of all. Servers that do not answer are omitted. */
  async compare(streams?: readonly string[]): Promise<ReplicaReport[]> {
    const observations = new Map<string, Replica[][]>()
    for (let times = 0; times < maxObservations; times++) {
      if (times > 0) await wait(pauseMs)
      for (const [stream, replicas] of await this.#observe())
        if (!streams || streams.includes(stream))
          observations.set(stream, [...(observations.get(stream) ?? []), replicas])
      if (Array.from(observations).every(([stream, all]) => isSettled(createReport(stream, all), all))) break
    }
    return Array.from(observations, ([stream, all]) => createReport(stream, all))
  }

  /**
   * Resolves when a stream is led by a server whose copy is complete, after making such a server the leader if needed.
   * Rejects with `EngineUnavailable` if that takes longer than the timeout, or the copies do not agree.
   */
  async waitUntilComplete(stream: string, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const [report] = await this.compare([stream])
      if (report?.complete.includes(report.leader)) return
      if (performance.now() > deadline)
        throw new EngineUnavailable(
          new Error(
            createAlarms(report ? [report] : [])[0]?.text ?? `No intact replica of ${stream} is its leader`
          )
        )
      if (report) await this.#replaceLeader(report)
      await wait(pauseMs)
    }
  }

  /** Compares all streams, and steps down leaders whose copies are incomplete. Resolves with alarms for the operator. */
  async repairLeaders(): Promise<Alarm[]> {
    const reports = await this.compare()
    for (const report of reports) await this.#replaceLeader(report)
    return createAlarms(reports)
  }

  /** Asks a leader whose copy lacks records to hand over to a server that has them. */
  async #replaceLeader({ leader, complete, stream, incomplete }: ReplicaReport): Promise<void> {
    const [preferred] = complete
    if (preferred === undefined || !incomplete.includes(leader)) return
    try {
      const wanted = { placement: { preferred } }
      await callApi(this.engine.connection, `STREAM.LEADER.STEPDOWN.${stream}`, wanted, this.engine.timeoutMs)
    } catch (error) {
      // Retried at the next comparison.
      if (!(error instanceof JetStreamError || error instanceof EngineUnavailable)) throw error
    }
  }

  /** Reads the state of each stream's copies, as their servers report it now. */
  async #observe(): Promise<Map<string, Replica[]>> {
    const servers = await Promise.all(
      this.monitors.map(async monitor => {
        // Concurrently: each waits long for a machine that is gone, and a takeover waits for both.
        const [server, jetStream] = await Promise.all([
          fetchServerState(monitor),
          fetchJetStreamState(monitor)
        ])
        return { name: server?.server_name, streams: jetStream?.streams }
      })
    )
    const found = new Map<string, Replica[]>()
    for (const { name, streams } of servers)
      for (const [stream, { cluster, state }] of name === undefined ? [] : (streams ?? [])) {
        const replica = {
          server: name as string,
          leader: cluster?.leader ?? '',
          messages: state.messages,
          first: state.first_seq,
          last: state.last_seq
        }
        found.set(stream, [...(found.get(stream) ?? []), replica])
      }
    return found
  }
}

/**
 * Evaluates several observations of the copies of a stream. Copies can be compared while they end with the same record.
 * A copy that has as many records as any other, and agrees with a second copy, is complete; a copy that always has
 * fewer records than another is incomplete.
 */
export function createReport(stream: string, observations: readonly (readonly Replica[])[]): ReplicaReport {
  const complete = new Set<string>()
  const fewer = new Map<string, number>()
  for (const replicas of observations)
    for (const replica of replicas) {
      const others = replicas.filter(other => other !== replica && other.last === replica.last)
      if (others.some(({ messages }) => messages > replica.messages))
        fewer.set(replica.server, (fewer.get(replica.server) ?? 0) + 1)
      else if (others.some(({ first, messages }) => messages === replica.messages && first === replica.first))
        complete.add(replica.server)
    }
  const incomplete = [...fewer].filter(([server, times]) => times > 1 && !complete.has(server))
  const last = observations.at(-1) ?? []
  // Only a server's own report that it leads is trusted: others learn later that it does not.
  const leader = last.find(replica => replica.server === replica.leader)?.server ?? ''
  return {
    stream,
    leader,
    complete: [...complete].toSorted(),
    incomplete: incomplete.map(([server]) => server).toSorted()
  }
}

/** Creates alarms for streams whose copies do not agree; no alarms for streams that could not be compared. */
export function createAlarms(reports: readonly ReplicaReport[]): Alarm[] {
  const lacking = new Map<string, string[]>()
  const alarms: Alarm[] = []
  for (const { complete, stream, incomplete } of reports)
    if (complete.length > 0)
      for (const server of incomplete) lacking.set(server, [...(lacking.get(server) ?? []), stream])
    else if (incomplete.length > 0)
      alarms.push({
        kind: 'copies',
        about: stream,
        text: `No two replicas of ${stream} agree, and ${incomplete.join(' and ')} lacks records. Its accounts are not taken over until you decide which replica to keep`
      })
  return [...alarms, ...createLackingAlarms(lacking)]
}

/** Creates alarms for servers that lack records of streams. */
export function createLackingAlarms(lacking: ReadonlyMap<string, readonly string[]>): Alarm[] {
  return Array.from(lacking, ([server, streams]) => ({
    kind: 'replica',
    about: server,
    text: `${server} lacks records of ${formatList(streams)} that the other servers have. Have its replica rebuilt`
  }))
}

/** Returns whether another observation would not change a report: every observed copy is complete. */
function isSettled({ complete }: ReplicaReport, observations: readonly (readonly Replica[])[]): boolean {
  return observations.flat().every(({ server }) => complete.includes(server))
}
