/** The methods on reminders. (docs/api/reminders.md) */
import type { AnyMethod } from '../../call/method.js'
import { answer } from './answer.js'
import { create } from './create.js'
import { days } from './days.js'
import { deleteReminder } from './delete.js'
import { getOne } from './get-one.js'
import { get } from './get.js'
import { update } from './update.js'

export const reminderMethods: readonly AnyMethod[] = [
  answer,
  create,
  days,
  deleteReminder,
  getOne,
  get,
  update
]
