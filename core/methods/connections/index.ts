/** The methods on connections. (docs/api/connections.md) */
import type { AnyMethod } from '../../call/method.js'
import { create } from './create.js'
import { deleteConnection } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { preview } from './preview.js'
import { findAccount, noteProblem, open, receive } from './receive.js'
import { update } from './update.js'

export const connectionMethods: readonly AnyMethod[] = [
  create,
  get,
  getOne,
  update,
  preview,
  deleteConnection,
  findAccount,
  open,
  receive,
  noteProblem
]
