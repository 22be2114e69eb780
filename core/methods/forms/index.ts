/** The methods on forms. (docs/api/forms.md) */
import type { AnyMethod } from '../../call/method.js'
import { answer } from './answer.js'
import { create } from './create.js'
import { deleteForm } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { update } from './update.js'

export const formMethods: readonly AnyMethod[] = [answer, create, deleteForm, getOne, get, update]
