/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util'

export interface Options {
  /** Number of measurements; figures are medians. */
  readonly rounds: number
  /** Duration of one measurement. */
  readonly seconds: number
  /** Measures only rows whose name contains this text. */
  readonly only: string
  /** Measures only lines of the tables "neighbours" and "cluster" whose name contains this text: the part of `--only` after a colon. */
  readonly part: string
  /** Uses a tenth of the accounts, events and points of large tables. */
  readonly quick: boolean
  /** File to write the figures to; by default a new one in bench-results. */
  readonly json: string | undefined
  /** Node options for the server, for CPU profiles; by default none, because profiling slows it down. */
  readonly nodeOptions: readonly string[]
  /** Folder for the data, on the disk to measure; by default the system's temporary folder. */
  readonly directory: string | undefined
}

export const usage = `npm run bench -- [--rounds 3] [--secs 0.6] [--only TEXT] [--quick] [--json FILE] [--dir FOLDER] [--profile FOLDER]
  --only   rows whose name holds TEXT ("footprint", "growth", "broad growth", "accounts", "live", "neighbours" and "cluster" are the names
           of the last tables; of the last two "neighbours:TEXT" and "cluster:TEXT" take the lines that hold TEXT)
  --quick  with a tenth of the accounts, events and points where there are many
  --profile  where to leave CPU profiles of the server, which then is slower`

/** Parses the arguments. Throws an error with a clear message if they are invalid. */
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
    nodeOptions: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0, not "${text}"`)
  return value
}
