/** `account.export`: all data of an account, for its owner. (docs/operation.md#export-and-import) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { ApiError, fail } from '../../errors.js'
import { method } from '../../call/method.js'

/** `GET /account/export`: a ZIP without secrets. The result names the copy from which it is made. */
export const exportAccount = method({
  id: 'account.export',
  summary: 'Export all data of the account as a ZIP file',
  params: Type.Object({}, closed),
  result: Type.Object({ export: Type.Object({ draft: Type.String() }) }),
  mode: 'read',
  allow: personalOnly,
  facts: ({ export: { draft } }: { export: { draft: string } }) => ({ draft }),
  async prepare({ account, services, credentials, store }) {
    // Other transports cannot carry a file, and the copy would not be removed.
    if (credentials.via !== 'http' || credentials.isMember)
      fail('invalid-operation', 'An export is a file and is only available at GET /account/export')
    return (await services.exports.create(account.id, store)) ?? refuseBusy()
  },
  run: (_call, _params, draft) => ({ export: { draft } })
})

/** `Retry-After` of refused requests, in seconds. */
const retryAfter = 60

function refuseBusy(): never {
  throw new ApiError('too-many-requests', 'Too many exports are in progress. Try again later', {
    retryAfter
  })
}
