/** The thread that reads one file: once to count, unless that is known, and once more to give out what is in it, unless that is settled. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, rmSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { archiveFormats, databaseFormats, formats } from './formats/index.js'
import { Bounded } from './pipeline/bounded.js'
import { Counter } from './pipeline/counter.js'
import { Drafter } from './pipeline/drafter.js'
import { Ids } from './pipeline/ids.js'
import { Lanes } from './pipeline/lanes.js'
import { piecesOf } from './pieces.js'
import type { Assignment, Batch, Counted, FileDraft, FromReader, ReaderData, ToReader } from './protocol.js'
import { readFile } from './read.js'
import {
  Unreadable,
  type Context,
  type FormatSink,
  type Sink,
  type Source,
  type TableView
} from './record.js'
import { workbook } from './workbooks/workbook.js'

const { assignment, taken } = workerData as ReaderData
const port = parentPort!
/** Bytes between reports of progress. */
const progressStep = 4 * 1024 * 1024
/** Milliseconds after which it is reported anyway. */
const progressMs = 5000
/** Batches under way at once, each of some hundred KB: enough that neither side waits for the other at each of them. */
const mostUnderWay = 8
let sent = 0

await run().catch((error: unknown) => {
  if (!(error instanceof Unreadable)) throw error
  tell({ is: 'unreadable', message: error.message, notice: error.notice })
})
port.close()

async function run(): Promise<void> {
  const { fileName: name, file, forms, key, options, below, spool } = assignment
  const size = statSync(file).size
  const digest = await digestOf(assignment, size)
  const { counted, isSettled } = await recall(digest)
  const lanes = counted ? recounted(counted) : await firstCount()
  if (isSettled) {
    tell({ is: 'done', twice: {} })
    return
  }
  const drafter = new Drafter(lanes, forms, new Ids(key), below, give, offer)
  await pass(drafter, 2, { options, table: () => undefined }, format => {
    drafter.format = format.id
    drafter.formatName = format.name
  })
  drafter.finish()
  tell({ is: 'done', twice: drafter.twice })

  /** The first reading. */
  async function firstCount(): Promise<Lanes> {
    const counter = new Counter()
    const context = { options, table: (view: TableView) => counter.table(view) }
    await pass(counter, 1, context, format => counter.begin(format.id))
    const look = counter.look(forms, nameOf)
    tell({ is: 'counted', look, counted: counter.counted(look) })
    return counter.lanes
  }

  /** What the first reading has found when the same bytes were read before. */
  function recounted({ lanes: found, look }: Counted): Lanes {
    const known = Lanes.of(found)
    tell({ is: 'counted', look: { ...look, lanes: known.list(forms) }, counted: undefined })
    return known
  }

  async function pass(
    sink: Sink,
    number: 1 | 2,
    context: Context,
    begin: FormatSink['begin']
  ): Promise<void> {
    let done = 0
    let told = 0
    let toldAtMs = performance.now()
    const bounded = new Bounded(sink)
    const withFormat: FormatSink = {
      begin,
      datum: datum => bounded.datum(datum),
      file: (...given) => bounded.file(...given),
      leftOut: (...given) => bounded.leftOut(...given),
      warn: (...given) => bounded.warn(...given),
      drained: () => bounded.drained()
    }
    await readFile(file, { name, size, spool }, withFormat, context, bytes => {
      done += bytes
      const nowMs = performance.now()
      if (done - told < progressStep && nowMs - toldAtMs < progressMs) return
      told = done
      toldAtMs = nowMs
      tell({ is: 'progress', pass: number, done, total: Math.max(size, done) })
    })
  }
}

/** Of the bytes, and of everything else on which a reading depends. */
async function digestOf({ file, fileName, options, version }: Assignment, size: number): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([version, fileName, options]))
  let toldAtMs = performance.now()
  for await (const piece of piecesOf(file)) {
    hash.update(piece)
    if (performance.now() - toldAtMs < progressMs) continue
    // A slow disk is no reason to be taken for silent.
    toldAtMs = performance.now()
    tell({ is: 'progress', pass: 1, done: 0, total: size })
  }
  return hash.digest('hex')
}

async function recall(digest: string): Promise<Extract<ToReader, { is: 'recalled' }>> {
  const answer = once(port, 'message')
  tell({ is: 'digest', digest })
  const [message] = (await answer) as [ToReader]
  return message.is === 'recalled' ? message : { is: 'recalled', counted: undefined, isSettled: false }
}

function nameOf(id: string): string {
  return (
    [...formats, ...archiveFormats, ...databaseFormats, workbook].find(format => format.id === id)?.name ?? id
  )
}

/**
 * Sends a batch; its cells are moved, not copied. Returns once few enough are under way: one object of a file may hold more records
 * than fit in memory, so that the thread is held wherever it is.
 */
function give(batch: Batch): void {
  port.postMessage(
    { is: 'batch', batch },
    batch.points.map(({ cells }) => cells.buffer as ArrayBuffer)
  )
  sent++
  for (let count; sent - (count = Atomics.load(taken, 0)) >= mostUnderWay;) Atomics.wait(taken, 0, count)
}

/** Has a file kept, if it is wanted. */
async function offer(file: FileDraft, source: Source): Promise<void> {
  const { unpacked } = assignment
  if (!(await asked({ is: 'file', file }))) return
  try {
    await pipeline(source.bytes(), createWriteStream(unpacked, { mode: 0o600 }))
    await asked({ is: 'bytes', file })
  } finally {
    rmSync(unpacked, { force: true })
  }
}

/** Resolves with whether bytes are wanted, or have been kept. */
function asked(question: Extract<FromReader, { is: 'file' | 'bytes' }>): Promise<boolean> {
  return new Promise(resolve => {
    const listen = (answer: ToReader): void => {
      if (answer.is !== 'offered' && answer.is !== 'kept') return
      port.off('message', listen)
      resolve(answer.is === 'kept' || answer.isWanted)
    }
    port.on('message', listen)
    tell(question)
  })
}

function tell(message: FromReader): void {
  port.postMessage(message)
}
