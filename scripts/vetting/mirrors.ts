/** Validates the mirrors of a foreign file, and the copies that others keep. */
import { Type } from 'typebox'
import { StoredKeptCopy } from '../../schemas/mirrors/kept-copy.js'
import { Mirror } from '../../schemas/mirrors/mirror.js'
import { compileShape, type Examiner } from './examiner.js'

const isMirror = compileShape(Mirror)
const isKept = compileShape(StoredKeptCopy)
const isProgress = compileShape(
  Type.Object({
    comparison: Type.Integer({ minimum: 0 }),
    failures: Type.Integer({ minimum: 0 }),
    cursor: Type.Optional(Type.Number()),
    deletedCursor: Type.Optional(Type.Number()),
    farewell: Type.Optional(Type.String({ maxLength: 4096 })),
    pass: Type.Optional(Type.Record(Type.String(), Type.Number()))
  })
)
const isDue = compileShape(Type.Union([Type.Number(), Type.Null()]))

/** Reports problems with mirrors, and in archives any copied event. */
export function examineMirrors(examiner: Examiner): void {
  const { file, options } = examiner
  for (const { access, body, id, next, progress } of file.rows('SELECT * FROM mirror')) {
    const mirror = examiner.read('mirror', id, body, isMirror) as Mirror | undefined
    examiner.read('mirror', id, progress, isProgress)
    if (!mirror) continue
    const isIndexed = mirror.id === id && mirror.accessId === access && isDue(next)
    examiner.check(isIndexed, 'mirror', id, "is indexed under values that don't match its content")
    const isPlaced = /^:_followed:[^:]+$/.test(mirror.streamId)
    examiner.check(isPlaced, 'mirror', id, 'has a copy where the service makes none')
  }
  for (const { access, body } of file.rows('SELECT * FROM mirror_kept')) {
    const kept = examiner.read('mirror', access, body, isKept) as StoredKeptCopy | undefined
    examiner.check(!kept || kept.accessId === access, 'mirror', access, 'is that of another access')
  }
  if (!options.targetConfig) return
  // Copies are not exported.
  const copied = file.first('SELECT id FROM mirror_event')
  examiner.check(copied === undefined, 'mirror', copied, 'has a copy, which no archive contains')
}
