/**
 * Runs in a thread that reads one file at a time: one pass to count its records, unless the result is known, and one to emit
 * them, unless all of them are known to be imported already.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, rmSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { archiveFormats, databaseFormats, formats } from './formats/index.js'
import { LimitingSink } from './pipeline/limiting-sink.js'
import { RecordCounter } from './pipeline/record-counter.js'
import { DraftBuilder } from './pipeline/draft-builder.js'
import { LanePaths } from './pipeline/lane-paths.js'
import { RecordIds } from './pipeline/record-ids.js'
import { Lanes } from './pipeline/lanes.js'
import { readChunks } from './read-chunks.js'
import type {
  ReadAssignment,
  DraftBatch,
  CountedFile,
  FileDraft,
  ReaderIdle,
  ReaderMessage,
  ReaderThreadData,
  ReaderReply
} from './protocol.js'
import { readImportFile } from './read-import-file.js'
import {
  Unreadable,
  type ReadContext,
  type FormatSink,
  type Sink,
  type SourceFile,
  type TableView
} from './record.js'
import { excelFormat } from './workbooks/workbook.js'

let { assignment, processedCount } = workerData as ReaderThreadData
const port = parentPort!
/** Bytes between progress messages. */
const progressBytes = 4 * 1024 * 1024
/** Time in milliseconds after which progress is reported anyway. */
const progressMs = 5000
/** Maximum number of pending batches, each of some hundred KB: enough that neither side waits for the other at every batch. */
const maxPendingBatches = 8
let sentCount = 0

try {
  for (;;) {
    await run()
    const next = once(port, 'message')
    send({ is: 'idle' })
    ;[{ assignment, processedCount }] = (await next) as [ReaderThreadData]
    sentCount = 0
  }
} catch (error) {
  // Whatever is still open ends with the thread.
  if (!(error instanceof Unreadable)) throw error
  send({ is: 'unreadable', message: error.message, notice: error.notice })
  port.close()
}

/** Reads the file: the first pass or its earlier result, then the second pass. */
async function run(): Promise<void> {
  const { choices, fileName, file, previousForms, key, options, parentStreamId, spool, types } = assignment
  const ids = new RecordIds(key, parentStreamId)
  const paths = new LanePaths(ids, choices, getFormatName)
  const size = statSync(file).size
  const digest = await computeDigest(assignment, size)
  const { counted, isSettled } = await requestEarlierResult(digest)
  const lanes = counted ? restoreFirstPass(counted) : await runFirstPass()
  if (isSettled) {
    send({ is: 'done', duplicates: {}, leftOutCount: 0 })
    return
  }
  const drafter = new DraftBuilder(lanes, previousForms, ids, paths, sendBatch, sendFile)
  await runPass(drafter, 2, { options, types, reportTable: () => undefined }, format => {
    drafter.format = format.id
  })
  drafter.finish()
  send({ is: 'done', duplicates: drafter.duplicates, leftOutCount: drafter.leftOutCount })

  /** Runs the first pass. */
  async function runFirstPass(): Promise<Lanes> {
    const counter = new RecordCounter()
    const context = { options, types, reportTable: (view: TableView) => counter.table(view) }
    await runPass(counter, 1, context, format => counter.begin(format.id))
    const look = counter.getReview(previousForms, paths, getFormatName)
    send({ is: 'counted', look, counted: counter.counted(look) })
    return counter.lanes
  }

  /** Restores the result of an earlier first pass over the same bytes. */
  function restoreFirstPass(earlier: CountedFile): Lanes {
    const restored = Lanes.restore(earlier.lanes)
    send({
      is: 'counted',
      look: { ...earlier.look, lanes: restored.list(previousForms, paths) },
      counted: undefined
    })
    return restored
  }

  /** Reads the file once, and posts its progress. */
  async function runPass(
    sink: Sink,
    number: 1 | 2,
    context: ReadContext,
    begin: FormatSink['beginFormat']
  ): Promise<void> {
    let done = 0
    let reportedBytes = 0
    let reportedAtMs = performance.now()
    const limitingSink = new LimitingSink(sink)
    const formatSink: FormatSink = {
      beginFormat: begin,
      addRecord: record => limitingSink.addRecord(record),
      addFile: (...args) => limitingSink.addFile(...args),
      skip: (...args) => limitingSink.skip(...args),
      warn: (...args) => limitingSink.warn(...args)
    }
    await readImportFile(file, { name: fileName, size, spool }, formatSink, context, bytes => {
      done += bytes
      const nowMs = performance.now()
      if (done - reportedBytes < progressBytes && nowMs - reportedAtMs < progressMs) return
      reportedBytes = done
      reportedAtMs = nowMs
      send({ is: 'progress', pass: number, done, total: Math.max(size, done) })
    })
  }
}

/**
 * Computes a digest of the bytes and of everything else on which the result depends. Sends progress while it
 * reads.
 */
async function computeDigest(
  { file, fileName, options, types, version }: ReadAssignment,
  size: number
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([version, fileName, options, types]))
  let reportedAtMs = performance.now()
  for await (const chunk of readChunks(file)) {
    hash.update(chunk)
    if (performance.now() - reportedAtMs < progressMs) continue
    // Reading from a slow disk must not look like a hang.
    reportedAtMs = performance.now()
    send({ is: 'progress', pass: 1, done: 0, total: size })
  }
  return hash.digest('hex')
}

/** Asks for the result of an earlier first pass over the same bytes. */
async function requestEarlierResult(digest: string): Promise<Extract<ReaderReply, { is: 'recalled' }>> {
  const answer = once(port, 'message')
  send({ is: 'digest', digest })
  const [message] = (await answer) as [ReaderReply]
  return message.is === 'recalled' ? message : { is: 'recalled', counted: undefined, isSettled: false }
}

function getFormatName(id: string): string {
  return (
    [...formats, ...archiveFormats, ...databaseFormats, excelFormat].find(format => format.id === id)?.name ??
    id
  )
}

/**
 * Sends a batch; its cells are transferred, not copied. Blocks until few enough batches are pending: one object of a file may
 * contain more records than fit in memory.
 */
function sendBatch(batch: DraftBatch): void {
  port.postMessage(
    { is: 'batch', batch },
    batch.points.map(({ cells }) => cells.buffer as ArrayBuffer)
  )
  sentCount++
  for (let count; sentCount - (count = Atomics.load(processedCount, 0)) >= maxPendingBatches;)
    Atomics.wait(processedCount, 0, count)
}

/** Sends a file to be stored, if it is wanted. */
async function sendFile(file: FileDraft, source: SourceFile): Promise<void> {
  const { attachmentSpool } = assignment
  if (!(await askOwner({ is: 'file', file }))) return
  try {
    await pipeline(source.bytes(), createWriteStream(attachmentSpool, { mode: 0o600 }))
    await askOwner({ is: 'bytes', file })
  } finally {
    rmSync(attachmentSpool, { force: true })
  }
}

/** Asks whether a file is wanted, or reports its bytes; resolves with true if it is wanted or stored. */
function askOwner(question: Extract<ReaderMessage, { is: 'file' | 'bytes' }>): Promise<boolean> {
  return new Promise(resolve => {
    const listen = (answer: ReaderReply): void => {
      if (answer.is !== 'offered' && answer.is !== 'kept') return
      port.off('message', listen)
      resolve(answer.is === 'kept' || answer.isWanted)
    }
    port.on('message', listen)
    send(question)
  })
}

function send(message: ReaderMessage | ReaderIdle): void {
  port.postMessage(message)
}
