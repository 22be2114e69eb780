/** `imports.get`: finished and pending imports. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import type { Services } from '../../call/services.js'
import { Import, parseJob, toPublicImport } from '../../imports/job.js'
import { mayAccessJob } from '../../imports/params.js'
import type { Listing } from '../../json/json-text.js'

/** Maximum imports of a page, and characters of their rows. */
const pageSize = 100
const pageCharacters = 100_000

/** Returns imports, newest first; apps get the imports that they created, while they manage the imported streams. */
export const get = method({
  id: 'imports.get',
  summary: 'List imports',
  params: Type.Object({}, closed),
  result: Type.Object({ imports: Type.Array(Import) }),
  mode: 'read',
  allow: notShared,
  run: call => ({ imports: createListing(call.services) })
})

/** Lists imports page by page: there may be many, each with a long list of its file's contents. */
function createListing({ imports }: Services): Listing<Reader> {
  let last = Number.MAX_SAFE_INTEGER
  return {
    next({ caller, store }) {
      const texts: string[] = []
      for (let length = 0; length < pageCharacters && texts.length < pageSize;) {
        const row = store.imports.findBefore(last)
        if (!row) return { text: texts.join(','), count: texts.length, done: true }
        last = row.number
        const job = parseJob(row)
        length += row.body.length
        if (mayAccessJob({ caller, store }, job))
          texts.push(JSON.stringify(toPublicImport(job, imports.getProgress(job.id))))
      }
      return { text: texts.join(','), count: texts.length, done: false }
    }
  }
}
