/** Validates texts, schemas and conditions of rows in a foreign file, and reports problems. */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Config } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { isShallow } from '../../core/json/depth.js'
import type { ForeignRows } from '../../storage/validation/foreign-file.js'
import type { Problem } from '../maintenance/check-account.js'

export type ProblemKind = Problem['kind']

export interface VettingOptions {
  /**
   * Settings of the service into which a foreign account is imported: it must contain only what its user could have created there.
   * Absent for backups, which this software has written, but perhaps long ago and with other settings.
   */
  readonly targetConfig?: Config
  /** Maximum depth of the tree of streams. */
  readonly streamDepth: number
  /** Seconds. */
  readonly now: number
}

/** Maximum depth of JSON: far beyond the default limit of calls, but shallow enough for recursion. */
const maxJsonDepth = 1000

/** Tolerance for a clock that is ahead, in seconds. */
const clockTolerance = 86_400

/** Depth of the tree of streams that is accepted regardless of current settings. */
const minStreamDepth = 1000

/** Returns the options for backups: earlier settings may have allowed deeper trees of streams. */
export function createVettingOptions({ limits }: Settings): VettingOptions {
  return { streamDepth: Math.max(minStreamDepth, limits.streamDepth), now: Date.now() / 1000 }
}

/** Returns true if a value matches a schema. */
export type Shape = (value: unknown) => boolean

/** Compiles a schema to a function. */
export function compileShape(schema: TSchema): Shape {
  const validator = Compile(schema)
  return value => validator.Check(value)
}

/** Validates the rows of a foreign file. Problems are reported, not thrown. */
export class Examiner {
  constructor(
    readonly file: ForeignRows,
    readonly options: VettingOptions,
    private readonly report: (kind: ProblemKind, id: string | undefined, detail: string) => void
  ) {}

  /** Reports a problem. */
  addProblem(kind: ProblemKind, id: unknown, detail: string): void {
    this.report(
      kind,
      typeof id === 'string' ? id.slice(0, 100) : id === undefined ? undefined : JSON.stringify(id),
      detail
    )
  }

  /**
   * Parses a JSON text of a given schema. Returns `undefined` and reports a problem if it does not match or
   * is nested too deep. The service writes JSON in one form: repeated keys, or texts that parsers interpret
   * differently, do not stringify to the same text.
   */
  read(kind: ProblemKind, id: unknown, text: unknown, shape: Shape): unknown {
    let value: unknown
    try {
      value = JSON.parse(String(text))
    } catch {
      return this.addProblem(kind, id, 'cannot be read')
    }
    if (!isShallow(value, maxJsonDepth)) return this.addProblem(kind, id, 'is nested too deep')
    if (JSON.stringify(value) !== text)
      return this.addProblem(kind, id, 'is not written as the service writes it')
    if (shape(value)) return value
    return this.addProblem(kind, id, 'is not of the shape that the service gives it')
  }

  /** Reports a problem unless a condition is true. Returns the condition. */
  check(condition: boolean, kind: ProblemKind, id: unknown, detail: string): boolean {
    if (!condition) this.addProblem(kind, id, detail)
    return condition
  }

  /**
   * Returns true if the service could have written something at a time (seconds). Always true for backups.
   */
  isPast(time: unknown): boolean {
    return (
      !this.options.targetConfig || (typeof time === 'number' && time <= this.options.now + clockTolerance)
    )
  }
}
