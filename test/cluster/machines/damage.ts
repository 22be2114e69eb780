/** Damages one server's replica of a stream, as a disk does that returns other bytes than were written. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A replica of a stream, and the subject of one account in it. */
export interface Copy {
  /** The folder of the stream's files. */
  readonly folder: string
  readonly subject: string
}

/** Number of bytes that are changed. */
const flipped = 64
/** Bytes of a record before its subject; the first four are its length. (nats-server, filestore.go) */
const headBytes = 22
/** Bit set in the length of a record that has headers. */
const hasHeaders = 0x8000_0000

export interface Damage {
  readonly what: string
  /**
   * Whether the damage changes the number of records. If only bits were changed, the server reports as many as
   * before: it skips the record when it is read, and refuses an append that names it as the previous one.
   */
  readonly isCounted: boolean
  make(copy: Copy): void
}

/** Kinds of damage. */
export const damages: readonly Damage[] = [
  {
    what: 'a middle block is cut short',
    isCounted: true,
    make: copy => shorten(middleOf(blocksOf(copy)))
  },
  {
    what: 'bits in a middle block',
    isCounted: false,
    make(copy) {
      const file = middleOf(blocksOf(copy))
      flip(file, readFileSync(file).length >> 1)
    }
  },
  {
    what: "bits in the account's last record",
    isCounted: false,
    make: flipLastRecord
  },
  {
    what: 'the last block is cut short',
    isCounted: true,
    make: copy => shorten(blocksOf(copy).at(-1)!)
  }
]

function flipLastRecord(copy: Copy): void {
  for (const file of blocksOf(copy).toReversed()) {
    const bytes = readFileSync(file)
    const at = bytes.lastIndexOf(copy.subject)
    if (at < 0) continue
    const length = (bytes.readUInt32LE(at - headBytes) & ~hasHeaders) >>> 0
    const data = at + copy.subject.length
    return flip(file, (data + at - headBytes + length) >> 1)
  }
  throw new Error(`There is no record of ${copy.subject}`)
}

/** Returns the block files, oldest first. */
export function blocksOf({ folder }: Pick<Copy, 'folder'>): string[] {
  const messages = join(folder, 'msgs')
  const names = readdirSync(messages).filter(name => name.endsWith('.blk'))
  return names.toSorted((a, b) => parseInt(a) - parseInt(b)).map(name => join(messages, name))
}

function middleOf(files: readonly string[]): string {
  if (files.length < 3) throw new Error(`There are only ${files.length} blocks`)
  return files[files.length >> 1]!
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  for (let index = at; index < Math.min(at + flipped, bytes.length); index++) bytes[index]! ^= 0xff
  writeFileSync(file, bytes)
}

function shorten(file: string): void {
  truncateSync(file, readFileSync(file).length >> 1)
}
