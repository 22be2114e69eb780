/** Encoding of records: decoding returns what was encoded, and accepts nothing else. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { encodeRuns, applyRuns, type Commit } from '../../cluster/commit.js'
import { FileCopy, RecordMismatch } from '../../cluster/file-copy.js'
import {
  checksum,
  decode,
  encode,
  maxBodyBytes,
  noBase,
  RecordDamaged,
  RecordTooNew,
  type LogRecord
} from '../../cluster/records.js'
import { Random } from '../support/random.js'

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const random = new Random(seed)
const pageSize = 4096

function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

/** Returns a commit of some whole pages. */
function commit(lsn: number, pages: readonly Buffer[]): Commit {
  const changes = pages.map((bytes, index) => ({ page: index + 1, sum: crc32(bytes), isWhole: true, bytes }))
  return { lsn, epoch: 1, pageSize, pages: pages.length, changes }
}

/** Returns a record of commits. */
function record(commits: readonly Commit[], more: Partial<LogRecord> = {}): LogRecord {
  const position = { lsn: commits.at(-1)?.lsn ?? 0, epoch: 1 }
  return {
    kind: 'changes',
    epoch: 1,
    position,
    previous: 0,
    base: noBase,
    writer: 7,
    commits,
    isContinued: false,
    ...more
  }
}

/** Returns the record with a valid checksum, so that its content is checked. */
function resealed(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(checksum(bytes), 4)
  return bytes
}

t.test('encoded runs restore changed words', async t => {
  for (let round = 0; round < 200; round++) {
    const before = bytesOf(512)
    const after = Buffer.from(before)
    for (let changes = random.below(20); changes > 0; changes--)
      after.writeUInt8(random.below(256), random.below(512))
    const page = Buffer.from(before)
    applyRuns(page, encodeRuns(before, after))
    if (!page.equals(after)) t.fail(`round ${round}`)
  }
  t.throws(
    () => applyRuns(Buffer.alloc(512), Buffer.from([0, 127, 0, 2, 1, 1, 1, 1, 1, 1, 1, 1])),
    RangeError
  )
})

t.test('a record', async t => {
  const whole = record([
    commit(1, [bytesOf(pageSize), bytesOf(pageSize)]),
    commit(2, [Buffer.alloc(pageSize, 7)])
  ])
  const bytes = await encode(whole)

  t.test('is decoded as it was encoded', async t => {
    t.same(decode(bytes), whole)
    const claim = record([], { kind: 'takeover', epoch: 9, previous: 2 ** 40, isContinued: false })
    t.same(decode(await encode(claim)), claim)
    const base = { lsn: 2 ** 41, epoch: 12, sequence: 2 ** 42, bytes: 2 ** 43 }
    for (const kind of ['snapshot', 'deleted'] as const) {
      const other = record([], { kind, base, writer: 0xffff_ffff })
      t.same(decode(await encode(other)), other)
    }
    const long = record(
      [commit(1, [Buffer.alloc(65_536), Buffer.alloc(65_536)])].map(one => ({ ...one, pageSize: 65_536 }))
    )
    t.same(decode(await encode(long)), long)
  })

  t.test('is not encoded if it would be too long', async t => {
    const page = Buffer.alloc(pageSize)
    const pages = Array.from({ length: maxBodyBytes / pageSize }, () => page)
    await t.rejects(encode(record([commit(1, pages)])), RangeError)
  })

  t.test('is refused if a single bit differs', async t => {
    for (let at = 0; at < bytes.length; at += at < 90 ? 1 : 61) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << random.below(8)), at)
      const refusal = at === 2 ? /format|damaged/ : /damaged/
      t.throws(() => decode(damaged), { message: refusal })
    }
  })

  t.test('is refused if it is truncated or too long', async t => {
    for (const length of [0, 1, 67, 68, bytes.length - 1])
      t.throws(() => decode(bytes.subarray(0, length)), RecordDamaged)
    t.throws(() => decode(Buffer.concat([bytes, Buffer.alloc(1)])), RecordDamaged)
  })

  t.test('of a newer format is refused as too new', async t => {
    const newer = Buffer.from(bytes)
    newer.writeUInt8(2, 2)
    t.throws(() => decode(newer), RecordTooNew)
  })

  t.test('with arbitrary content is read or refused as damaged', async t => {
    // In an uncompressed record every change has an effect.
    const plain = await encode(
      record(
        [
          commit(
            1,
            [bytesOf(512)].map(page => page)
          )
        ].map(one => ({ ...one, pageSize: 512 }))
      )
    )
    const ends = { read: 0, refused: 0 }
    for (let round = 0; round < 3000; round++) {
      const from = random.chance(0.5) ? bytes : plain
      const forged = Buffer.from(
        from.subarray(0, random.chance(0.2) ? random.below(from.length) : from.length)
      )
      for (let changes = 1 + random.below(4); changes > 0 && forged.length > 68; changes--)
        forged.writeUInt8(
          random.pick([0, 1, 127, 255, random.below(256)]),
          3 + random.below(Math.min(forged.length - 3, 130))
        )
      if (forged.length > 8) resealed(forged)
      try {
        decode(forged)
        ends.read++
      } catch (error) {
        if (!(error instanceof RecordDamaged || error instanceof RecordTooNew)) throw error
        ends.refused++
      }
    }
    t.ok(ends.read > 0 && ends.refused > 1000, JSON.stringify(ends))
  })

  t.test('with very many empty changes is decoded without allocating a page for each', async t => {
    const nothing = { page: 1, sum: 0, isWhole: false, bytes: Buffer.alloc(0) }
    const changes = Array.from({ length: 100_000 }, () => nothing)
    const bytes = await encode(record([{ lsn: 1, epoch: 1, pageSize: 65_536, pages: 1, changes }]))
    const made = t.capture(Buffer, 'allocUnsafe', Buffer.allocUnsafe)
    t.equal(decode(bytes).commits[0]!.changes.length, changes.length)
    t.ok(made().length < 1000)
  })

  t.test('that would inflate beyond its declared size is refused', async t => {
    const bomb = await encode(
      record([
        commit(
          1,
          Array.from({ length: 500 }, () => Buffer.alloc(pageSize))
        )
      ])
    )
    bomb.writeUInt32BE(1000, 32)
    t.throws(() => decode(resealed(bomb)), RecordDamaged)
    bomb.writeUInt32BE(0xffffffff, 32)
    t.throws(() => decode(resealed(bomb)), RecordDamaged)
  })
})

