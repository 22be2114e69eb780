/**
 * `node dist/scripts/bench/series-figures.js [millions]`: what long series cost: bytes a point, ranges, overwriting, and
 * the memory that reading one of so many millions of points (50) takes. Needs about 17 bytes of disk a point.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Layout } from '../../storage/files/layout.js'
import { Meter } from './meter.js'
import { cpuUs, residentMb } from './process-stats.js'
import { requestText } from './requests.js'
import { Seeder, type SeededUser } from './seed.js'
import { keptPoints } from './series-sample.js'
import { printTable, type Cell } from './table.js'
import { Target } from './target.js'

const rows: Cell[][] = []
const longest = Number(process.argv[2] ?? 50) * 1e6
const directory = mkdtempSync(join(tmpdir(), 'coffer-series-'))
try {
  rows.push(...deflated())
  const seeder = new Seeder(directory)
  const small = await seeder.user('small', 0, 10_000)
  const million = await seeder.user('million', 0, 1_000_000)
  const large = await seeder.user('large', 0, 10_000_000)
  const huge = await seeder.user('huge', 0, longest)
  const empty = await seeder.user('empty', 0, 0)
  await seeder.close()
  const layout = new Layout(directory)
  const size = (user: SeededUser): number => statSync(layout.userFile(user.id)).size
  rows.push(['bytes a point, file', (size(large) - size(empty)) / 1e7])
  const target = await Target.start(directory)
  const meter = new Meter(1)
  try {
    await ranges(target, meter, [small, large])
    await overwriting(target, million)
    await reading(target, huge)
  } finally {
    await meter.stop()
    await target.stop()
  }
  printTable(['long series', 'figure'], rows)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** What storing chunks deflated would save, and cost at each reading. */
function deflated(): Cell[][] {
  const text = JSON.stringify(keptPoints(2048, 1e6)).slice(1, -1)
  const noisy = JSON.stringify(
    keptPoints(2048).map(([time]) => [time, Math.round(Math.random() * 1e4) / 100])
  )
  const bytes = deflateRawSync(text)
  const start = performance.now()
  for (let i = 0; i < 1000; i++) inflateRawSync(bytes).toString('latin1')
  return [
    ['bytes a point, text', text.length / 2048],
    ['bytes a point, text deflated', bytes.length / 2048],
    ['bytes a point, noisy text deflated', deflateRawSync(noisy).length / 2048],
    ['inflating a chunk, µs', performance.now() - start]
  ]
}

/** 1,000 points out of series of different lengths. */
async function ranges(target: Target, meter: Meter, users: readonly [SeededUser, SeededUser]): Promise<void> {
  const subjects = users.map((user, index) => ({
    name: index === 0 ? '10 thousand' : '10 million',
    pid: target.pid,
    port: target.port,
    connections: 8,
    requests: Array.from({ length: 50 }, (_, i) => {
      const from = (index === 0 ? i * 80 : i * 80_000) + 3.25
      return requestText({
        path: `${path(user)}?fromDeltaTime=${from}&toDeltaTime=${from + 500}`,
        token: user.token
      })
    })
  }))
  for (const subject of subjects) await meter.warmUp(subject)
  for (let round = 0; round < 3; round++) for (const subject of subjects) await meter.take(subject)
  for (const { name } of subjects)
    rows.push([`1,000 points out of ${name}, CPU µs`, meter.figures(name).cpuUs])
}

/** One percent of a million points, at random, in one request. */
async function overwriting(target: Target, user: SeededUser): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const times = new Set<number>()
    while (times.size < 10_000) times.add(Math.floor(Math.random() * 1e6) / 2)
    const points = [...times].map(time => [time, 1.5])
    const startMs = performance.now()
    const before = cpuUs(target.pid)
    const answer = await fetch(target.origin + path(user), {
      method: 'POST',
      headers: { authorization: user.token, 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    })
    if (!answer.ok) throw new Error(await answer.text())
    rows.push(['overwriting 10,000 of 1 million, ms', performance.now() - startMs])
    rows.push(['overwriting 10,000 of 1 million, CPU ms', (cpuUs(target.pid) - before) / 1000])
  }
}

/** A whole series, read by somebody who throws it away; the server's memory meanwhile. */
async function reading(target: Target, user: SeededUser): Promise<void> {
  const before = residentMb(target.pid)
  const cpuBefore = cpuUs(target.pid)
  let most = before
  const watch = setInterval(() => (most = Math.max(most, residentMb(target.pid))), 20)
  const startMs = performance.now()
  const answer = await fetch(`${target.origin}${path(user)}?toDeltaTime=1e9`, {
    headers: { authorization: user.token }
  })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length
  clearInterval(watch)
  const seconds = (performance.now() - startMs) / 1000
  const millions = longest / 1e6
  rows.push([`reading ${millions} million points, s`, seconds])
  rows.push([`reading ${millions} million points, CPU s`, (cpuUs(target.pid) - cpuBefore) / 1e6])
  rows.push([`reading ${millions} million points, MB sent`, bytes / 1e6])
  rows.push([`reading ${millions} million points, MB of memory added`, most - before])
}

function path({ username, seriesIds }: SeededUser): string {
  return `/${username}/events/${seriesIds[0]}/series`
}
