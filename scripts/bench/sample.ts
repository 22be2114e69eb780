/** What every row of the bench posts, keeps and reads. An event has about 300 bytes as posted. */

import { randomBytes } from 'node:crypto'

/** As large as a preview usually is. */
export const previewBytes = randomBytes(12 * 1024)

export const password = 'correct-horse-battery'

/** What a client posts. Without a time it is of now. */
export function postedEvent(streamId: string): object {
  return {
    streamIds: [streamId],
    type: 'blood-pressure/mmhg-bpm',
    content: { systolic: 121.5, diastolic: 79.5, rate: 61.5 },
    description: 'Morning check on the left arm, sitting, five minutes of rest before it, no coffee yet',
    clientData: { 'bench:device': { serial: 'A-2041-77', firmware: '1.4.2' } }
  }
}

/** The same event as a service keeps and shows it. */
export function keptEvent(id: string, streamId: string, time: number): object {
  return {
    id,
    ...postedEvent(streamId),
    streamId,
    time,
    tags: [],
    created: time,
    createdBy: 'cbenchaccess0000000000001',
    modified: time,
    modifiedBy: 'cbenchaccess0000000000001'
  }
}
