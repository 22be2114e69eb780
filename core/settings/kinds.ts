/** Schemas of common kinds of settings, each made from a description, a default and constraints. */
import { Type, type TSchema } from 'typebox'
import type { CustomStream } from './custom-streams.js'
import type { TextFormName } from './text-forms.js'

/** Any text, also an empty one. */
export const text = (description: string, value: string) => Type.String({ default: value, description })
/** A setting whose text is never shown: a password, a key. */
export const secret = (description: string) => Type.String({ default: '', description, secret: true })
export const flag = (description: string, value: boolean) => Type.Boolean({ default: value, description })
/** Text of a named form; the text may be empty if the default is empty. */
export const formText = (form: TextFormName, description: string, value = '') =>
  Type.String({ default: value, description, form, ...(value !== '' && { minLength: 1 }) })
/** A path, or a part of one: text without NUL. It must not be blank unless the default is empty. */
export const path = (description: string, value: string) =>
  Type.String({
    default: value,
    pattern: value === '' ? '^[^\\u0000]*$' : '^\\s*[^\\u0000\\s][^\\u0000]*$',
    description
  })
/** An integer, from 0 unless `minimum` says otherwise. */
export const integer = (description: string, value: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ default: value, minimum, maximum, description })
/** Seconds for a timer, limited to what timers can take; below, the same in milliseconds. */
export const seconds = (description: string, value: number) => integer(description, value, 1, 2_000_000)
export const milliseconds = (description: string, value: number) =>
  integer(description, value, 1, 2_000_000_000)
/** Size of text held in one string: V8 limits strings to about half a gigabyte. */
export const textSize = (description: string, value: number) => integer(description, value, 1024, 500_000_000)
/** An integer from 0 to `maximum`. */
export const countUpTo = (description: string, value: number, maximum: number) =>
  Type.Integer({ default: value, minimum: 0, maximum, description })
/** A number, which may have a fraction, from 0 to `maximum`. */
export const amount = (description: string, value: number, maximum: number) =>
  Type.Number({ default: value, minimum: 0, maximum, description })
/** A list of texts, which are not checked. */
export const list = (description: string, value: string[]) =>
  Type.Array(Type.String(), { default: value, description })
/** Streams that the operator defines. They are checked when they are read, not by the schema. */
export const streams = (description: string) =>
  Type.Array(Type.Unsafe<CustomStream>(Type.Unknown()), { default: [], description })
/** A group of settings. Other keys are refused; without a value, each setting has its default. */
export const group = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false, default: {} })

/** A severity of syslog. */
export const severity = (description: string, value: string) =>
  Type.Enum(['emerg', 'alert', 'critical', 'error', 'warning', 'notice', 'info'], {
    default: value,
    description
  })

/** Pattern of header names. */
export const headerName = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
