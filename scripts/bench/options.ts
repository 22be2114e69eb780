/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util'

export interface Options {
  /** Times that everything is measured; figures are medians. */
  readonly rounds: number
  /** Length of one measurement. */
  readonly seconds: number
  /** Rows to measure: those whose name holds this text. */
  readonly only: string
  /** Of the table of neighbours, the lines whose name holds this text: what follows a colon in `--only`. */
  readonly part: string
  /** Leaves out what takes long: the million events. */
  readonly quick: boolean
  /** Where to write the figures; by default a new file below bench-results. */
  readonly json: string | undefined
  /** Folder for CPU profiles of the server; none are taken by default, since that slows it down. */
  readonly profile: string | undefined
  /** Folder for the data, on the disk that is to be measured; by default the system's temporary folder. */
  readonly directory: string | undefined
}

export const usage = `npm run bench -- [--rounds 3] [--secs 0.6] [--only TEXT] [--quick] [--json FILE] [--dir FOLDER] [--profile FOLDER]
  --only   rows whose name holds TEXT ("growth", "broad growth", "footprint", "files", "live" and "accounts" are the names of the last tables,
           "neighbours" too, of which "neighbours:TEXT" takes the lines that hold TEXT)
  --quick  without the million events, with a tenth of the accounts
  --profile  where to leave CPU profiles of the server, which then is slower`

/** Reads the arguments; raises an error with a clear message when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      secs: { type: 'string', default: '0.6' },
      only: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      dir: { type: 'string' },
      profile: { type: 'string' }
    }
  })
  const [only = '', ...part] = values.only.toLowerCase().split(':')
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('secs', values.secs),
    only,
    part: part.join(':'),
    quick: values.quick,
    json: values.json,
    directory: values.dir,
    profile: values.profile
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0, not "${text}"`)
  return value
}
