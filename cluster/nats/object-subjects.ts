/** What the engine calls objects: a message that describes each, and messages with its bytes. */

/** The stream of attachments and snapshots. */
export const objectsStream = 'COFFER_OBJECTS'
/** All of its subjects, as a pattern. */
export const objectsSubjects = 'coffer.object.>'

const headPrefix = 'coffer.object.head.'
const bytesPrefix = 'coffer.object.bytes.'
const doubtPrefix = 'coffer.object.doubt.'
/** Segments between slashes. */
const keyPattern = /^[-_=a-zA-Z0-9]+(?:\/[-_=a-zA-Z0-9]+)*$/

/** The subject of what describes an object. Throws `RangeError` for a key with other characters than letters, digits and `-_=`. */
export function headSubject(key: string): string {
  if (!keyPattern.test(key)) throw new RangeError(`"${key}" is not the key of an object`)
  return headPrefix + key.replaceAll('/', '.')
}

/** The key of an object from the subject of what describes it. */
export function parseHeadKey(subject: string): string {
  return subject.slice(headPrefix.length).replaceAll('.', '/')
}

/** A pattern for what describes the objects whose keys begin with a prefix, and perhaps others. */
export function headSubjects(prefix: string): string {
  return `${headPrefix}${prefix.slice(0, prefix.lastIndexOf('/') + 1).replaceAll('/', '.')}>`
}

/** The subject of a piece of the bytes that were stored under an id, from 0. */
export function pieceSubject(id: string, piece: number): string {
  return `${bytesPrefix}${id}.${piece}`
}

/** All pieces of the bytes that were stored under an id, as a pattern. */
export function pieceSubjects(id: string): string {
  return `${bytesPrefix}${id}.*`
}

/** The subject of a note that the pieces under an id may be of no use: what describes them is not there yet, or goes. */
export function doubtSubject(id: string): string {
  return doubtPrefix + id
}

/** All such notes, as a pattern. */
export const doubtSubjects = doubtSubject('*')

/** The id that a note is about, from its subject. */
export function parseDoubtId(subject: string): string {
  return subject.slice(doubtPrefix.length)
}
