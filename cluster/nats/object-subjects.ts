/** The subjects of objects in the engine: a message that describes each, and messages with its bytes. */

/** The stream of attachments and snapshots. */
export const objectsStream = 'COFFER_OBJECTS'
/** All of its subjects, as a pattern. */
export const objectsSubjects = 'coffer.object.>'

const headPrefix = 'coffer.object.head.'
const bytesPrefix = 'coffer.object.bytes.'
const doubtPrefix = 'coffer.object.doubt.'
/** Segments separated by slashes. */
const keyPattern = /^[-_=a-zA-Z0-9]+(?:\/[-_=a-zA-Z0-9]+)*$/

/**
 * Returns the subject of an object's description. Throws `RangeError` for a key with other characters than letters,
 * digits and `-_=`.
 */
export function headSubject(key: string): string {
  if (!keyPattern.test(key)) throw new RangeError(`"${key}" is not the key of an object`)
  return headPrefix + key.replaceAll('/', '.')
}

/** Parses the key of an object from the subject of its description. */
export function parseHeadKey(subject: string): string {
  return subject.slice(headPrefix.length).replaceAll('.', '/')
}

/** Returns a pattern for the descriptions of the objects whose keys have a prefix, and possibly others. */
export function headSubjects(prefix: string): string {
  return `${headPrefix}${prefix.slice(0, prefix.lastIndexOf('/') + 1).replaceAll('/', '.')}>`
}

/** Returns the subject of a piece of the bytes stored under an id, from 0. */
export function pieceSubject(id: string, piece: number): string {
  return `${bytesPrefix}${id}.${piece}`
}

/** Returns a pattern for all pieces of the bytes stored under an id. */
export function pieceSubjects(id: string): string {
  return `${bytesPrefix}${id}.*`
}

/**
 * Returns the subject of a note that the pieces under an id may be unused: their description is not written yet, or is
 * being removed.
 */
export function doubtSubject(id: string): string {
  return doubtPrefix + id
}

/** A pattern for all notes of pieces that may be unused. */
export const doubtSubjects = doubtSubject('*')

/** Parses the id from the subject of a note. */
export function parseDoubtId(subject: string): string {
  return subject.slice(doubtPrefix.length)
}
