/** Measures rows side by side with the bare requests that do the same work. */
import type { Bench } from '../bench.js'
import type { Ask } from '../load/ask.js'
import type { Meter, Subject } from '../load/meter.js'
import { residentMb } from '../load/statistics.js'
import { crowds, userCount, type Aims, type Row } from '../rows.js'
import { seeded, type SeededUser, type Seeder } from '../seed/seeder.js'
import { measure, type Line, type Table } from '../table.js'

export async function measureRows(bench: Bench, rows: readonly Row[]): Promise<Table[]> {
  const { meter, options } = bench
  const make = async (seeder: Seeder) => {
    const users = new Map<string, readonly SeededUser[]>()
    for (const who of new Set(rows.map(row => row.who)))
      users.set(who, await seeder.users(who, crowds[who].count, crowds[who]))
    return users
  }
  return await bench.onServer(
    'rows',
    dataDir => seeded(dataDir, make),
    async ({ origin, pid, port }, users) => {
      const subjects: Subject[] = []
      for (const row of rows) {
        const { asks, connections, name, who } = row
        const all: Ask[] = []
        for (const user of users.get(who)!) all.push(...[await asks(user, origin)].flat())
        subjects.push({ name, pid, port, asks: all, connections }, ...bareSubject(bench, row))
      }
      await meter.untilIdle(pid)
      await meter.interleave(subjects, options.rounds, options.seconds)
      return [
        { title: 'row', lines: rows.map(row => lineOf(row, meter)) },
        { title: 'after these rows', lines: [measure('memory, MB', residentMb(pid), 250)] }
      ]
    }
  )
}

function bareSubject(bench: Bench, { bare, connections, name }: Row): Subject[] {
  if (!bare) return []
  const { port = 'http', ...ask } = bare
  const asks = Array.from({ length: userCount }, (_, user) => ({
    ...ask,
    path: ask.path.replace('{user}', String(user))
  }))
  return [{ name: `${name}, bare`, ...bench.bareServer(port), asks, connections }]
}

function lineOf({ aims, name }: Row, meter: Meter): Line {
  const [ours, bare] = [meter.figures(name), meter.figures(`${name}, bare`)]
  const [cpuRatio, perSecondRatio] = [bare.cpuUs / ours.cpuUs, ours.perSecond / bare.perSecond]
  const { cpu, cpuMs, perSecond } = aims
  const isMet =
    (cpu === undefined || cpuRatio >= cpu) &&
    (perSecond === undefined || perSecondRatio >= perSecond) &&
    (cpuMs === undefined || ours.cpuUs <= cpuMs * 1000)
  return {
    name,
    figures: {
      'CPU µs': ours.cpuUs,
      'bare µs': bare.cpuUs,
      'req/s': ours.perSecond,
      'bare/s': bare.perSecond,
      'p50 ms': ours.p50Ms,
      'p99 ms': ours.p99Ms,
      'CPU ratio': cpuRatio,
      'req/s ratio': perSecondRatio
    },
    ...(Object.keys(aims).length > 0 && { aim: aimText(aims), isMet })
  }
}

function aimText({ cpu, cpuMs, perSecond }: Aims): string {
  return [
    ...(cpu === undefined ? [] : [`CPU ≥ ${cpu}`]),
    ...(perSecond === undefined ? [] : [`req/s ≥ ${perSecond}`]),
    ...(cpuMs === undefined ? [] : [`≤ ${cpuMs} ms`])
  ].join(', ')
}
