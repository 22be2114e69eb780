/** Compares two versions of an event. */
import type { Event } from '../data/model.js'

const comparedFields = [
  'type',
  'content',
  'time',
  'duration',
  'description',
  'streamIds',
  'clientData'
] as const

/** A difference: a changed field, or what happened to files or the trash state. */
type Change = (typeof comparedFields)[number] | 'trashed' | 'restored' | 'filesAdded' | 'filesRemoved'

/** Returns the differences in display order. */
export function listChanges(before: Event, after: Event): readonly Change[] {
  const changes: Change[] = comparedFields.filter(
    field => JSON.stringify(before[field]) !== JSON.stringify(after[field])
  )
  if (after.trashed && !before.trashed) changes.push('trashed')
  if (before.trashed && !after.trashed) changes.push('restored')
  const [fileIdsBefore, fileIdsAfter] = [before, after].map(
    ({ attachments = [] }) => new Set(attachments.map(({ id }) => id))
  )
  if ([...fileIdsAfter!].some(id => !fileIdsBefore!.has(id))) changes.push('filesAdded')
  if ([...fileIdsBefore!].some(id => !fileIdsAfter!.has(id))) changes.push('filesRemoved')
  return changes
}
