/** In what two versions of an event differ. */
import type { Event } from '../data/model.js'

const told = ['type', 'content', 'time', 'duration', 'description', 'streamIds', 'clientData'] as const

/** The fields that differ; files and the trash by what has become of them. */
export type Change = (typeof told)[number] | 'trashed' | 'restored' | 'filesAdded' | 'filesRemoved'

/** Returns the differences, in the order in which they are told. */
export function changesBetween(before: Event, after: Event): readonly Change[] {
  const changes: Change[] = told.filter(
    field => JSON.stringify(before[field]) !== JSON.stringify(after[field])
  )
  if (after.trashed && !before.trashed) changes.push('trashed')
  if (before.trashed && !after.trashed) changes.push('restored')
  const [former, later] = [before, after].map(
    ({ attachments = [] }) => new Set(attachments.map(({ id }) => id))
  )
  if ([...later!].some(id => !former!.has(id))) changes.push('filesAdded')
  if ([...former!].some(id => !later!.has(id))) changes.push('filesRemoved')
  return changes
}
