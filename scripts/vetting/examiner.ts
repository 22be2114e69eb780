/** What all rules for rows of a foreign file have in common: texts that the service could have written, shapes, complaints. */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Config } from '../../core/settings/config.js'
import type { Settings } from '../../core/settings/settings.js'
import { isShallow } from '../../core/json/depth.js'
import type { ForeignRows } from '../../storage/validation/foreign-file.js'
import type { Problem } from '../maintenance/check-account.js'

export type Kind = Problem['kind']

export interface VettingOptions {
  /**
   * The settings of the service that an account comes to from elsewhere: it may hold nothing then but what its owner could
   * have asked for there. What comes from a backup was written by this software, perhaps long ago and under other settings.
   */
  readonly home?: Config
  /** Deepest nesting of streams. */
  readonly streamDepth: number
  /** Seconds. */
  readonly now: number
}

/** Far deeper than calls may bring, unless the settings have been widened a lot, and shallow enough to be walked through. */
const deepest = 1000

/** How far another clock may be ahead, seconds. */
const ahead = 86_400

/** Levels of streams that are few enough to be walked through, whatever the settings say today. */
const leastDepth = 1000

/** How what comes from a backup is examined: streams may have been nested deeper under earlier settings. */
export function vettingOf({ limits }: Settings): VettingOptions {
  return { streamDepth: Math.max(leastDepth, limits.streamDepth), now: Date.now() / 1000 }
}

/** Whether a value is of a shape. */
export type Shape = (value: unknown) => boolean

/** A shape by its schema. */
export function shapeOf(schema: TSchema): Shape {
  const validator = Compile(schema)
  return value => validator.Check(value)
}

export class Examiner {
  constructor(
    readonly file: ForeignRows,
    readonly options: VettingOptions,
    private readonly report: (kind: Kind, id: string | undefined, detail: string) => void
  ) {}

  say(kind: Kind, id: unknown, detail: string): void {
    this.report(
      kind,
      typeof id === 'string' ? id.slice(0, 100) : id === undefined ? undefined : JSON.stringify(id),
      detail
    )
  }

  /**
   * The value of a JSON text that is of a shape; `undefined`, and a complaint, for any other. The service writes JSON in one
   * way: what is there twice, or means something else to another reader, does not come back to the letter.
   */
  read(kind: Kind, id: unknown, text: unknown, shape: Shape): unknown {
    let value: unknown
    try {
      value = JSON.parse(String(text))
    } catch {
      return this.say(kind, id, 'cannot be read')
    }
    if (!isShallow(value, deepest)) return this.say(kind, id, 'is nested too deep')
    if (JSON.stringify(value) !== text) return this.say(kind, id, 'is not written as the service writes it')
    if (shape(value)) return value
    return this.say(kind, id, 'is not of the shape that the service gives it')
  }

  /** Complains unless a condition holds; answers whether it does. */
  must(condition: boolean, kind: Kind, id: unknown, detail: string): boolean {
    if (!condition) this.say(kind, id, detail)
    return condition
  }

  /** Whether the service could have written something down at that time (seconds). */
  isPast(time: unknown): boolean {
    return !this.options.home || (typeof time === 'number' && time <= this.options.now + ahead)
  }
}