t.test('a copy', async t => {
  const file = join(t.testdir(), 'copy')
  const first = [bytesOf(pageSize), bytesOf(pageSize)]
  const changed = Buffer.from(first[1]!)
  changed.writeUInt32BE(42, 100)
  const runs = encodeRuns(first[1]!, changed)
  const delta = (lsn: number, sum = crc32(changed)): Commit => ({
    ...commit(lsn, []),
    pages: 2,
    changes: [{ page: 2, sum, isWhole: false, bytes: runs }]
  })
  const copy = new FileCopy(file)
  copy.apply({ sequence: 10, bytes: await encode(record([commit(1, first)])) })

  const refused = async (name: string, wrong: LogRecord): Promise<void> => {
    await t.test(`refuses ${name} and stays unchanged`, async t => {
      const bytes = await encode(wrong)
      t.throws(() => copy.apply({ sequence: 11, bytes }), RecordMismatch)
      t.same(readFileSync(file), Buffer.concat(first))
      t.same(copy.position, { lsn: 1, epoch: 1, sequence: 10 })
    })
  }
  await refused('a record behind a hole', record([delta(2)], { previous: 9 }))
  await refused('a commit behind a hole', record([delta(3)], { previous: 10 }))
  await refused('a page whose base is another', record([delta(2, crc32(changed) + 1)], { previous: 10 }))
  await refused(
    'a page that it has not',
    record([{ ...delta(2), pages: 9, changes: [{ page: 9, sum: 0, isWhole: false, bytes: runs }] }], {
      previous: 10
    })
  )
  await refused('the rest of another commit', record([commit(2, first), delta(2)], { previous: 10 }))

  t.test('applies a matching record, even twice', async t => {
    const bytes = await encode(record([delta(2)], { previous: 10 }))
    copy.apply({ sequence: 11, bytes })
    t.same(readFileSync(file), Buffer.concat([first[0]!, changed]))
    const again = new FileCopy(file, { lsn: 1, epoch: 1, sequence: 10 })
    again.apply({ sequence: 11, bytes })
    again.close()
    t.same(readFileSync(file), Buffer.concat([first[0]!, changed]))
  })

  t.test('waits for the rest of a commit, and discards it after a takeover', async t => {
    const page = Buffer.alloc(pageSize, 3)
    const part = record([{ ...commit(3, [page]), pages: 2 }], {
      previous: 11,
      isContinued: true,
      position: { lsn: 2, epoch: 1 }
    })
    copy.apply({ sequence: 12, bytes: await encode(part) })
    t.same(readFileSync(file).subarray(0, pageSize), first[0])
    const claim = record([], { kind: 'takeover', epoch: 2, previous: 12, position: { lsn: 2, epoch: 1 } })
    copy.apply({ sequence: 13, bytes: await encode(claim) })
    const cut = { ...commit(3, [page]), epoch: 2 }
    copy.apply({
      sequence: 14,
      bytes: await encode(record([cut], { epoch: 2, previous: 13, position: { lsn: 3, epoch: 2 } }))
    })
    t.same(readFileSync(file), page, 'a file that is shorter now is cut off')
  })
  t.teardown(() => copy.close())
})
