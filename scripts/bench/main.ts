/** `npm run bench`: how fast Coffer is, held against bare servers doing the same physical work in the same minutes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchAccounts } from './accounts.js'
import { compare, type Comparison } from './compare.js'
import { measure, measureDisk, postForDisk, startSeveralTimes, type Measure } from './footprint.js'
import { BinnedShape, binnedQueries, broadQueries, BroadShape } from './broad.js'
import { measureGrowth, plainQueries, type Growth, type Query, type Sizes } from './growth.js'
import { benchFiles } from './files/bench-files.js'
import { benchLive } from './live/bench-live.js'
import { Meter } from './meter.js'
import { benchNeighbours } from './neighbours/bench-neighbours.js'
import { readOptions, usage, type Options } from './options.js'
import { residentMb } from './process-stats.js'
import { references, ReferenceServer, userCount, type ReferenceName } from './references.js'
import { complaints, printResults, writeResults, type Results } from './report.js'
import { rows } from './rows.js'
import { Seeder, type SeededUser, type Shape } from './seed.js'

/** Times that the server is started, to learn how long it takes. */
const starts = 3

if (process.argv.includes('--help')) console.log(usage)
else await main(readOptions(process.argv.slice(2)))

async function main(options: Options): Promise<void> {
  const directory = mkdtempSync(join(options.directory ?? tmpdir(), 'coffer-bench-'))
  try {
    const results = await bench(options, directory)
    printResults(results)
    console.log(`Written to ${writeResults(results, options)}`)
    for (const complaint of complaints(results)) {
      console.error(complaint)
      process.exitCode = 1
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function bench(options: Options, directory: string): Promise<Results> {
  const isWanted = (name: string): boolean => name.toLowerCase().includes(options.only)
  const dataDir = join(directory, 'data')
  const seeded = await seed(dataDir, isWanted, options)
  const [target, footprint] = await startSeveralTimes(
    dataDir,
    isWanted('footprint') ? starts : 1,
    options.profile
  )
  const server = await ReferenceServer.start(directory)
  const meter = new Meter(options.seconds)
  let textBytes = 0
  const comparisons: Comparison[] = []
  const growth: Growth[][] = []
  const files: Measure[] = []
  try {
    const { readers, writers, gatherers, grown, disk } = seeded
    const cast = { readers, writers, gatherers, origin: target.origin }
    const wanted = rows.filter(({ name }) => isWanted(name))
    comparisons.push(...(await compare(meter, server, target, cast, wanted, options)))
    for (const { queries, sizes } of grown)
      growth.push(await measureGrowth(meter, target, queries, sizes, options.rounds))
    if (isWanted('files')) files.push(...(await benchFiles(target, disk, directory, options)))
    textBytes = await postForDisk(target, disk)
    footprint.push(measure('memory after the bench, MB', residentMb(target.pid), 250))
  } finally {
    await meter.stop()
    await server.stop()
    await target.stop()
  }
  footprint.push(...measureDisk(dataDir, seeded.disk, textBytes))
  const accounts = isWanted('accounts') ? await benchAccounts(directory, options) : []
  const live = isWanted('live') ? await benchLive(directory, options) : []
  const neighbours = isWanted('neighbours') ? await benchNeighbours(directory, options) : []
  const names = (Object.keys(references) as ReferenceName[]).filter(name => meter.has(name))
  return {
    comparisons,
    references: Object.fromEntries(names.map(name => [name, meter.figures(name)])),
    growth,
    footprint: isWanted('footprint') ? footprint : [],
    files,
    live,
    accounts,
    neighbours
  }
}

interface Seeded {
  readonly readers: readonly SeededUser[]
  readonly writers: readonly SeededUser[]
  readonly gatherers: readonly SeededUser[]
  readonly grown: readonly { readonly queries: readonly Query[]; readonly sizes: Sizes }[]
  readonly disk: SeededUser
}

async function seed(
  dataDir: string,
  isWanted: (name: string) => boolean,
  { quick }: Options
): Promise<Seeded> {
  const seeder = new Seeder(dataDir)
  const readers = []
  const writers = []
  const gatherers = []
  const grown = []
  // What takes long is only made for whom it is.
  const count = rows.some(({ name }) => isWanted(name)) ? userCount : 0
  for (let i = 0; i < count; i++) readers.push(await seeder.user(`reader${i}`, 1000, 100_000))
  for (let i = 0; i < count; i++) writers.push(await seeder.user(`writer${i}`, 0))
  if (count > 0)
    for (let i = 0; i < 3; i++) gatherers.push(await seeder.user(`gatherer${i}`, 0, 0, new BroadShape(0)))
  const most = quick ? 100_000 : 1_000_000
  const users = async (
    name: string,
    sizes: readonly number[],
    shapes?: Map<number, Shape>
  ): Promise<Sizes> => {
    const made = new Map<number, SeededUser>()
    for (const size of sizes) made.set(size, await seeder.user(`${name}${size}`, size, 0, shapes?.get(size)))
    return made
  }
  if (isWanted('growth')) {
    const sizes = [1000, 10_000, 100_000, ...(quick ? [] : [most])]
    grown.push({ queries: plainQueries, sizes: await users('grown', sizes) })
  }
  if (isWanted('broad growth')) {
    const sizes = [10_000, most]
    const shapes = new Map(sizes.map(size => [size, new BroadShape(size)]))
    grown.push({ queries: broadQueries(shapes), sizes: await users('broad', sizes, shapes) })
    const binned = new Map(sizes.map(size => [size, new BinnedShape(size)]))
    grown.push({ queries: binnedQueries, sizes: await users('binned', sizes, binned) })
  }
  const disk = await seeder.user('disk', 0)
  await seeder.close()
  return { readers, writers, gatherers, grown, disk }
}
