/** Times, codes and quantities of HL7 version 3. */
import { isoTime, timeOf } from '../../text/times.js'
import type { Json } from '../json-files.js'
import type { CdaElement } from './cda-elements.js'

/** A time in seconds, `NaN` if there is none, and how long it lasts. */
export interface Span {
  readonly time: number
  readonly duration?: number
  /** Whether there is a time that cannot be read. */
  readonly isBroken: boolean
}

const pattern =
  /^(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:\.(\d+))?)?)?)?)?)?(Z|[+-]\d\d:?\d\d)?$/

/** Returns the time of a text such as `20240501083000.5+0200`, of any precision; `NaN` if it is none. */
export function hl7Time(text: string, zone: string | undefined): number {
  const parts = pattern.exec(text.trim())
  if (!parts) return isoTime(text, zone)
  const [, year, month = '1', day = '1', hour = '0', minute = '0', second = '0', fraction, offset] = parts
  return timeOf(
    [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)],
    fraction === undefined ? 0 : Number(`0.${fraction}`),
    offset,
    zone
  )
}

/** Returns the first of the times of a statement that says when it was, rather than how often. */
export function spanIn(elements: readonly CdaElement[], zone: string | undefined): Span {
  let isBroken = false
  const timeIn = (element: CdaElement | undefined): number => {
    const text = element?.get('value') ?? ''
    const time = text === '' ? NaN : hl7Time(text, zone)
    isBroken ||= text !== '' && Number.isNaN(time)
    return time
  }
  for (const element of elements) {
    const time = [element, element.find('low'), element.find('center')]
      .map(timeIn)
      .find(each => each === each)
    const end = timeIn(element.find('high'))
    if (time !== undefined) return { time, isBroken: false, ...(end > time && { duration: end - time }) }
  }
  return { time: NaN, isBroken }
}

/** Returns a code and its translations. */
export function codesIn(code: CdaElement | undefined): CdaElement[] {
  return code ? [code, ...code.all('translation')] : []
}

/** Returns how a code is called. */
export function nameIn(code: CdaElement | undefined): string {
  const codes = codesIn(code)
  for (const each of codes) {
    const name = each.find('originalText')?.wholeText || each.get('displayName')
    if (name !== undefined && name !== '') return name
  }
  return codes.map(each => each.get('code') ?? '').find(Boolean) ?? ''
}

/** Returns an observation in the terms of FHIR, as far as its code and its value as a quantity go. */
export function toFhir(observation: CdaElement): Json {
  const coding = codesIn(observation.find('code')).map(each => ({
    system: `urn:oid:${each.get('codeSystem') ?? ''}`,
    code: each.get('code')
  }))
  const values = observation.all('value')
  return { code: { coding }, ...(values.length === 1 && { valueQuantity: quantityIn(values[0]!) }) }
}

/** Returns a value that is one number; `undefined` for ranges, texts, codes and what else there is. */
function quantityIn(value: CdaElement): Json | undefined {
  const type = /^(?:\w+:)?(PQ|INT|REAL)$/.exec(value.get('xsi:type') ?? value.get('type') ?? '')?.[1]
  if (type === undefined || value.get('nullFlavor') !== undefined) return undefined
  return { value: value.get('value'), code: type === 'PQ' ? value.get('unit') : '1' }
}

/** Flavours of null that stand for something else than no value. */
const otherFlavors = new Set(['OTH', 'PINF', 'NINF', 'TRC', 'QS'])

/** Whether all that an observation says of its value is that there is none. */
export function isNotMeasured(observation: CdaElement): boolean {
  const values = observation.all('value')
  return (
    values.length > 0 &&
    values.every(each => {
      const flavor = each.get('nullFlavor')
      return flavor !== undefined && !otherFlavors.has(flavor) && each.children.length === 0
    })
  )
}
