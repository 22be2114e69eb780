/**
 * Acknowledged changes survive a power cut at any moment: every write and sync of the server is recorded, the disk is
 * rebuilt without what was not synced, and opened. (docs/decisions/0001-durable-before-the-answer.md)
 */
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Random } from '../support/random.js'
import { Disk } from './power-cut/disk.js'
import { examine } from './power-cut/examination.js'
import { Person } from './power-cut/person.js'
import { compileRecorder, readRecording, recorded, type Entry } from './power-cut/recording.js'
import { Replay, type Cuts } from './power-cut/replay.js'
import { secondCut } from './power-cut/second-cut.js'
import { ServerProcess } from './server-process.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(3_600_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Of the work, and of the cuts of faulty servers, which have to show their fault. */
const seed = Number(process.env['COFFER_TEST_SEED'] ?? 1)
/** Of the cuts of the server as it is: other ones each time. */
const cutSeed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)

// In memory if possible: thousands of disks are rebuilt.
const folder = mkdtempSync(join(inMemory() ?? tmpdir(), 'coffer-power-cut-'))
const log = join(folder, 'log')
const library = join(folder, 'recorder.so')
const reason = compileRecorder(library)
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Registered users may delete their accounts. */
const leaving = ['--userAccount.delete', 'personalToken', '--userAccount.deletionGraceDays', '0']
/** Calls of each client between two restarts. */
const calls = isLong ? 100 : 25
/** Calls of each client of a busy user. */
const busyCalls = 16
const visitors = isLong ? 20 : 4
const cuts: Cuts = isLong ? { answers: 1000, anywhere: 2000, seed } : { answers: 40, anywhere: 40, seed }

/** Cuts of the server as it is. Those of a faulty one end at the first that shows it. */
const usual: Cuts = isLong ? { ...cuts, seed: cutSeed } : { answers: 3, anywhere: 3, seed: cutSeed }

/** An interval of the recording. */
interface Time {
  readonly from: number
  readonly until: number
}

/** Cuts after which the server itself is started. */
const restarts: Cuts = isLong
  ? { answers: 10, anywhere: 20, seed: cutSeed }
  : { answers: cutSeed % 2, anywhere: (cutSeed + 1) % 2, seed: cutSeed }

t.test('a server whose power is cut', { skip: reason ?? false }, async t => {
  t.comment(`seed ${cutSeed}`)
  const root = join(folder, 'root')
  const dataDir = join(root, 'data')
  const scratch = join(folder, 'scratch')
  const { people, atWork } = await work(t, root, dataDir)
  const entries = readRecording(log)
  const replay = new Replay(root, dataDir, entries, people)

  await t.test('is recorded completely', async t => {
    const disk = new Disk(root)
    for (const entry of entries) disk.apply(entry)
    const rebuilt = new Map(disk.list('kept'))
    t.same([...rebuilt.keys()].toSorted(), readdirSync(root, { recursive: true }).toSorted())
    // Shared memory is a file as well, and is recreated after a cut.
    for (const [path, content] of rebuilt)
      if (content && !path.endsWith('-shm'))
        t.ok(content.equals(readFileSync(join(root, path))), `${path} is as it is on disk`)
    const checkpoints = entries.filter(({ kind, path }) => kind === 'written' && path.endsWith('user.sqlite'))
    t.ok(checkpoints.length > 100, `${checkpoints.length} pages were carried over into main files`)
    const [crowded, roomy] = atWork
    const meanwhile = checkpoints.filter(entry => isWithin(crowded, entry))
    t.ok(meanwhile.length > 50, `${meanwhile.length} of them from the logs of files that had to make room`)
    const left = entries.filter(({ kind, path }) => kind === 'removed' && path.endsWith('user.sqlite-wal'))
    t.ok(
      left.some(entry => isWithin(crowded, entry)),
      'some of these logs were removed'
    )
    const begun = new Set<number>()
    const again = entries.filter(({ kind, inode, offset, path }) => {
      const isHead = kind === 'written' && offset === 0 && path.endsWith('user.sqlite-wal')
      return isHead && begun.size === begun.add(inode).size
    })
    const own = again.filter(entry => isWithin(roomy, entry))
    t.ok(own.length > 0, `${own.length} logs of open files were begun again`)
  })

  t.test("syncs neither users' files nor new logs on the main thread", async t => {
    const syncs = entries.filter(
      entry => entry.kind === 'sync-begun' && atWork.some(time => isWithin(time, entry))
    )
    const own = syncs.filter(({ path }) => path.startsWith(join(dataDir, 'users/')))
    const files = own.filter(({ path }) => path.endsWith('user.sqlite'))
    t.ok(files.length > 0, `${files.length} syncs of files`)
    t.same(files.filter(inMain), [])
    // Logs that were checkpointed completely while their file was closed, and are written from the start again.
    const known = new Set<number>()
    const logs = own.filter(({ path }) => path.endsWith('user.sqlite-wal'))
    for (const sync of logs) {
      if (inMain(sync)) t.ok(known.has(sync.inode), `${sync.path} is an old one`)
      known.add(sync.inode)
    }
    t.ok(syncs.some(inMain), 'it would be seen')
  })

  await t.test('keeps acknowledged changes', async t => {
    const { cuts: count, problems } = await replay.run(usual, scratch, examine)
    t.same(problems, [], `after ${count} cuts`)
  })

  await t.test('starts again, and survives a cut during that start', async t => {
    const examineTwice = secondCut(library, isLong ? 20 : 2, cutSeed)
    const { cuts: count, problems } = await replay.run(restarts, scratch, examineTwice, true)
    t.same(problems, [], `after ${count} starts`)
  })

  // A check that cannot fail proves nothing.
  const folders = new Set([dataDir, ...entries.filter(({ kind }) => kind === 'made').map(({ path }) => path)])
  const [, roomy] = atWork
  const before = new Set(entries.filter(({ at }) => at < roomy.from).map(({ path }) => path))
  const syncs: Record<string, (path: string, entry: Entry) => boolean> = {
    'the logs of commits': path => path.endsWith('user.sqlite-wal'),
    'the file that accounts share': path => path.includes('/platform.sqlite'),
    'files that are received': path => path.includes('/drafts/'),
    'new accounts': path => path.endsWith('/user.sqlite'),
    'what is carried over from logs that are begun again': (path, entry) =>
      path.endsWith('/user.sqlite') && before.has(path) && isWithin(roomy, entry),
    folders: path => folders.has(path),
    "folders of people's files": path => folders.has(path) && path.endsWith('/attachments')
  }
  for (const [subject, isOmitted] of rotate(t, Object.entries(syncs), 5))
    await t.test(`is reported as faulty if it does not sync ${subject}`, async t => {
      const lesser = entries.filter(entry => entry.kind !== 'sync-ended' || !isOmitted(entry.path, entry))
      t.ok(lesser.length < entries.length)
      const careless = new Replay(root, dataDir, lesser, people)
      const { problems } = await careless.run(cuts, scratch, examine)
      t.ok(problems.length > 0, problems.join('\n'))
    })
})

