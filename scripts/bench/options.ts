/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util'

export interface Options {
  /** Number of measurements; figures are their medians. */
  readonly rounds: number
  /** Duration of a measurement, in seconds. */
  readonly seconds: number
  /** Measures only rows and tables whose name contains this text. */
  readonly only: string
  /** Measures only lines of the tables "neighbours" and "cluster" whose name contains this text: the part of `--only` after a colon. */
  readonly part: string
  /** Uses a tenth of the accounts, events and points of large tables. */
  readonly quick: boolean
  /** File to write the figures to; by default a new one in `bench-results`. */
  readonly json: string | undefined
  /** Node options of the server, for CPU profiles. By default none, because profiling slows it down. */
  readonly nodeOptions: readonly string[]
  /** Folder for the data, on the disk to measure; by default the system's temporary folder. */
  readonly directory: string | undefined
}

export const usage = `npm run bench -- [--rounds 3] [--secs 0.6] [--only TEXT] [--quick] [--json FILE] [--dir FOLDER] [--profile FOLDER]
  --only     rows and tables whose name contains TEXT. "neighbours:TEXT" and "cluster:TEXT" select lines of these tables
  --quick    a tenth of the accounts, events and points of large tables
  --json     output file (default: a new one in bench-results)
  --dir      folder for the data (default: the system's temporary folder)
  --profile  folder for CPU profiles of the server, which slow it down`

/** Parses the arguments. Throws an error with a clear message if they are invalid. */
export function parseOptions(args: readonly string[]): Options {
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
    rounds: parsePositive('rounds', values.rounds),
    seconds: parsePositive('secs', values.secs),
    only,
    part: part.join(':'),
    quick: values.quick,
    json: values.json,
    directory: values.dir,
    nodeOptions: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  }
}

function parsePositive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, not "${text}"`)
  return value
}
