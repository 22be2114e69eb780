/** Measures every row beside its reference, round by round, so that both see the same minutes of the machine. */
import type { Figures, Meter, Subject } from './meter.js'
import type { Options } from './options.js'
import { references, type ReferenceName, type ReferenceServer } from './references.js'
import { rowRequests, type Cast, type Row } from './rows.js'
import type { Target } from './target.js'

/** A row's figures beside its reference's. */
export interface Comparison {
  readonly row: Row
  readonly ours: Figures
  readonly reference: Figures
  /** The reference's CPU time per request by ours: 1 is as cheap as can be. */
  readonly cpuRatio: number
  /** Our requests per second by the reference's. */
  readonly perSecondRatio: number
  readonly isMet: boolean
}

interface Measured {
  readonly name: ReferenceName
  readonly subject: Subject
  readonly rows: readonly { readonly row: Row; readonly subject: Subject }[]
}

/** Measures rows and their references; those that no row names as well, unless only some rows are wanted. */
export async function compare(
  meter: Meter,
  server: ReferenceServer,
  target: Target,
  cast: Cast,
  rows: readonly Row[],
  { rounds, only }: Options
): Promise<Comparison[]> {
  const plan = referenceNames(rows, only).map(name => planOf(name, server, target, cast, rows))
  for (const { subject, rows: own } of plan)
    for (const each of [subject, ...own.map(entry => entry.subject)]) await meter.warmUp(each)
  for (let round = 0; round < rounds; round++)
    for (const { subject, rows: own } of plan) {
      await meter.take(subject)
      for (const entry of own) await meter.take(entry.subject)
    }
  return rows.map(row => comparison(row, meter.figures(row.name), meter.figures(row.reference)))
}

function referenceNames(rows: readonly Row[], only: string): ReferenceName[] {
  const named = new Set(rows.map(({ reference }) => reference))
  return (Object.keys(references) as ReferenceName[]).filter(name => only === '' || named.has(name))
}

function planOf(
  name: ReferenceName,
  server: ReferenceServer,
  target: Target,
  cast: Cast,
  rows: readonly Row[]
): Measured {
  const { connections } = references[name]
  const subject = {
    name,
    pid: server.pid,
    port: server.port(name),
    requests: server.requests(name),
    connections
  }
  const own = rows
    .filter(({ reference }) => reference === name)
    .map(row => ({
      row,
      subject: {
        name: row.name,
        pid: target.pid,
        port: target.port,
        requests: rowRequests(row, cast),
        connections
      }
    }))
  return { name, subject, rows: own }
}

function comparison(row: Row, ours: Figures, reference: Figures): Comparison {
  const cpuRatio = reference.cpuUs / ours.cpuUs
  const perSecondRatio = ours.perSecond / reference.perSecond
  const { cpu = 0, perSecond = 0, cpuUs = Infinity } = row.goals
  const isMet = ours.bad === 0 && cpuRatio >= cpu && perSecondRatio >= perSecond && ours.cpuUs <= cpuUs
  return { row, ours, reference, cpuRatio, perSecondRatio, isMet }
}
