/** `mirrors.get`: lists mirrors. (docs/api/mirrors.md) */
import { Type } from 'typebox'
import { KeptCopy } from '../../../schemas/mirrors/kept-copy.js'
import { Mirror } from '../../../schemas/mirrors/mirror.js'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'

/** Returns the mirrors of the account, oldest first, and the copies that others keep. */
export const get = method({
  id: 'mirrors.get',
  summary: 'List mirrors',
  params: Type.Object({}, closed),
  result: Type.Object({ mirrors: Type.Array(Mirror), keptCopies: Type.Array(KeptCopy) }),
  mode: 'read',
  allow: personalOnly,
  isRemoved: config => !config.cmc.enabled,
  run: ({ store }) => ({
    mirrors: store.mirrors
      .list()
      .map(({ mirror }) => mirror)
      .toSorted((a, b) => a.created - b.created),
    keptCopies: store.mirrors.listKept().map(({ number: _number, ...kept }) => kept)
  })
})
