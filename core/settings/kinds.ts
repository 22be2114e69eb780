/** The kinds of settings that there are many of, each with its description, its default, and what else it has to be. */
import { Type, type TSchema } from 'typebox'
import type { CustomStream } from './custom-streams.js'
import type { TextFormName } from './text-forms.js'

export const text = (description: string, value: string) => Type.String({ default: value, description })
export const flag = (description: string, value: boolean) => Type.Boolean({ default: value, description })
/** What is told by its form; empty where that is the default. */
export const formed = (form: TextFormName, description: string, value = '') =>
  Type.String({ default: value, description, form, ...(value !== '' && { minLength: 1 }) })
/** A path, or a part of one. */
export const path = (description: string, value: string) =>
  Type.String({
    default: value,
    pattern: value === '' ? '^[^\\u0000]*$' : '^\\s*[^\\u0000\\s][^\\u0000]*$',
    description
  })
export const whole = (description: string, value: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ default: value, minimum, maximum, description })
/** Seconds, or milliseconds, that a timer runs: none takes more. */
export const seconds = (description: string, value: number) => whole(description, value, 1, 2_000_000)
export const milliseconds = (description: string, value: number) =>
  whole(description, value, 1, 2_000_000_000)
/** Of texts that are held in one piece: there are none of more than half a gigabyte. */
export const textSize = (description: string, value: number) => whole(description, value, 1024, 500_000_000)
export const upTo = (description: string, value: number, maximum: number) =>
  Type.Integer({ default: value, minimum: 0, maximum, description })
export const amount = (description: string, value: number, maximum: number) =>
  Type.Number({ default: value, minimum: 0, maximum, description })
export const list = (description: string, value: string[]) =>
  Type.Array(Type.String(), { default: value, description })
export const streams = (description: string) =>
  Type.Array(Type.Unsafe<CustomStream>(Type.Unknown()), { default: [], description })
export const group = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false, default: {} })

export const severity = (description: string, value: string) =>
  Type.Enum(['emerg', 'alert', 'critical', 'error', 'warning', 'notice', 'info'], {
    default: value,
    description
  })

/** What a header may be called. */
export const headerName = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
