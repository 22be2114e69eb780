/** Parses times, codes and quantities of HL7 version 3. */
import { parseIsoTime, toTime } from '../../text/times.js'
import type { Json } from '../json-files.js'
import type { CdaElement } from './cda-elements.js'

/** A time and its duration, in seconds; the time is `NaN` if the statement has none. */
export interface TimeSpan {
  readonly time: number
  readonly duration?: number
  /** True if there is an unreadable time. */
  readonly isUnreadable: boolean
}

const timePattern =
  /^(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:\.(\d+))?)?)?)?)?)?(Z|[+-]\d\d:?\d\d)?$/

/** Parses a time such as `20240501083000.5+0200`, of any precision; returns `NaN` if it is invalid. */
function parseHl7Time(text: string, zone: string | undefined): number {
  const parts = timePattern.exec(text.trim())
  if (!parts) return parseIsoTime(text, zone)
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction, offset] = parts
  return toTime(
    [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)],
    fraction === undefined ? 0 : Number(`0.${fraction}`),
    offset,
    zone
  )
}

/**
 * Returns the first time of a statement that says when it took place, not how often. `time` is `NaN` if there
 * is none, and `isUnreadable` tells whether one cannot be parsed. All are in seconds.
 */
export function findTimeSpan(elements: readonly CdaElement[], zone: string | undefined): TimeSpan {
  let isUnreadable = false
  const parseValue = (element: CdaElement | undefined): number => {
    const text = element?.get('value') ?? ''
    const time = text === '' ? NaN : parseHl7Time(text, zone)
    isUnreadable ||= text !== '' && Number.isNaN(time)
    return time
  }
  for (const element of elements) {
    const time = [element, element.find('low'), element.find('center')]
      .map(parseValue)
      .find(each => each === each)
    const end = parseValue(element.find('high'))
    if (time !== undefined) return { time, isUnreadable: false, ...(end > time && { duration: end - time }) }
  }
  return { time: NaN, isUnreadable }
}

/** Returns a code and its translations. Returns an empty list without a code. */
function listCodes(code: CdaElement | undefined): CdaElement[] {
  return code ? [code, ...code.findAll('translation')] : []
}

/**
 * Returns the name of a code or of one of its translations; if none has a name, the first code itself; an
 * empty string if there is none.
 */
export function getCodeName(code: CdaElement | undefined): string {
  const codes = listCodes(code)
  for (const each of codes) {
    const name = each.find('originalText')?.wholeText || each.get('displayName')
    if (name !== undefined && name !== '') return name
  }
  return codes.map(each => each.get('code') ?? '').find(Boolean) ?? ''
}

/** Converts an observation to FHIR: its code, and its value if it is a quantity. */
export function toFhir(observation: CdaElement): Json {
  const coding = listCodes(observation.find('code')).map(each => ({
    system: `urn:oid:${each.get('codeSystem') ?? ''}`,
    code: each.get('code')
  }))
  const values = observation.findAll('value')
  return { code: { coding }, ...(values.length === 1 && { valueQuantity: parseQuantity(values[0]!) }) }
}

/** Returns a value that is a single number; `undefined` for ranges, texts, codes and others. */
function parseQuantity(value: CdaElement): Json | undefined {
  const type = /^(?:\w+:)?(PQ|INT|REAL)$/.exec(value.get('xsi:type') ?? value.get('type') ?? '')?.[1]
  if (type === undefined || value.get('nullFlavor') !== undefined) return undefined
  return { value: value.get('value'), code: type === 'PQ' ? value.get('unit') : '1' }
}

/** Null flavors that carry a meaning besides "no value". */
const otherFlavors = new Set(['OTH', 'PINF', 'NINF', 'TRC', 'QS'])

/**
 * Returns true if all values of an observation are null. Returns false without values, and for a value that
 * is only outside of a list or a range.
 */
export function isNotMeasured(observation: CdaElement): boolean {
  const values = observation.findAll('value')
  return (
    values.length > 0 &&
    values.every(each => {
      const flavor = each.get('nullFlavor')
      return flavor !== undefined && !otherFlavors.has(flavor) && each.children.length === 0
    })
  )
}