/** Users register, write and delete accounts, with restarts; returns the promises and each server's working time. */
async function work(
  t: Test,
  root: string,
  dataDir: string
): Promise<{ people: Person[]; atWork: [Time, Time] }> {
  mkdirSync(root)
  const random = new Random(seed)
  const environment = recorded(library, root, log)
  const residents = ['anna-one', 'bert-two', 'cora-three'].map(name => new Person(name, random))
  const guests: Person[] = []
  // Writes so much that the log is checkpointed during writes.
  const busy = new Person('dora-four', random, 150_000)
  const serve = async (calledOften: number, flags: readonly string[]): Promise<Time> => {
    const server = await ServerProcess.start(dataDir, [...flags, ...leaving], environment)
    t.teardown(async () => await server.kill())
    const from = Number(process.hrtime.bigint())
    for (const person of [...residents, busy])
      if (person.writers.length === 0) await person.register(server.url, person === busy ? 4 : 2)
    await Promise.all([
      ...residents.map(async person => await person.work(server.url, calls)),
      busy.work(server.url, calledOften),
      visit(server.url, random, guests),
      browse(server.url, random, residents)
    ])
    const until = Number(process.hrtime.bigint())
    await server.stop()
    return { from, until }
  }
  // Files are either closed continually, or never.
  const crowded = await serve(1, ['--storage.maxOpenUsers', '2'])
  const roomy = await serve(busyCalls, [])
  return { people: [...residents, busy, ...guests], atWork: [crowded, roomy] }
}

/** Reads each user's account: usage is recorded in their files without waiting for a sync. */
async function browse(url: string, random: Random, people: readonly Person[]): Promise<void> {
  for (let count = 0; count < calls * 4; count++) {
    const { token, username } = random.pick(people)
    await (await fetch(`${url}/${username}/events?limit=1`, { headers: { authorization: token } })).text()
  }
}

/** Registers users for whom two clients write concurrently; every second one deletes the account. */
async function visit(url: string, random: Random, guests: Person[]): Promise<void> {
  for (let count = 0; count < visitors; count++) {
    const guest = new Person(`guest-${guests.length}`, random)
    guests.push(guest)
    await guest.register(url, 2)
    await guest.work(url, 3)
    if (count % 2 === 0) await guest.leave(url)
  }
}

function isWithin({ from, until }: Time, { at }: { readonly at: number }): boolean {
  return at > from && at < until
}

/** Returns whether this was on the main thread. */
function inMain({ data }: { readonly data: Buffer }): boolean {
  return data.toString() === 'main'
}

/** Returns a folder in memory, if there is one. */
function inMemory(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return undefined
  }
}
