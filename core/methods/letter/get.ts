/** `letter.get`: the settings of the weekly letter. (docs/api/letter.md) */
import { Type } from 'typebox'
import { closed } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ShownLetter, showLetter } from '../../letters/settings.js'

/** Returns the settings, and whether the letter can be sent. */
export const get = method({
  id: 'letter.get',
  summary: 'Get the settings of the weekly letter',
  params: Type.Object({}, closed),
  result: Type.Object({ letter: ShownLetter }),
  mode: 'read',
  allow: personalOnly,
  run: showLetter
})
