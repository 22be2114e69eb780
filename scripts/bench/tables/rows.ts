/** Measures rows of the table. After each row it measures the bare server doing the same work. */
import type { Bench } from '../bench.js'
import type { RequestSpec } from '../load/request-spec.js'
import type { Meter, Subject } from '../load/meter.js'
import { getResidentMb } from '../load/statistics.js'
import { userGroups, userCount, type Row } from '../rows.js'
import { withSeeder, type SeededUser, type Seeder } from '../seed/seeder.js'
import { createLine, type Line, type Table } from '../table.js'

/** Measures the requests of the table, alternating with those of the bare server. */
export async function measureRows(bench: Bench, rows: readonly Row[]): Promise<Table[]> {
  const { meter, options } = bench
  const make = async (seeder: Seeder) => {
    const users = new Map<string, readonly SeededUser[]>()
    for (const who of new Set(rows.map(row => row.who)))
      users.set(who, await seeder.createUsers(who, userGroups[who].count, userGroups[who]))
    return users
  }
  return await bench.withServer(
    'rows',
    dataDir => withSeeder(dataDir, make),
    async ({ origin, pid, port }, users) => {
      const subjects: Subject[] = []
      for (const row of rows) {
        const { asks, connections, name, who } = row
        const all: RequestSpec[] = []
        for (const user of users.get(who)!) all.push(...[asks(user, origin)].flat())
        subjects.push({ name, pid, port, requests: all, connections }, ...createBareSubject(bench, row))
      }
      await meter.waitUntilIdle(pid)
      await meter.measureInTurns(subjects, options.rounds, options.seconds)
      return [
        { title: 'row', lines: rows.map(row => toLine(row, meter)) },
        { title: 'after these rows', lines: [createLine('memory, MB', getResidentMb(pid), 250)] }
      ]
    }
  )
}

function createBareSubject(bench: Bench, { bare, connections, name }: Row): Subject[] {
  if (!bare) return []
  const { server = 'http', ...ask } = bare
  const asks = Array.from({ length: userCount }, (_, user) => ({
    ...ask,
    path: ask.path.replace('{user}', String(user))
  }))
  return [{ name: `${name}, bare`, ...bench.getBareServer(server), requests: asks, connections }]
}

/** Returns the figures of a row beside those of the bare server, and whether its targets are met. */
function toLine({ targets, name }: Row, meter: Meter): Line {
  const [ours, bare] = [meter.figures(name), meter.figures(`${name}, bare`)]
  const { cpu, cpuMs } = targets
  const cpuRatio = bare.cpuUs / ours.cpuUs
  const isTargetMet =
    (cpu === undefined || cpuRatio >= cpu) && (cpuMs === undefined || ours.cpuUs <= cpuMs * 1000)
  const aim = [cpu && `CPU ≥ ${cpu}`, cpuMs && `≤ ${cpuMs} ms`].filter(Boolean).join(', ')
  return {
    name,
    figures: {
      'CPU µs': ours.cpuUs,
      'bare µs': bare.cpuUs,
      'req/s': ours.perSecond,
      'bare/s': bare.perSecond,
      'p50 ms': ours.p50Ms,
      'p99 ms': ours.p99Ms,
      'CPU ratio': cpuRatio
    },
    ...(aim !== '' && { target: aim, isTargetMet })
  }
}
