/** Records of the platform's log: commands in JSON; each record contains the sequence of the one before. */
import { isCommand, type Command } from '../../storage/platform/commands.js'

/** The subject of the log. */
export const platformSubject = 'coffer.platform'

/** The format of records, which increases when earlier versions of the software could not read the records any more. */
const currentFormat = 1

/** Commands to be applied together and in order. */
export interface PlatformRecord {
  /** Random, distinguishes it from all other records. */
  readonly id: string
  /** Random, chosen when the log began: distinguishes this log from the logs of other clusters. */
  readonly history: number
  /** Sequence of the record before, 0 for the first one. */
  readonly previous: number
  readonly commands: readonly Command[]
}

/** A record was written by a newer version of the software: a node that cannot read it must not continue after it. */
export class RecordTooNew extends Error {
  constructor(what: string) {
    super(`The log of the platform contains ${what}, which this version does not support. Upgrade this node`)
    this.name = 'RecordTooNew'
  }
}

/** Encodes a record. */
export function encodePlatform(record: PlatformRecord): Uint8Array {
  return Buffer.from(JSON.stringify({ form: currentFormat, ...record }))
}

/** Decodes a record. Throws {@link RecordTooNew}, and `SyntaxError` if the bytes are no record. */
export function decodePlatform(bytes: Uint8Array): PlatformRecord {
  const { form, ...record } = JSON.parse(Buffer.from(bytes).toString()) as PlatformRecord & {
    readonly form: number
  }
  if (form !== currentFormat) throw new RecordTooNew(`records of form ${form}`)
  for (const [name] of record.commands)
    if (!isCommand(name)) throw new RecordTooNew(`the command "${String(name)}"`)
  return record
}
