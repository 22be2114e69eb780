/** `account.export`: all data of an account, for its owner. (docs/operation.md#export-and-import, docs/api/exports.md#a-folder-to-read) */
import { Type } from 'typebox'
import { closed, orNull } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { ApiError, fail } from '../../errors.js'
import { folderLanguages, type FolderLanguage } from '../../exports/folder-texts.js'
import { method } from '../../call/method.js'
import { refuseParams } from '../../validation/params.js'
import { assertZone } from '../../validation/zones.js'

/** What the transport makes the file from: a copy of the account, or for a folder the options. */
interface Source {
  readonly draft?: string
  readonly folder?: { readonly zone: string; readonly language: FolderLanguage }
}

/**
 * `GET /account/export`: a ZIP without secrets. `form=archive` is complete and can be imported; the result
 * names the copy from which it is made. `form=folder` is for people to read. Throws `invalid-operation`
 * outside this route, `too-many-requests` if too many copies are being made.
 */
export const exportAccount = method({
  id: 'account.export',
  summary: 'Export all data of the account as a ZIP file',
  params: Type.Object(
    {
      form: orNull(Type.Enum(['archive', 'folder'])),
      /** Time zone of the times in a folder; UTC unless given. */
      zone: orNull(Type.String({ maxLength: 64 })),
      language: orNull(Type.Enum([...folderLanguages]))
    },
    closed
  ),
  result: Type.Object({
    export: Type.Object({
      draft: Type.Optional(Type.String()),
      folder: Type.Optional(Type.Object({ zone: Type.String(), language: Type.Enum([...folderLanguages]) }))
    })
  }),
  mode: 'read',
  allow: personalOnly,
  facts: ({ export: source }: { export: Source }) => source,
  async prepare({ account, services, credentials, store }, { form, language, zone }) {
    // Other transports cannot carry a file, and the copy would not be removed.
    if (credentials.via !== 'http' || credentials.isMember)
      fail('invalid-operation', 'An export is a file and is only available at GET /account/export')
    assertZone(zone ?? undefined, '#/zone')
    if (form === 'folder') return { folder: { zone: zone ?? 'UTC', language: language ?? 'en' } }
    for (const [name, value] of Object.entries({ language, zone }))
      if (value)
        refuseParams([
          { code: 'INVALID_TYPE', message: 'can only be used with the form "folder"', path: `#/${name}` }
        ])
    return { draft: (await services.exports.create(account.id, store)) ?? refuseBusy() }
  },
  async discard({ services }, { draft }: Source) {
    if (draft !== undefined) await services.exports.discard(draft)
  },
  run: (_call, _params, source: Source) => ({ export: source })
})

/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 60

function refuseBusy(): never {
  throw new ApiError('too-many-requests', 'Too many exports are in progress. Try again later', {
    retryAfter
  })
}
