/** Sample data of the bench. An event has about 300 bytes as posted. */
import { randomBytes } from 'node:crypto'

/** A preview of typical size. */
export const previewBytes = randomBytes(12 * 1024)

export const password = 'correct-horse-battery'

/** Returns an event as posted, without a time. */
export function createEventParams(streamId: string): object {
  return {
    streamIds: [streamId],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 121.5, diastolic: 79.5, rate: 61.5 },
    description: 'Morning check on the left arm, sitting, five minutes of rest before it, no coffee yet',
    clientData: { 'bench:device': { serial: 'A-2041-77', firmware: '1.4.2' } }
  }
}

/** Returns the same event as stored and returned by a service. */
export function createStoredEvent(id: string, streamId: string, time: number): object {
  return {
    id,
    ...createEventParams(streamId),
    streamId,
    time,
    tags: [],
    created: time,
    createdBy: 'cbenchaccess0000000000001',
    modified: time,
    modifiedBy: 'cbenchaccess0000000000001'
  }
}

/** Replaced in each request by a serial number of the same length, so that its points follow all others. */
export const serialPlaceholder = '10000000'

/** Returns points as posted, a millisecond apart from `start` (seconds). */
export function formatPoints(count: number, start: number | string = serialPlaceholder): string {
  const points = Array.from(
    { length: count },
    (_, i) => `[${start}.${String(i).padStart(3, '0')},${valueAt(i)}]`
  )
  return `{"format":"flatJSON","fields":["deltaTime","value"],"points":[${points.join(',')}]}`
}

/** Returns rows of a series, `apart` seconds apart. */
export function createPoints(count: number, from = 0, apart = 0.5): [deltaTime: number, value: number][] {
  return Array.from({ length: count }, (_, i) => [(from + i) * apart, valueAt(from + i)])
}

function valueAt(i: number): number {
  return 60 + ((i * 7) % 200) / 10
}
