/** `npm run bench`: how fast Coffer is, held against bare servers doing the same physical work in the same minutes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Meter } from './meter.js'
import { readOptions, type Options } from './options.js'
import { references, ReferenceServer, type ReferenceName } from './references.js'
import { printTable } from './report.js'

const options = readOptions(process.argv.slice(2))
const directory = mkdtempSync(join(options.directory ?? tmpdir(), 'coffer-bench-'))
try {
  await bench(options, directory)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function bench({ rounds, seconds }: Options, folder: string): Promise<void> {
  const meter = new Meter(seconds)
  const server = await ReferenceServer.start(folder)
  const names = Object.keys(references) as ReferenceName[]
  const subjects = names.map(name => ({
    name,
    pid: server.pid,
    port: server.port(name),
    requests: server.requests(name),
    connections: name.startsWith('argon2id') ? 4 : 64
  }))
  try {
    for (const subject of subjects) await meter.warmUp(subject)
    for (let round = 0; round < rounds; round++) for (const subject of subjects) await meter.take(subject)
    const rows = names.map(name => {
      const { cpuUs, perSecond, p50Ms, p99Ms, bad } = meter.figures(name)
      return [name, cpuUs, perSecond, p50Ms, p99Ms, bad]
    })
    printTable(['reference', 'CPU µs', 'req/s', 'p50 ms', 'p99 ms', 'bad'], rows)
  } finally {
    await meter.stop()
    await server.stop()
  }
}
