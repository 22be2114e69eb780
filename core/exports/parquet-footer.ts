/** The footer of a Parquet file, which lists the row groups. A long file has thousands, so each is converted once it has been written. */
import { ByteWriter } from 'hyparquet-writer'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'

type Metadata = Parameters<typeof writeMetadata>[1]
type RowGroup = Metadata['row_groups'][number]

/** A list in the compact protocol of Thrift: the type of its elements, and the number that says that their count follows. */
const [structType, longList] = [0x0c, 0xf0]

/** Collects the row groups, and writes the footer. Text in Latin-1, with a character for each byte. */
export class ParquetFooter {
  readonly #groups: string[] = []
  readonly #empty: string
  /** Where the header of the list of groups is in the metadata, if no rows are counted. */
  #listAt = 0

  /** `shared`: the metadata of the file apart from its rows. */
  constructor(private readonly shared: Pick<Metadata, 'created_by' | 'schema'>) {
    this.#empty = this.#serialize(0n, [])
  }

  /** Adds a row group that has been written. */
  add(group: RowGroup): void {
    const text = this.#serialize(0n, [group])
    // Up to the header, which has the number of groups, the metadata is the same as without groups.
    if (this.#groups.length === 0) while (text[this.#listAt] === this.#empty[this.#listAt]) this.#listAt++
    this.#groups.push(text.slice(this.#listAt + 1, text.length - this.#restLength))
  }

  /** Yields the footer, with the end of the file. `rows`: the number of rows of all groups. */
  *write(rows: number): Generator<string, void, undefined> {
    const whole = this.#serialize(BigInt(rows), [])
    if (this.#groups.length === 0) {
      yield `${whole}${formatLength(whole.length)}PAR1`
      return
    }
    const listAt = whole.length - this.#restLength - 1
    const header = String.fromCharCode(longList | structType) + formatVarint(this.#groups.length)
    let length = whole.length - 1 + header.length
    yield whole.slice(0, listAt) + header
    for (const group of this.#groups) {
      length += group.length
      yield group
    }
    yield `${whole.slice(listAt + 1)}${formatLength(length)}PAR1`
  }

  /** Length of the metadata after the list of groups. */
  get #restLength(): number {
    return this.#empty.length - this.#listAt - 1
  }

  /** Returns metadata without its length, which ends it. */
  #serialize(rows: bigint, groups: RowGroup[]): string {
    const bytes = new ByteWriter()
    writeMetadata(bytes, { version: 2, ...this.shared, num_rows: rows, row_groups: groups } as Metadata)
    return Buffer.from(bytes.buffer, 0, bytes.index - 4).toString('latin1')
  }
}

/** Returns a number as four bytes, the lowest first. */
function formatLength(length: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(length)
  return bytes.toString('latin1')
}

/** Returns a number in groups of seven bits, the lowest first. */
function formatVarint(number: number): string {
  let text = ''
  let rest = number
  for (; rest > 0x7f; rest >>>= 7) text += String.fromCharCode((rest & 0x7f) | 0x80)
  return text + String.fromCharCode(rest)
}
