/** `imports.create`: uploads a file and analyses it. (docs/api/imports.md) */
import { Type } from 'typebox'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { notShared } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { fail } from '../../errors.js'
import { createId } from '../../ids.js'
import { Import, parseJob, toPublicImport, type Job } from '../../imports/job.js'
import { getAppIdentity } from '../../imports/memory.js'
import { assertMayImport } from '../../imports/params.js'
import { assertZone } from '../../validation/zones.js'
import { assertMayUpload } from '../../imports/waiting-files.js'
import { truncateText } from '../../truncate-text.js'

/** Maximum number of unreadable imports that are listed. */
const maxUnreadable = 100

/**
 * Accepts one file in a multipart form. `imports.getOne` returns the progress of its analysis. Throws
 * `invalid-request-structure` unless there is exactly one file, `invalid-operation` if too many wait.
 */
export const create = method({
  id: 'imports.create',
  summary: 'Upload a file to import',
  params: Type.Object({ parentId: orNull(Identifier), zone: orNull(Type.String()) }, closed),
  result: Type.Object({ import: Import }),
  mode: 'write',
  allow: notShared,
  takesFiles: true,
  run(call, { parentId, zone }) {
    const { account, caller, files, now, services, store } = call
    const [file] = files
    if (!file || files.length > 1)
      fail('invalid-request-structure', 'Send a multipart form with exactly one file')
    assertMayImport(call, parentId ?? null)
    assertZone(zone ?? undefined, '#/zone')
    assertMayUpload(call, file.size)
    store.imports.removeUnreadable(maxUnreadable)
    const id = createId()
    const job: Job = {
      fileName: truncateText(file.fileName, 255),
      fileId: file.id,
      size: file.size,
      created: now,
      createdBy: caller.signature,
      accessId: caller.accessId,
      callerId: caller.callerId,
      app: getAppIdentity(caller),
      parentId: parentId ?? null,
      options: zone ? { zone } : {},
      attempt: 0,
      streams: []
    }
    store.imports.insert(id, 'looking', JSON.stringify(job))
    services.imports.begin(account, id)
    return { import: toPublicImport(parseJob(store.imports.find(id)!), undefined) }
  }
})
