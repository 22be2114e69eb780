/** Validates the imports of a foreign file, which can be listed, repeated and undone. */
import { Type } from 'typebox'
import { StoredOutcome } from '../../core/imports/counted-files.js'
import { StoredJobBody, StoredCount, Mapping, importStates } from '../../core/imports/job.js'
import { isFileId } from '../../storage/files/layout.js'
import { compileShape, type Examiner, type ProblemKind, type Shape } from './examiner.js'

const isJob = compileShape(StoredJobBody)
const isTimes = compileShape(Type.Array(Type.Number()))

/** Maximum length of a body in characters: many times what the service stores. */
const maxBodyLength = 4 * 1024 * 1024
/** Maximum number of an import. New imports are numbered after the highest number. */
const maxNumber = 2 ** 47

/** The stored state of imports, by pattern of the name. */
const storedStates: readonly (readonly [name: RegExp, isRight: Shape, isJson: boolean])[] = [
  [/^(?:app-[0-9a-f]{64}:)?mapping:/, compileShape(Mapping), true],
  [/^streams$/, compileShape(Type.Array(Type.String())), true],
  [/^counted$/, compileShape(Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 8 })), true],
  [/^counted:[0-9a-f]{64}$/, compileShape(StoredCount), true],
  [/^outcome:[0-9a-f]{64}$/, compileShape(StoredOutcome), true],
  [/^(?:app-[0-9a-f]{64}:)?form:/, compileShape(Type.Enum(['series', 'events'])), false],
  [/^key$/, compileShape(Type.String({ pattern: '^[0-9a-f]{64}$' })), false]
]

/** Reports problems with imports and their stored state. */
export function examineImports(examiner: Examiner): void {
  const { file } = examiner
  const kind: ProblemKind = 'database'
  for (const { body, id, number, state } of file.rows('SELECT number, id, state, body FROM import')) {
    const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, kind, id, detail)
    say(isFileId(String(id)), 'is an import with an id that the service does not make')
    say(Number(number) >= 1 && Number(number) <= maxNumber, 'is an import with a number that none gets')
    say((importStates as readonly string[]).includes(String(state)), 'is in a state that imports do not have')
    if (say(String(body).length <= maxBodyLength, 'is longer than imports are'))
      examiner.read(kind, id, body, isJob)
  }
  for (const { times } of file.rows('SELECT times FROM import_range WHERE times IS NOT NULL'))
    examiner.read(kind, undefined, times, isTimes)
  for (const { name, value } of file.rows('SELECT name, value FROM import_memory')) {
    const [, isRight, isJson] = storedStates.find(([pattern]) => pattern.test(String(name))) ?? []
    if (isRight && isJson) examiner.read(kind, name, value, isRight)
    else examiner.check(isRight?.(value) === true, kind, name, 'is nothing that imports remember')
  }
}
