/**
 * `npm run bench`: compares the service with bare servers that do the same physical work.
 *
 * The measurements are data: requests in `rows.ts`, queries on growing accounts in `queries.ts`, heavy requests in `heavy-requests.ts`. To
 * add a table, add a file to `tables` that returns its lines, and an entry to `tables` below.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Bench } from './bench.js'
import { parseOptions, usage, type Options } from './options.js'
import { rows } from './rows.js'
import { printTable, type Line, type Table } from './table.js'
import { measureAccounts } from './tables/accounts.js'
import { measureCluster } from './tables/cluster.js'
import { measureCores } from './tables/nodes-and-threads.js'
import { measureEngineMemory } from './tables/engine-memory.js'
import { measureDashboard } from './tables/dashboard.js'
import { measureFootprint } from './tables/footprint.js'
import { measureGrowth } from './tables/growth.js'
import { measureNeighbours } from './tables/neighbours.js'
import { measureReceived } from './tables/received.js'
import { measureManyRules } from './tables/many-rules.js'
import { measureRules } from './tables/rules.js'
import { measureRows } from './tables/rows.js'

const tables: Readonly<Record<string, (bench: Bench) => Promise<Line[]>>> = {
  footprint: measureFootprint,
  growth: measureGrowth,
  accounts: measureAccounts,
  neighbours: measureNeighbours,
  received: measureReceived,
  dashboard: measureDashboard,
  rules: measureRules,
  'a hundred thousand': measureManyRules,
  cluster: measureCluster,
  'nodes and threads': measureCores,
  'engine at rest': measureEngineMemory
}

if (process.argv.includes('--help')) console.log(usage)
else await main(parseOptions(process.argv.slice(2)))

/** Measures all tables, prints them, and writes the results. The exit code is 1 if a measurement was disturbed. */
async function main(options: Options): Promise<void> {
  const directory = mkdtempSync(join(options.directory ?? tmpdir(), 'coffer-bench-'))
  const bench = await Bench.start(directory, options)
  try {
    const measured: Table[] = []
    for await (const table of measure(bench)) {
      printTable(table)
      measured.push(table)
    }
    console.log(`Written to ${writeResults(measured, options)}`)
    for (const complaint of bench.meter.warnings) console.error(complaint)
    if (bench.meter.warnings.length > 0) process.exitCode = 1
  } finally {
    await bench.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function* measure(bench: Bench): AsyncGenerator<Table> {
  const isWanted = (name: string): boolean => name.toLowerCase().includes(bench.options.only)
  const wanted = rows.filter(({ name }) => isWanted(name))
  if (wanted.length > 0) yield* await measureRows(bench, wanted)
  for (const [title, lines] of Object.entries(tables))
    if (isWanted(title)) yield { title, lines: await lines(bench) }
}

/** Writes the figures and a description of the machine to a file. Returns the file's name. */
function writeResults(measured: readonly Table[], options: Options): string {
  const when = new Date().toISOString()
  const file = options.json ?? join('bench-results', `${when.replaceAll(/[:.]/g, '-')}.json`)
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model, load: loadavg() }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ when, machine, options, tables: measured }, null, 2)}\n`)
  return file
}
