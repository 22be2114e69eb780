/** Records of the platform's log: commands, in JSON, each record naming the one before. */
import { isCommand, type Command } from '../../storage/platform/commands.js'

/** The subject of the log. */
export const platformSubject = 'coffer.platform'

/** The form of records, which grows when a former version could not read them any more. */
const currentFormat = 1

/** Some commands, to be applied together and in order. */
export interface PlatformRecord {
  /** Tells it from all others: random. */
  readonly id: string
  /** Tells the log from those of other clusters: random, chosen when it began. */
  readonly history: number
  /** Sequence of the record before, 0 for the first one. */
  readonly previous: number
  readonly commands: readonly Command[]
}

/** A record was written by a newer version of the software: whoever cannot read it must not go on behind it. */
export class RecordTooNew extends Error {
  constructor(what: string) {
    super(`The log of the platform contains ${what}, which this version does not support. Upgrade this node`)
    this.name = 'RecordTooNew'
  }
}

/** The bytes of a record. */
export function encodePlatform(record: PlatformRecord): Uint8Array {
  return Buffer.from(JSON.stringify({ form: currentFormat, ...record }))
}

/** Reads a record. Throws {@link RecordTooNew}, and `SyntaxError` if it is none. */
export function decodePlatform(bytes: Uint8Array): PlatformRecord {
  const { form, ...record } = JSON.parse(Buffer.from(bytes).toString()) as PlatformRecord & {
    readonly form: number
  }
  if (form !== currentFormat) throw new RecordTooNew(`records of form ${form}`)
  for (const [name] of record.commands)
    if (!isCommand(name)) throw new RecordTooNew(`the command "${String(name)}"`)
  return record
}
